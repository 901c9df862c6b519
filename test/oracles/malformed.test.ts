import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayVerdicts } from './replay-verdicts.ts';

const ORDER = { id: 1, bar: 0, side: 'buy', type: 'market', units: 1, status: 'filled' };
const FILL = { order: 1, bar: 1, side: 'buy', units: 1, price: 11, commission: 0 };

/** Buys one share at the open of the second day. */
const ORACLE = {
  id: 'one',
  ...{
    schema: 1,
    engine: { name: 'backtrader' },
    account: { cash: 100, commission: { kind: 'percent', rate: 0 } },
  },
  data: [{ code: 'A.US', file: 'A.US/1d.csv', rows: 2, from: '2024-03-04', to: '2024-03-06' }],
  ...{
    execution: {},
    orders: [ORDER],
    fills: [FILL],
    trades: [],
    open_trades: [{ code: 'A.US', side: 'long', units: 1 }],
  },
  ...{ result: { final_equity: 101 }, equity_csv: 'equity.csv' },
};

/** The second order cancels the first at the close at which both are sent; only the second fills. */
const RETRACTED = {
  ...ORACLE,
  engine: { name: 'backtesting.py' },
  account: { cash: 100, commission_rate: 0, exclusive_orders: true },
  orders: [
    { ...ORDER, type: 'limit', limit: 11.5, by: 'strategy', status: 'cancelled', ended_bar: 0 },
    { ...ORDER, id: 2, type: 'limit', limit: 11.25, by: 'strategy' },
  ],
  fills: [{ ...FILL, order: 2, trade: 1, action: 'open' }],
  open_trades: [{ side: 'long', units: 1 }],
};

/** Listed at the close at which it was sent, and filled there. */
const AT_CLOSE = { ...ORACLE, fills: [{ ...FILL, bar: 0, price: 10 }], equity_csv: 'close.csv' };

const HEAD = 'timestamp,open,high,low,close,volume';

const FILES: Readonly<Record<string, unknown>> = {
  'a-whole': ORACLE,
  'aa-close': { ...AT_CLOSE, result: { final_equity: 102 } },
  'ab-days': { ...ORACLE, data: [{ ...ORACLE.data[0], from: '2024-03-04', to: '2024-03-05' }] },
  'ac-parts': {
    ...ORACLE,
    orders: [{ ...ORDER, units: 2 }],
    fills: [FILL, { ...FILL, bar: 0 }],
  },
  'ad-slip': { ...ORACLE, account: { ...ORACLE.account, slippage: 0.01 }, fills: [] },
  'ae-oco': { ...ORACLE, orders: [{ ...ORDER, iceberg: 10 }], fills: [] },
  'af-none': [],
  'b-no-orders': { ...ORACLE, orders: undefined },
  'c-size': { ...ORACLE, orders: [{ ...ORDER, units: 'ten' }] },
  'd-late': { ...ORACLE, orders: [{ ...ORDER, bar: 7 }] },
  'e-parent': { ...ORACLE, orders: [{ ...ORDER, parent: 9 }] },
  'f-fill': { ...ORACLE, fills: [{ ...FILL, order: 4 }] },
  'g-type': { ...ORACLE, orders: [{ ...ORDER, type: 'iceberg' }] },
  'h-engine': { ...ORACLE, engine: { name: 'zipline' }, fills: [] },
  'ha-engine': { ...ORACLE, engine: { name: 'zipline' } },
  'hb-engine': {
    ...ORACLE,
    engine: { name: 'zipline' },
    orders: [{ ...ORDER, sl: 5 }],
    fills: [{ ...FILL, trade: 1, action: 'open' }],
  },
  'i-data': { ...ORACLE, data: [{ ...ORACLE.data[0], file: 'B.US/1d.csv' }] },
  'j-days': { ...ORACLE, data: [{ ...ORACLE.data[0], from: '2030' }] },
  'k-list': [null],
  'l-wrong': { ...ORACLE, fills: [{ ...FILL, price: 11.0000001 }] },
  'n-rate': { ...ORACLE, account: { cash: 100, commission: { kind: 'percent', rate: '1%' } } },
  'o-cash': { ...ORACLE, account: { ...ORACLE.account, cash: 1e300 } },
  'p-valid': { ...ORACLE, orders: [{ ...ORDER, type: 'limit', limit: 20, valid_until: 'tomorrow' }] },
  'q-trade': { ...ORACLE, orders: [{ ...ORDER, closes_trade: 3 }] },
  'r-figure': { ...ORACLE, result: { final_equity: 'rich' } },
  's-proto': { ...ORACLE, orders: [{ ...ORDER, type: 'constructor' }] },
  't-trail': { ...ORACLE, orders: [{ ...ORDER, type: 'stop_trail' }] },
  'u-other': { ...ORACLE, data: [{ ...ORACLE.data[0], sha256: '0'.repeat(64) }], fills: [] },
  'v-columns': { ...ORACLE, data: [{ ...ORACLE.data[0], file: 'C.US/1d.csv' }] },
  'w-blank': { ...ORACLE, data: [{ ...ORACLE.data[0], file: 'D.US/1d.csv' }] },
  'x-twice': { ...ORACLE, data: [{ ...ORACLE.data[0], file: 'E.US/1d.csv' }] },
  'z-retracted': RETRACTED,
  'y-lines': { ...ORACLE, engine: { name: 'Backtrader' }, equity_csv: 'lines.csv' },
};

