import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayVerdicts } from './replay-verdicts.ts';

const ROWS = [
  '2024-03-04T05:00:00Z,10,10,10,10,900',
  '2024-03-05T05:00:00Z,11,12,11,12,900',
  '2024-03-06T05:00:00Z,12,13,8,9,900',
];

const DATA = { code: 'A.US', file: 'A.US/1d.csv', rows: 3, from: '2024-03-04', to: '2024-03-06' };
const BUY = { id: 1, bar: 0, side: 'buy', type: 'market', units: 1, status: 'filled' };
const BOUGHT = {
  order: 1,
  trade: 1,
  action: 'open',
  bar: 1,
  side: 'buy',
  units: 1,
  price: 11,
  commission: 0,
};

/** Buys one share at the open of the second day. */
const ORACLE = {
  ...{ schema: 1, id: 'one', engine: { name: 'backtrader' }, data: [DATA], account: { cash: 100 } },
  ...{ execution: {}, orders: [BUY], fills: [BOUGHT], trades: [] },
  open_trades: [{ code: 'A.US', side: 'long', units: 1 }],
  result: { final_equity: 98 },
  equity_csv: '100-101-98.csv',
};

/** The order that closes the position, sent after the last bar and filled at its open. */
const CLOSE = { ...BUY, id: 2, bar: 2, side: 'sell', closes_trade: 1, by: 'engine' };
const CLOSED = { ...BOUGHT, order: 2, action: 'close', bar: 2, side: 'sell', price: 12 };
const TRADE = {
  ...{ side: 'long', units: 1, entry_bar: 1, exit_bar: 2, entry_price: 11, exit_price: 12 },
  ...{ gross_pnl: 1, commission: 0, net_pnl: 1 },
};
const FINALIZED = {
  ...ORACLE,
  engine: { name: 'backtesting.py' },
  account: { cash: 100, finalize_trades: true },
  orders: [BUY, CLOSE],
  fills: [BOUGHT, CLOSED],
  trades: [TRADE],
  open_trades: [],
  result: { final_equity: 101, closed_trades: 1 },
  equity_csv: '100-101-101.csv',
};

/** A trail of half the price, but with a start at 11.5. */
const TRAIL = {
  ...ORACLE,
  orders: [{ ...BUY, side: 'sell', type: 'stop_trail', trail_percent: 0.5, stop: 11.5 }],
  fills: [{ ...BOUGHT, side: 'sell' }],
  open_trades: [{ code: 'A.US', side: 'short', units: 1 }],
  result: { final_equity: 102 },
  equity_csv: '100-99-102.csv',
};

/** Listed in the bar before whose open they were sent, and from whose open on they fill. */
const BEFORE_OPEN = {
  ...ORACLE,
  orders: [
    { ...BUY, bar: 1 },
    { ...BUY, id: 2, bar: 1, type: 'limit', limit: 10, status: 'cancelled', ended_bar: 2 },
  ],
};
const LIMIT_BEFORE_OPEN = {
  ...ORACLE,
  orders: [{ ...BUY, bar: 1, type: 'limit', limit: 11 }],
};

/** Works through the second day and not on the third, which would fill it. */
const VALID = {
  ...ORACLE,
  orders: [
    {
      ...BUY,
      type: 'limit',
      limit: 10.5,
      valid_until: '2024-03-06T04:59:00',
      status: 'expired',
      ended_bar: 2,
    },
  ],
  ...{ fills: [], open_trades: [], result: { final_equity: 100 }, equity_csv: '100-100-100.csv' },
};

/** Half of the cash, sold short by a negative share. */
const SIGNED = {
  ...ORACLE,
  engine: { name: 'backtesting.py' },
  orders: [{ ...BUY, side: 'sell', units: null, size: null, size_fraction: -0.5 }],
  fills: [{ ...BOUGHT, side: 'sell', units: 4 }],
  open_trades: [{ side: 'short', units: 4 }],
  result: { final_equity: 108 },
  equity_csv: '100-96-108.csv',
};

