import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sluice } from './run-sluice.ts';

const project = mkdtempSync(join(tmpdir(), 'sluice-account-'));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

const STRATEGY = `import { defineStrategy, param } from '@sluice-trading/sluice';

const shares = (doc) => param.int({ min: -1000, max: 1000, default: 0, doc });
export default defineStrategy({
  name: 'by-number',
  doc: 'Buys, or sells below zero, so many shares on each of its first three bars',
  params: { one: shares('On bar 1'), two: shares('On bar 2'), three: shares('On bar 3') },
  state: { initial: {} },
  onBar: ({ symbol }, { params, state, orders }) => {
    const seen = state[symbol] ?? 0;
    const quantity = [params.one, params.two, params.three][seen] ?? 0;
    const order = quantity > 0 ? [orders.buy(symbol, quantity)] : quantity < 0 ? [orders.sell(symbol, -quantity)] : [];
    return { state: { ...state, [symbol]: seen + 1 }, orders: order };
  },
});
`;

/** Trading days of both markets. */
const DAYS = ['04', '05', '06', '07', '08', '11', '12', '13', '14', '15'].map((day) => `2024-03-${day}`);

/** A security whose every bar has one price. */
function flatBars(symbol: string, currency: string, prices: readonly number[]): void {
  const rows = DAYS.map((day, at) => `${day},${`${prices[at]},`.repeat(4)}1000000`);
  write(`data/${symbol}/1d.csv`, `timestamp,open,high,low,close,volume\n${rows.join('\n')}\n`);
  const facts = {
    symbol,
    names: { en: symbol, zhCn: symbol, zhHk: symbol },
    kind: 'stock',
    board: currency === 'USD' ? 'USMain' : 'HKEquity',
    currency,
    lotSize: currency === 'USD' ? 1 : 100,
    margin: { initial: '0.35', maintenance: '0.3', forced: '0.25' },
    tradable: true,
    origin: { kind: 'generated', seed: 1, method: 'one price a day' },
  };
  write(`data/${symbol}/security.json`, JSON.stringify(facts));
}

interface Asked {
  readonly symbols?: string;
  readonly params: string;
  readonly account?: string;
  readonly risk?: string;
  readonly simulation?: string;
}

const WIDE = 'maxOrderNotional: 1000000 USD, maxDailyLoss: 100%, maxDrawdown: 100%';
const OWN_MONEY = 'maxPositionWeight: 100%';
const CREDIT = 'useMargin: true, maxPositionWeight: 250%, maxGrossExposure: 250%, maxNetExposure: 250%';
let configs = 0;

function config({ symbols = 'FALL.US', params, account, risk = OWN_MONEY, simulation }: Asked): string {
  configs += 1;
  const path = `config/${configs}.yaml`;
  const lines = [
    'strategy: by-number',
    `symbols: [${symbols}]`,
    'period: 1d',
    `params: { ${params} }`,
    `account: ${account ?? '{ currency: USD, cash: { USD: 10000 } }'}`,
    'data: { from: 2024-03-04, to: 2024-03-15, dir: data }',
    `risk: { ${WIDE}, ${risk} }`,
    'execution: { orderType: MO }',
    ...(simulation === undefined ? [] : [`simulation: { ${simulation} }`]),
  ];
  write(path, `${lines.join('\n')}\n`);
  return path;
}