describe('a folder of mostly invalid oracles', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-oracles-'));
    mkdirSync(join(folder, 'A.US'));
    const rows = ['2024-03-04T05:00:00Z,10,10,10,10,900', '2024-03-05T05:00:00Z,11,12,11,12,900'];
    writeFileSync(join(folder, 'A.US/1d.csv'), `${HEAD}\n${rows.join('\n')}\n`);
    const equity = rows.map((row, bar) => `${row.slice(0, 20)},${100 + bar}`);
    writeFileSync(join(folder, 'equity.csv'), `timestamp,equity\n${equity.join('\n')}\n`);
    const seconds = rows.map((row, bar) => `${Date.parse(row.slice(0, 20)) / 1000},${100 + 2 * bar}`);
    writeFileSync(join(folder, 'close.csv'), `timestamp,equity\n${seconds.join('\n')}\n`);
    for (const [id, content] of Object.entries(FILES))
      writeFileSync(join(folder, `${id}.json`), JSON.stringify(content));
    writeFileSync(join(folder, 'm-half.json'), '{"schema": 1,');
    writeFileSync(
      join(folder, 'z-python.json'),
      `\uFEFF${JSON.stringify(ORACLE).replace('101', '101, "sharpe_252": NaN')}`,
    );
    const broken = {
      C: 'at,open\n',
      D: `${HEAD}\n${rows[0]?.replace(',10', ',')}\n`,
      E: `${HEAD}\n${rows[0]}\n${rows[0]}\n`,
    };
    for (const [code, text] of Object.entries(broken)) {
      mkdirSync(join(folder, `${code}.US`));
      writeFileSync(join(folder, `${code}.US/1d.csv`), text);
    }
    const quoted = equity.map((line) =>
      line
        .split(',')
        .toReversed()
        .map((cell) => `"${cell}"`)
        .join(),
    );
    writeFileSync(join(folder, 'lines.csv'), gzipSync(`equity,timestamp\r\n\r\n${quoted.join('\r\n')}`));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is processed to its end, and each file reports what is wrong and where', () => {
    const reported = [...replayVerdicts(folder, folder)].map(
      ({ id, problem }) => `${id}: ${problem ?? 'passes'}`,
    );
    expect(reported.map((line) => line.replaceAll(folder, 'DIR').slice(0, 62))).toEqual([
      'a-whole: passes',
      'aa-close: passes',
      'ab-days: passes',
      'ac-parts: fill 1, units: want 1, got 2 (want bar 0, code A.US,',
      'ad-slip: fill 1: want none, got bar 1, code A.US, side buy, un',
      'ae-oco: fill 1: want none, got bar 1, code A.US, side buy, uni',
      'af-none: a list of no run',
      'b-no-orders: Cannot replay "b-no-orders.json": at orders: Inva',
      'c-size: Cannot replay "c-size.json": at orders.0.units: Invali',
      'd-late: Cannot replay "d-late.json": bar 7 is named, but there',
      'e-parent: Cannot replay "e-parent.json": order 1 is a child of',
      'f-fill: Cannot replay "f-fill.json": a fill of bar 1 is of ord',
      'g-type: Cannot send order 1: no order type "iceberg"',
      'h-engine: The rules of the engine "zipline" are unknown; by th',
      'ha-engine: passes',
      'hb-engine: passes',
      'i-data: Cannot read "DIR/B.US/1d.csv", which the oracle names:',
      'j-days: Cannot replay "one", its data has no row in its days',
      'k-list, entry 1: want a published run: "id", "published" and "',
      'l-wrong: fill 1, price: want 11.0000001, got 11 (want bar 1, c',
      'm-half: Cannot read "m-half.json" as JSON: Expected double-quo',
      'n-rate: Cannot replay "n-rate.json": at account.commission.rat',
      'o-cash: Cannot replay "o-cash.json": at account.cash: Too big:',
      'p-valid: Cannot replay "p-valid.json": at orders.0.valid_until',
      'q-trade: Cannot replay "q-trade.json": order 1 closes trade 3,',
      'r-figure: Cannot replay "r-figure.json": at result.final_equit',
      's-proto: Cannot send order 1: no order type "constructor"',
      't-trail: Cannot send order 1: a stop_trail order wants "trail_',
      'u-other: fill 1: want none, got bar 1, code A.US, side buy, un',
      'v-columns: Cannot read "DIR/C.US/1d.csv": no column "timestamp',
      'w-blank: Cannot use the bar of A.US at "2024-03-04T05:00:00Z":',
      'x-twice: Cannot use "E.US/1d.csv": its row of 2024-03-04T05:00',
      'y-lines: passes',
      'z-python: passes',
      'z-retracted: passes',
    ]);
  });

  it('lists what of an oracle is not replayed, once it differs', () => {
    const remark = (id: string): string | undefined =>
      [...replayVerdicts(folder, folder, id)][0]?.problem?.replace(/^.*\) \(/, '(');
    expect(remark('ac-parts')).toBe('(order 1 fills in several bars: here each fills whole in one)');
    expect(remark('ad-slip')).toMatch(/ \("slippage" of the account is nothing that we heed\)$/);
    expect(remark('ae-oco')).toMatch(/ \("iceberg" of order 1 is nothing that we heed\)$/);
    const other = [...replayVerdicts(folder, folder, 'u-other')];
    expect(other[0]?.problem).toMatch(
      / \("A.US\/1d.csv" is not the file that it was made from: another sha256\)$/,
    );
  });
});