/** An unknown program that fills at the deciding close and charges 1 per share. */
const AT_ITS_CLOSE = {
  ...ORACLE,
  engine: { name: 'abacus' },
  account: { cash: 100, commission: { kind: 'per_share', per_share: 1 } },
  orders: [BUY, { ...BUY, id: 2, bar: 2, side: 'sell' }],
  fills: [
    { ...BOUGHT, bar: 0, price: 10, commission: 1 },
    { ...BOUGHT, order: 2, bar: 2, side: 'sell', price: 9, commission: 1 },
  ],
  trades: [
    { ...TRADE, entry_bar: 0, entry_price: 10, exit_price: 9, gross_pnl: -1, commission: 2, net_pnl: -3 },
  ],
  ...{ open_trades: [], result: { final_equity: 97 }, equity_csv: '99-101-97.csv' },
};
/** The same at the next close, with more money than the account has. */
const AT_THE_NEXT = {
  ...ORACLE,
  engine: { name: 'abacus' },
  account: { cash: 10 },
  fills: [{ ...BOUGHT, price: 12 }],
  ...{ result: { final_equity: 7 }, equity_csv: '10-10-7.csv' },
};

/** A position of doubles: 0.1 + 0.2 of them are closed by 0.30000000000000004. */
const DUST = {
  ...ORACLE,
  orders: [
    { ...BUY, units: 0.1 },
    { ...BUY, id: 2, units: 0.2 },
    { ...BUY, id: 3, bar: 1, side: 'sell', units: 0.1 + 0.2 },
  ],
  fills: [
    { ...BOUGHT, units: 0.1 },
    { ...BOUGHT, order: 2, units: 0.2 },
    { ...BOUGHT, order: 3, bar: 2, side: 'sell', units: 0.1 + 0.2, price: 12 },
  ],
  trades: [{ ...TRADE, units: 0.1 + 0.2, gross_pnl: 0.1 + 0.2, net_pnl: 0.1 + 0.2 }],
  ...{ open_trades: [], result: { final_equity: 100.3 }, equity_csv: '100-100.3-100.3.csv' },
};

const NULLS = {
  ...{ commission: null, commission_rate: null, spread_rate: null },
  ...{ hedging: null, trade_on_close: null, margin: null },
};

const FILES: Readonly<Record<string, unknown>> = {
  finalized: FINALIZED,
  'finalized-by-strategy': { ...FINALIZED, orders: [BUY, { ...CLOSE, by: 'strategy' }] },
  nulls: { ...ORACLE, account: { cash: 100, ...NULLS } },
  dust: DUST,
  signed: SIGNED,
  trail: TRAIL,
  valid: VALID,
  'at-its-close': AT_ITS_CLOSE,
  'at-the-next': AT_THE_NEXT,
  'at-neither': { ...AT_THE_NEXT, fills: [{ ...BOUGHT, price: 12.5 }] },
  'before-open': BEFORE_OPEN,
  'before-open-limit': LIMIT_BEFORE_OPEN,
  'a-first': { ...BEFORE_OPEN, orders: [...BEFORE_OPEN.orders, { ...BUY, id: 3, side: 'sell', bar: 0 }] },
  'a-fixed': {
    ...ORACLE,
    account: { cash: 100, commission: { kind: 'percent', rate: 0, fixed: 5 } },
    fills: [],
  },
  'a-figure': { ...FINALIZED, trades: [{ ...TRADE, net_pnl: undefined }] },
  'a-side': { ...ORACLE, open_trades: [{ code: 'A.US', units: 1 }] },
  'a-unchecked': { ...ORACLE, account: { cash: 100, checksubmit: false }, fills: [] },
};