async function backtested(asked: Asked) {
  const { code, out, err } = await sluice(['backtest', config(asked), '--json'], { cwd: project });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

async function refused(asked: Asked): Promise<string> {
  const { code, out, err } = await sluice(['backtest', config(asked)], { cwd: project });
  expect({ code, out }).toEqual({ code: 3, out: '' });
  return err;
}

beforeAll(() => {
  write('package.json', '{ "name": "bot", "type": "module" }');
  write('strategies/by-number.js', STRATEGY);
  flatBars('FALL.US', 'USD', [100, 100, 90, 80, 70, 60, 50, 50, 50, 50]);
  flatBars(
    'NOTE.HK',
    'HKD',
    DAYS.map(() => 50),
  );
});
afterAll(() => rmSync(project, { recursive: true }));

describe('a margin account that loses value', () => {
  const bought = { params: 'one: 190', risk: CREDIT };

  it('is closed out at the tick at which equity is below the forced-liquidation factor, and the report shows it', async () => {
    const asked = { ...bought, simulation: 'marginCall: close-out' };
    const { trades, open, figures, assumptions } = await backtested(asked);
    // 190 x 70 x 0.25 = 3325 is below 4298.43; 190 x 60 x 0.25 = 2850 is above 2398.43.
    expect(open).toEqual([]);
    expect(trades).toMatchObject([
      { quantity: '190', entryPrice: '100', exitPrice: '60', closedAt: '2024-03-11T13:30:00.000Z' },
    ]);
    // Fees: 1.00 + 0.57 to buy; 1.00 + 0.57 + SEC 0.09 + TAF 0.03 to sell.
    expect([trades[0].fees, trades[0].profit]).toEqual(['3.26', '-7603.26']);
    // And 6 % a year on 9001.57 borrowed, for the six nights between the settlements of the two trades: 1.50 each.
    expect(figures.finalEquity).toBe(2387.74);
    expect(assumptions[0]).toBe(
      'CLOSED OUT by the venue on 2024-03-11: sold 190 of FALL.US at 60, because equity was below the forced-liquidation factors',
    );
    const page = await sluice(['report', config(asked), '--json'], { cwd: project });
    const { path } = JSON.parse(page.out);
    expect(readFileSync(join(project, path), 'utf8')).toContain('CLOSED OUT by the venue on 2024-03-11');
  });

  it('is only reported if the venue only warns', async () => {
    const reported = await backtested(bought);
    expect(reported.open).toMatchObject([{ quantity: '190' }]);
    expect(reported.assumptions[0]).toBe(
      'MARGIN CALL at 5 closes, the first on 2024-03-11: maintenance margin exceeded equity, and this venue only tells; a broker closes positions by force where equity lay at 5 closes, the first on 2024-03-11',
    );
  });

  it('is not mentioned if nothing was owed', async () => {
    const { assumptions } = await backtested({ params: 'one: 50' });
    expect(assumptions.join()).not.toMatch(/MARGIN CALL|CLOSED OUT/);
  });
});

describe('unsettled proceeds', () => {
  const again = { params: 'one: 95, two: -80, three: 60' };

  it('buy nothing under settledCashOnly, and the denial names the available cash', async () => {
    const { denials, flow, open } = await backtested({ ...again, simulation: 'settledCashOnly: true' });
    expect(denials).toEqual([
      {
        rule: 'buy-limit',
        count: 1,
        reason:
          'Wants 60 of "FALL.US", buy limit is 5 in cash (useMargin is false); of 7697.40 USD only 498.71 USD are settled and not reserved',
        firstAt: '2024-03-06T21:00:00.000Z',
      },
    ]);
    expect(flow).toMatchObject({ intents: 3, denied: 1, fills: 2 });
    expect(open).toMatchObject([{ quantity: '15' }]);
  });

  it('buy at once without it', async () => {
    const { denials, open } = await backtested(again);
    expect(denials).toEqual([]);
    expect(open).toMatchObject([{ quantity: '75' }]);
  });
});

describe('a short sale', () => {
  it('is denied unless the config allows it', async () => {
    const { denials } = await backtested({ params: 'one: -50' });
    expect(denials).toMatchObject([
      { rule: 'no-short', reason: 'Wants to sell 50 of "FALL.US", held and free is 0' },
    ]);
  });

  it('is denied if the venue lends no shares, whatever the config allows', async () => {
    const risk = `${OWN_MONEY}, allowShort: true`;
    const { denials } = await backtested({ params: 'one: -50', risk, simulation: 'shorting: false' });
    expect(denials[0].reason).toBe(
      'Wants to sell 50 of "FALL.US" with 0 held, the venue\'s limit is 0; does it let this account sell short?',
    );
  });

  it('earns the fall of the price, less fees, if it is allowed', async () => {
    const risk = `${OWN_MONEY}, allowShort: true`;
    const { open, figures } = await backtested({ params: 'one: -50', risk });
    expect(open).toMatchObject([{ direction: 'short', quantity: '50', averageCost: '100' }]);
    // 50 x (100 - 50) less 1.00 + 0.15 + SEC 0.04 + TAF 0.01, and 1 % a year on what is borrowed from the settlement on the 7th:
    // 0.11 at 80, three nights of 0.10 at 70, 0.08 at 60, three of 0.07 at 50.
    expect(figures.finalEquity).toBe(12_498.1);
  });
});

describe('cash in two currencies', () => {
  const both = { symbols: 'FALL.US, NOTE.HK', params: 'one: 50, two: 50', risk: OWN_MONEY };

  it('is one equity at the rate, and each currency pays for its own', async () => {
    const { figures, money } = await backtested({
      ...{ symbols: 'NOTE.HK', params: 'one: 100', risk: OWN_MONEY },
      account: '{ currency: USD, cash: { USD: 10000, HKD: 50000 }, fx: { USDHKD: 7.8 } }',
    });
    expect(figures.initialEquity).toBeCloseTo(10_000 + 50_000 / 7.8, 9);
    // Platform 15, stamp duty 5, trading fee 0.28, SFC 0.14, AFRC 0.01, CCASS 2.
    expect(money).toMatchObject([{ currency: 'HKD', fees: '22.43', turnover: '5000' }]);
    expect(figures.finalEquity).toBeCloseTo(10_000 + (50_000 - 22.43) / 7.8, 9);
  });

  it('is refused if one has no rate, with the pair to write', async () => {
    const account = '{ currency: USD, cash: { USD: 10000, HKD: 50000 } }';
    expect(await refused({ ...both, account })).toMatch(
      /^Cannot read account: "fx" has no rate between "USD" and "HKD" though there is cash in "HKD", want "USDHKD" \(what one USD is worth in HKD\)\n {2}at config\/\d+\.yaml:5:1 \(account\.fx\)\n/,
    );
  });

  it('is refused if a symbol trades in a currency that the account does not hold', async () => {
    const account = '{ currency: USD, cash: { USD: 10000 }, fx: { USDHKD: 7.8 } }';
    expect(await refused({ ...both, account })).toContain(
      '"cash" has no "HKD", want some, as "NOTE.HK" trades in it and nothing is exchanged by itself',
    );
  });
});
