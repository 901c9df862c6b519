import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, problemsText, problemText } from '../../src/config/config-error.ts';
import { readBotConfig } from '../../src/config/read-config.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { defaultLimits } from '../../src/risk/limits.ts';
import { DEFAULT_RULES } from '../../src/simulation/rules.ts';
import { LINES, lookups, onlyText, problemsOf, readText, readWith } from './reading.ts';

describe('readBotConfig', () => {
  it('reads the shortest config and fills in strict defaults', () => {
    expect(readWith({})).toEqual({
      kind: 'ok',
      config: {
        path: 'config/x.yaml',
        isolation: 'process',
        mode: 'paper',
        strategy: 'sma-cross',
        symbols: ['SPX.US'],
        ...{ period: '1d', sessions: 'regular' },
        params: { fast: 10, slow: 30, weight: 0.5 },
        account: { currency: 'USD', cash: { USD: new Decimal(100_000) }, fx: {} },
        data: { from: '2024-01-02', to: '2024-06-28', dir: 'backtest-data' },
        risk: defaultLimits('USD'),
        execution: { orderType: 'MO', offsetTicks: 0, cancelAfterMs: undefined, whenStrategyFails: 'cancel' },
        paper: { kind: 'stepped' },
        charges: 'standard',
        schedule: {},
        simulation: { rules: DEFAULT_RULES, written: '{}' },
        rules: [],
        notify: [],
        members: [],
      },
      warnings: [expect.objectContaining({ path: 'params.weight' })],
    });
  });

  it.each([
    ['{}', 'broker.account'],
    ['{ account: "../x" }', 'broker.account'],
    ['{ account: paper, http: "ftp://x" }', 'broker.http'],
    ['{ account: paper, quoteWs: "http://x" }', 'broker.quoteWs'],
    ['{ account: paper, http: "https://" }', 'broker.http'],
    ['{ account: paper, http: "https://[::1" }', 'broker.http'],
    ['{ account: paper, http: "https://me:secret@broker.example" }', 'broker.http'],
    ['{ account: paper, http: "https://broker.example:99999" }', 'broker.http'],
    ['{ account: paper, profile: real }', 'broker.profile'],
    ['{ account: paper, secret: x }', 'broker.secret'],
  ])('refuses the broker %s at %s', (written, path) => {
    expect(problemsOf(readWith({ broker: `broker: ${written}` })).map((problem) => problem.path)).toEqual([
      path,
    ]);
  });

  it('needs no data if the market of paper is upstream, and needs cash nevertheless', () => {
    const upstream = 'paper: { market: upstream }';
    const reading = readWith({ symbols: 'symbols: [NVDA.US]', data: '', paper: upstream });
    expect(reading).toMatchObject({ kind: 'ok', config: { paper: { kind: 'upstream' }, data: undefined } });
    const poor = problemsOf(readWith({ data: '', paper: upstream, account: 'account: { currency: USD }' }));
    expect(poor.map((problem) => problem.path)).toEqual(['account.cash']);
  });

  it.each([
    ['{ market: upstream, clock: scaled }', 'paper.clock'],
    ['{ market: upstream, speed: 2 }', 'paper.speed'],
    ['{ market: elsewhere }', 'paper.market'],
  ])('refuses paper %s at %s', (written, path) => {
    expect(problemsOf(readWith({ paper: `paper: ${written}` })).map((problem) => problem.path)).toEqual([
      path,
    ]);
  });

  it.each([
    ['corporateActions: true', ['corporateActions'], 'events.csv'],
    [
      'corporateActions: true, dividendTax: { US: 30% }',
      ['corporateActions', 'dividendTax'],
      'events.csv is read in a replay of "data" alone',
    ],
    ['quotes: true', ['quotes'], 'quotes.csv'],
    ['corporateActions: false, quotes: false', [], ''],
  ])(
    'refuses { %s } if the market of paper is upstream, and warns if a backtest uses it',
    (written, keys, text) => {
      const changes = { paper: 'paper: { market: upstream }', simulation: `simulation: { ${written} }` };
      const paths = keys.map((key) => `simulation.${key}`);
      const refused = readWith({ symbols: 'symbols: [NVDA.US]', data: '', ...changes });
      const problems = refused.kind === 'problems' ? refused.problems : [];
      expect(problems.map(({ path }) => path)).toEqual(paths);
      expect(problems.map(({ message }) => message).join('\n')).toContain(text);
      const warned = readWith(changes);
      const warnings = warned.kind === 'ok' ? warned.warnings : warned.problems;
      expect(warnings.map(({ path }) => path).filter((path) => path !== 'params.weight')).toEqual(paths);
    },
  );

  it('refuses an upstream market together with an account at a broker', () => {
    const both = { paper: 'paper: { market: upstream }', broker: 'broker: { account: paper }' };
    expect(problemsOf(readWith(both))).toMatchObject([{ path: 'paper.market', code: 'conflict' }]);
  });

  it('assumes that a broker offers no request key unless the config declares one', () => {
    const read = (written: string) => readWith({ broker: `broker: { account: paper${written} }` });
    expect(read('')).toMatchObject({ config: { broker: { requestKey: false } } });
    expect(read(', requestKey: true')).toMatchObject({ config: { broker: { requestKey: true } } });
    expect(problemsOf(read(', requestKey: probe')).map((problem) => problem.path)).toEqual([
      'broker.requestKey',
    ]);
  });

  it('reads a config with every key and unit', () => {
    const reading = readWith({
      symbols: 'symbols: [SPX.US, 700.HK]',
      params: 'params: { fast: 5, weight: 12.5% }',
      account: 'account: { currency: HKD, cash: { USD: 0.1, HKD: 500000 }, fx: { USDHKD: 7.80 } }',
      data: 'data: { from: 2024-01-02, to: 2024-01-02, dir: my-data }',
      risk: 'risk: { maxOrderNotional: 50000.50 HKD, maxPositionWeight: 30%, maxOpenOrders: 3, priceCollar: 0.5%, useMargin: true }',
      execution: 'execution: { orderType: LO, offset: 1 tick, cancelAfter: 30s }',
      paper: 'paper: { clock: scaled, speed: 60 }',
      charges: 'charges: none',
      broker:
        'broker: { profile: longbridge, account: paper-2, http: "http://127.0.0.1:7070", tradeWs: "wss://broker.example/trade" }',
    });
    expect(reading).toMatchObject({
      kind: 'ok',
      config: {
        symbols: ['SPX.US', '700.HK'],
        params: { fast: 5, slow: 30, weight: 0.125 },
        account: {
          currency: 'HKD',
          cash: { USD: new Decimal('0.1'), HKD: new Decimal(500_000) },
          fx: { USDHKD: new Decimal('7.8') },
        },
        data: { dir: 'my-data' },
        risk: {
          maxOrderNotional: { amount: new Decimal('50000.5'), currency: 'HKD' },
          maxPositionWeight: new Decimal('0.3'),
          maxOpenOrders: 3,
          priceCollar: new Decimal('0.005'),
          useMargin: true,
        },
        execution: { orderType: 'LO', offsetTicks: 1, cancelAfterMs: 30_000 },
        paper: { kind: 'scaled', speed: 60 },
        charges: 'none',
        broker: {
          profile: 'longbridge',
          account: 'paper-2',
          http: 'http://127.0.0.1:7070',
          quoteWs: undefined,
          tradeWs: 'wss://broker.example/trade',
          admin: undefined,
        },
      },
    });
  });

  it('reports the position of a misspelt limit and the nearest name (F-F02, I-22)', () => {
    const reading = readText(`strategy: sma-cross
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2024-01-02, to: 2024-06-28 }
risk:
  maxPositionWeight: 30%
  maxNotinal: 50000 USD
`);
    expect(onlyText(reading)).toBe(
      'Cannot read risk limits: "maxNotinal" is not a known limit, did you mean "maxOrderNotional"?\n' +
        '  at config/x.yaml:8:3 (risk.maxNotinal)',
    );
    expect(problemsOf(reading)[0]).toMatchObject({
      code: 'unknown-key',
      value: 'maxNotinal',
      nearest: 'maxOrderNotional',
      line: 8,
      column: 3,
    });
  });

  it.each([
    [{ symbols: 'symbols: [SPX]' }, 'want a symbol such as "700.HK", did you mean "SPX.US"?'],
    [{ symbols: 'symbols: [700]' }, 'did you mean "700.HK"?'],
    [
      { symbols: 'symbols:\n- SPX.US\n   - AAPL.US' },
      'is this two list entries? Indent the second "-" like the first',
    ],
    [{ data: 'data: { from: 02.01.2003, to: 2024-06-28 }' }, 'write 2003-01-02'],
    [{ data: 'data: { from: 2003/1/2, to: 2024-06-28 }' }, 'write 2003-01-02'],
    [{ data: 'data: { from: 01/02/2003, to: 2024-06-28 }' }, 'write 2003-02-01 or 2003-01-02'],
    [{ data: 'data: { from: 31/12/2003, to: 2024-06-28 }' }, 'write 2003-12-31'],
    [{ params: 'params: { fast: "20" }' }, 'want a whole number from 2 to 200: remove the quotes around 20'],
    [{ execution: 'execution: { orderType: TSMPCT }' }, 'TSMPCT was removed on 2024-04-29, TSLPPCT trails'],
  ])('reports what to write instead: %j', (changes, hint) => {
    expect(problemsOf(readWith(changes))[0]?.message).toContain(hint);
  });

  it('reports a misspelt required key once, and not also as missing', () => {
    const reading = readWith({ period: 'peroid: 1d' });
    expect(onlyText(reading)).toBe(
      'Cannot read config: "peroid" is not a known setting, did you mean "period"?\n  at config/x.yaml:3:1 (peroid)',
    );
  });

  it.each([
    ['[0700.HK]', '"symbols[0]" is "0700.HK", want a symbol such as "700.HK", did you mean "700.HK"?'],
    ['[]', '"symbols" is an empty list, want a list of 1 to 500 symbols'],
    ['[S\u0420X.US]', 'want a symbol such as "700.HK"; it has the character U+0420, which is not ASCII'],
  ])('explains what is wrong with the symbols %s', (symbols, message) => {
    expect(onlyText(readWith({ symbols: `symbols: ${symbols}` }))).toContain(message);
  });

  it('reports a data folder that cannot be listed where it is named, and no symbol without data', () => {
    const text = Object.values({ ...LINES, data: LINES.data.replace(' }', ', dir: nowhere }') }).join('\n');
    const securities = () => ({ symbols: [], find: () => undefined, problem: 'there is no such folder' });
    expect(onlyText(readBotConfig({ path: 'config/x.yaml', text }, { ...lookups, securities }))).toBe(
      'Cannot read data range: "dir" is "nowhere", want a folder with one folder per symbol: there is no such folder\n  at config/x.yaml:5:48 (data.dir)',
    );
  });

  it('finds all mistakes at once, in the order of the file', () => {
    const reading = readText(`strategy: sma-corss
symbl: x
symbols: [SPY.US, 700, SPX.US, SPX.US, HSI.HK]
period: 1D
params: { fast: 1 }
account: { currency: USD, cash: { usd: 5, HKD: -3 }, fx: { USDUSD: 1 } }
data: { from: 2020-01-01, to: 2019-02-30 }
risk: { maxOrderNotional: 50000, maxPositionWeight: 0.3, maxOpenOrders: 0, useMargin: yes }
execution: { orderType: MK, offset: 1, cancelAfter: 30 }
paper: { clock: scaled }
charges: nnoe
`);
    const problems = problemsOf(reading);
    expect(problems.map((problem) => `${problem.line}:${problem.column} ${problem.path}`)).toEqual([
      '1:11 strategy',
      '2:1 symbl',
      '3:11 symbols[0]',
      '3:19 symbols[1]',
      '3:32 symbols[3]',
      '3:40 symbols[4]',
      '4:9 period',
      '6:35 account.cash.usd',
      '6:48 account.cash.HKD',
      '6:60 account.fx.USDUSD',
      '7:31 data.to',
      '8:27 risk.maxOrderNotional',
      '8:53 risk.maxPositionWeight',
      '8:73 risk.maxOpenOrders',
      '8:87 risk.useMargin',
      '9:25 execution.orderType',
      '9:37 execution.offset',
      '9:53 execution.cancelAfter',
      '10:1 paper.speed',
      '11:10 charges',
    ]);
    expect(
      problems.filter((problem) => problem.nearest !== undefined).map((problem) => problem.nearest),
    ).toEqual(['sma-cross', 'symbols', 'SPX.US', '1d', 'MO', 'none']);
  });

  it('names each section that is missing', () => {
    const problems = problemsOf(readText('strategy: sma-cross\n'));
    expect(problems.map((problem) => `${problem.code} ${problem.path}`)).toEqual([
      'missing symbols',
      'missing period',
      'missing account',
      'missing data',
    ]);
  });

  it.each([
    ['maxOrderNotional: 20000', /a positive amount with its currency, such as "20000 USD"/],
    ['maxOrderNotional: 0 USD', /a positive amount/],
    ['maxOrderNotional: -5 USD', /a positive amount/],
    ['maxOrderNotional: 1e9 USD', /a positive amount/],
    ['maxOrderNotional: "1,000 USD"', /a positive amount/],
    ['maxOrderNotional: Infinity USD', /a positive amount/],
    ['maxOrderNotional:', /is empty, want a positive amount/],
    ['maxOrderNotional: 20000 HKD', /in the account's currency "USD"/],
    ['maxPositionWeight: 30', /a percentage above 0%/],
    ['maxPositionWeight: 0%', /a percentage above 0%/],
    ['maxPositionWeight: 500.01%', /up to 500%/],
    ['maxOpenOrders: 0', /a whole number from 1 to 1000/],
    ['maxOpenOrders: 1001', /a whole number from 1 to 1000/],
    ['maxOpenOrders: 2.5', /a whole number/],
    ['maxOpenOrders: many', /a whole number/],
    ['maxOpenOrders: 1e9', /a plain decimal number/],
    ['priceCollar: 51%', /up to 50%/],
    ['useMargin: "true"', /want true or false/],
  ])('never reads the limit %s as something else', (limit, wanted) => {
    const reading = readWith({ risk: `risk:\n  ${limit}` });
    expect(onlyText(reading)).toMatch(wanted);
  });

  it('accepts limits exactly at their bounds', () => {
    const risk = 'risk: { maxPositionWeight: 100%, maxOpenOrders: 1000, priceCollar: 50% }';
    expect(readWith({ risk }).kind).toBe('ok');
  });

  it('accepts 500 symbols and refuses 501', () => {
    const many = (count: number) =>
      readWith({ symbols: `symbols: [${Array(count).fill('SPX.US').join(', ')}]` });
    const tooMany = (count: number) =>
      problemsOf(many(count)).filter((problem) => problem.path === 'symbols');
    expect(tooMany(500)).toEqual([]);
    expect(tooMany(501)[0]?.message).toMatch(/a list of 1 to 500 symbols/);
    expect(onlyText(readWith({ symbols: 'symbols: []' }))).toMatch(/a list of 1 to 500 symbols/);
  });

  it.each([
    ['period', 'period: 7m', /want one of 1m, 2m/],
    ['symbols', 'symbols: [spx.us]', /a symbol such as "700.HK"/],
    ['symbols', 'symbols: SPX.US', /a list of 1 to 500 symbols/],
    ['account', 'account: USD', /a map with "currency" and "cash"/],
    ['account', 'account: { currency: USD, cash: {} }', /a map of currencies to amounts/],
    ['account', 'account: { currency: USD, cash: { USD: "100" } }', /an amount of 0 or more/],
    ['params', 'params: { fast: [1] }', /"fast" is a list, want a number, a text/],
    ['params', 'params: 5', /a map of parameters/],
    ['execution', 'execution: { cancelAfter: 0s }', /a length of time/],
    ['execution', 'execution: { orderType: LO, offset: 101 ticks }', /0 to 100/],
    ['execution', 'execution: { offset: 1 tick }', /no "offset" unless "orderType" is "LO"/],
    ['paper', 'paper: { speed: 60 }', /no "speed" unless/],
    ['paper', 'paper: { clock: scaled, speed: 0 }', /a number above 0/],
    ['data', 'data: { from: 2024-01-03, to: 2024-01-02 }', /a day on or after "2024-01-03"/],
    ['data', 'data: { from: 2023-02-29, to: 2024-01-02 }', /a day that exists/],
  ])('reports what it expects of %s', (section, line, wanted) => {
    expect(onlyText(readWith({ [section]: line }))).toMatch(wanted);
  });

  it('prints no escape character from a config', () => {
    const text = problemsText(
      problemsOf(readWith({ bad: '"\\e[2J\\u202e": 1', charges: 'charges: "\\e]0;x\\a"' })),
    );
    expect(text).toContain('\\u001b[2J');
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });

  it('never throws, whatever a section contains', () => {
    const anything = fc.json({ maxDepth: 3 });
    const section = fc.constantFrom(
      'strategy',
      'symbols',
      'period',
      'account',
      'data',
      'risk',
      'execution',
      'paper',
    );
    fc.assert(
      fc.property(section, anything, (name, json) => {
        for (const problem of problemsOf(readWith({ [name]: `${name}: ${json}` }))) {
          expect(problemText(problem)).toMatch(/ at config\/x\.yaml:\d+:\d+/);
        }
      }),
    );
  });
});

describe('ConfigError', () => {
  it('prints at most 50 problems and counts the rest', () => {
    const keys = Array.from({ length: 51 }, (_, index) => `zz${index}: 1`).join('\n');
    const problems = problemsOf(readWith({ keys }));
    const error = new ConfigError(problems);
    expect(error.problems).toHaveLength(51);
    expect(error.message.match(/ at config/g)).toHaveLength(50);
    expect(error.message).toMatch(/and 1 more problems$/);
    expect(error.code).toBe('config');
  });
});