describe('a folder of oracles', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-replays-'));
    mkdirSync(join(folder, 'A.US'));
    writeFileSync(join(folder, 'A.US/1d.csv'), `timestamp,open,high,low,close,volume\n${ROWS.join('\n')}\n`);
    for (const curve of [
      '100-101-98',
      '100-101-101',
      '100-99-102',
      '100-100-100',
      '100-96-108',
      '99-101-97',
      '10-10-7',
      '100-100.3-100.3',
    ]) {
      const equity = curve.split('-').map((value, bar) => `${ROWS[bar]?.slice(0, 20)},${value}`);
      writeFileSync(join(folder, `${curve}.csv`), `timestamp,equity\n${equity.join('\n')}\n`);
    }
    for (const [id, content] of Object.entries(FILES))
      writeFileSync(join(folder, `${id}.json`), JSON.stringify(content));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const problem = (id: string): string | undefined => [...replayVerdicts(folder, folder, id)][0]?.problem;

  it('replays trades that were closed once the last bar was over, by the engine or the strategy', () => {
    expect(problem('finalized')).toBeUndefined();
    expect(problem('finalized-by-strategy')).toBeUndefined();
  });

  it('replays a trailing stop with a given start', () => {
    expect(problem('trail')).toBeUndefined();
  });

  it('treats orders that fill from the open of their bar on as sent before it', () => {
    expect(problem('before-open')).toBeUndefined();
    expect(problem('before-open-limit')).toBeUndefined();
    expect(problem('a-first')).toBe(
      'Cannot replay "one", order 3 was sent before the open of the first bar, which nothing here can be',
    );
  });

  it('replays unknown programs by the nearest of likely rules', () => {
    expect(problem('at-its-close')).toBeUndefined();
    expect(problem('at-the-next')).toBeUndefined();
    expect(problem('at-neither')).toMatch(
      /"abacus" are unknown; by those of deals at the next close, the nearest, fill 1, price: want 12.5, got 12 /,
    );
  });

  it('ignores the remainder of doubles in a closed position', () => {
    expect(problem('dust')).toBeUndefined();
  });

  it('accepts a share with the sign of its side', () => {
    expect(problem('signed')).toBeUndefined();
  });

  it('treats null in an account as missing', () => {
    expect(problem('nulls')).toBeUndefined();
  });

  it('names a missing figure of a trade, and a missing side', () => {
    expect(problem('a-figure')).toMatch(/^Cannot replay "a-figure.json": at trades.0.net_pnl: /);
    expect(problem('a-side')).toMatch(/^Cannot replay "a-side.json": at open_trades.0.side: /);
  });

  it('names a rule that is switched off, or hidden in the commission, as ignored', () => {
    expect(problem('a-unchecked')).toMatch(/ \("checksubmit" of the account is nothing that we heed\)$/);
    expect(problem('a-fixed')).toMatch(/ \("fixed" of the commission is nothing that we heed\)$/);
  });

  it('is replayed equally in every time zone, to its end, with a code that shows whether all passed', () => {
    const run = spawnSync(
      process.execPath,
      [join(import.meta.dirname, 'run.ts'), '--oracles', folder, '--data', folder],
      { encoding: 'utf8', env: { ...process.env, TZ: 'America/New_York' } },
    );
    const verdicts = run.stdout.split('\n').map((line) => line.replace(/:.*/, ''));
    expect(verdicts.slice(0, -2)).toEqual([
      ...['FAIL a-figure', 'FAIL a-first', 'FAIL a-fixed', 'FAIL a-side', 'FAIL a-unchecked'],
      ...[
        'PASS at-its-close',
        'FAIL at-neither',
        'PASS at-the-next',
        'PASS before-open-limit',
        'PASS before-open',
        'PASS dust',
        'PASS finalized-by-strategy',
        'PASS finalized',
        'PASS nulls',
        'PASS signed',
        'PASS trail',
        'PASS valid',
      ],
    ]);
    expect(verdicts.at(-2)).toBe('11 passed, 6 failed');
    expect(run.status).toBe(1);
  });

  it('is ended without a message when the reader of its output closes it', () => {
    const command = `"${process.execPath}" "${join(import.meta.dirname, 'run.ts')}" --oracles . --data . | true`;
    const { stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8', cwd: folder });
    expect(stderr).toBe('');
  });
});
