import { describe, expect, it } from 'vitest';
import { dataOf } from '../../../src/config/data-of.ts';
import { LINES, onlyText, problemsOf, readText, readWith } from '../reading.ts';

describe('cross checks', () => {
  it('require a rate for cash in another currency', () => {
    const account = 'account: { currency: USD, cash: { USD: 1, HKD: 5 } }';
    expect(onlyText(readWith({ account }))).toBe(
      'Cannot read account: "fx" has no rate between "USD" and "HKD" though there is cash in "HKD", ' +
        'want "USDHKD" (what one USD is worth in HKD)\n  at config/x.yaml:4:1 (account.fx)',
    );
  });

  it('accept the rate in either direction, but not in both', () => {
    const account = (fx: string): string =>
      `account: { currency: USD, cash: { USD: 1, HKD: 5 }, fx: { ${fx} } }`;
    expect(readWith({ account: account('USDHKD: 7.8') }).kind).toBe('ok');
    expect(readWith({ account: account('HKDUSD: 0.128') }).kind).toBe('ok');
    expect(onlyText(readWith({ account: account('HKDUSD: 0.128, USDHKD: 7.8') }))).toMatch(
      /one rate between them/,
    );
  });

  it('require cash and a rate for the currencies of the symbols', () => {
    const paths = problemsOf(readWith({ symbols: 'symbols: [SPX.US, 700.HK]' })).map(
      (problem) => problem.path,
    );
    expect(paths).toEqual(['account.fx', 'account.cash']);
  });

  it('accept credit instead of cash when margin is enabled', () => {
    const changes = {
      symbols: 'symbols: [700.HK]',
      account: 'account: { currency: USD, cash: { USD: 100000 }, fx: { USDHKD: 7.8 } }',
    };
    expect(onlyText(readWith(changes))).toMatch(/"cash" has no "HKD", want some, as "700.HK" trades in it/);
    expect(readWith({ ...changes, risk: 'risk: { useMargin: true }' }).kind).toBe('ok');
  });

  it('refuse a symbol that is listed twice, has no data, or does not trade', () => {
    expect(onlyText(readWith({ symbols: 'symbols: [SPX.US, SPX.US]' }))).toMatch(/each symbol once/);
    expect(onlyText(readWith({ symbols: 'symbols: [APPL.US]' }))).toMatch(
      /"APPL.US" has no data in "backtest-data", did you mean "AAPL.US"\?/,
    );
    const index = { symbols: 'symbols: [HSI.HK]', account: 'account: { currency: HKD, cash: { HKD: 5 } }' };
    expect(onlyText(readWith(index))).toMatch(/"tradable: true" in its security.json/);
  });

  it('refuse a market for real money if the broker documents no orders for it, and accept it on paper', () => {
    const changes = {
      symbols: 'symbols: [D05.SG, 700.HK, 600519.SH]',
      account: 'account: { currency: HKD, fx: { SGDHKD: 5.8, CNYHKD: 1.1 } }',
      data: '',
      broker:
        'broker: { account: "123", http: "https://a.example", quoteWs: "wss://a.example", tradeWs: "wss://a.example" }',
    };
    const live = problemsOf(readWith({ ...changes, mode: 'mode: live' }));
    expect(live.map(({ path, value }) => [path, value])).toEqual([
      ['symbols[0]', 'D05.SG'],
      ['symbols[2]', '600519.SH'],
    ]);
    expect(live[0]?.message).toContain(
      'want a symbol of HK and US with "mode: live": the broker documents orders for no other market. "mode: paper"',
    );
    expect(live[0]?.message).toMatch(/on the embedded venue$/);
    expect(problemsOf(readWith(changes))).toEqual([]);
  });

  it('refuse an option, whether it has data or a broker lists it, and name the share', () => {
    const symbols = 'symbols: [AAPL261218C250000.US]';
    expect(
      problemsOf(readWith({ symbols }))
        .map(({ message }) => message)
        .join(),
    ).toMatch(/want a share such as "AAPL.US": a bot trades no options/);
    const { data: _data, ...lines } = LINES;
    const broker = [...Object.values({ ...lines, symbols }), 'broker: { account: paper }'];
    expect(onlyText(readText(broker.join('\n')))).toMatch(/want a share such as "AAPL.US"/);
  });

  it('compare parameters with what the strategy declares', () => {
    expect(onlyText(readWith({ params: 'params: { slwo: 20 }' }))).toMatch(
      /"slwo" is not a parameter of this strategy, did you mean "slow"\?\n {2}at config\/x.yaml:6:11 \(params.slwo\)/,
    );
    expect(onlyText(readWith({ params: 'params: { fast: 1 }' }))).toMatch(
      /Cannot read parameters: "fast" is "1", want a whole number from 2 to 200/,
    );
    expect(onlyText(readWith({ params: 'params: { weight: 120% }' }))).toMatch(/a share from 0 to 1/);
  });

  it('hide no mistake behind another one in the same section', () => {
    const problems = problemsOf(
      readWith({
        symbols: 'symbols: [1, APPL.US]',
        data: 'data: { from: never, to: 2024-01-02 }',
        risk: 'risk: { maxOrderNotional: 5 HKD, maxOpenOrders: 0 }',
        execution: 'execution: { offset: 1 tick, cancelAfter: 5 }',
      }),
    );
    expect(problems.map((problem) => problem.path)).toEqual([
      'symbols[0]',
      'symbols[1]',
      'data.from',
      'risk.maxOrderNotional',
      'risk.maxOpenOrders',
      'execution.offset',
      'execution.cancelAfter',
    ]);
  });
});

describe('a config without data and cash', () => {
  const without = (changes: Readonly<Record<string, string>>) =>
    readText(
      Object.entries({ ...LINES, account: 'account: { currency: USD }', ...changes })
        .flatMap(([name, line]) => (name === 'data' ? [] : [line]))
        .join('\n'),
    );

  it('is valid for a bot on an account, which the broker reports', () => {
    const reading = without({ symbols: 'symbols: [SPX.US, 9988.HK]', broker: 'broker: { account: paper }' });
    expect(reading).toMatchObject({ kind: 'ok', config: { data: undefined, account: { cash: {} } } });
  });

  it('is invalid for a replay, and the message names both missing keys', () => {
    const reading = without({});
    expect(reading.kind === 'problems' && reading.problems.map(({ code, path }) => [code, path])).toEqual([
      ['missing', 'data'],
      ['missing', 'account.cash'],
    ]);
  });

  it('cannot be replayed (I-22)', () => {
    expect(() => dataOf({ path: 'config/x.yaml', data: undefined })).toThrow(
      'Cannot replay a past: "data" is missing',
    );
  });
});
