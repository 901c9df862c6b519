import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { BotFollower } from '#src/dashboard/bot-follower.ts';
import type { JournalReader, ListedBot } from '#src/dashboard/bot-source.ts';
import { createFold } from '#src/events/fold.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { tailSqliteJournal } from '#src/journal/tail.ts';
import { algorithmId } from '#src/model/algorithm.ts';
import { decimal } from '#src/model/decimal.ts';
import { millis } from '#src/model/time.ts';
import { statusOf } from '#src/reports/status.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf, TWO_DOLLARS } from '../fixtures/backtest.ts';
import { acked, intentOf, termsOf } from '../fixtures/orders.ts';
import { bars, FOUR_DAYS } from '../simulation/world.ts';

/** Buys 100 at the open of the second day, and 50 more at each later open. */
const buyer = defineStrategy({
  name: 'buyer',
  params: {},
  onBar: ({ symbol }, { position, orders }) => orders.buy(symbol, position(symbol).quantity === 0 ? 100 : 50),
});

const BOT: ListedBot = {
  name: 'buyer-1',
  state: 'ended',
  strategy: 'buyer',
  config: 'by-hand.yaml',
  mode: 'paper',
  origin: 'generated',
  since: '2024-03-04T00:00:00Z',
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-follower-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function follow(name: string, cash: Readonly<Record<string, string>>) {
  const path = join(folder, `${name}.db`);
  const journal = openSqliteJournal(path);
  const amounts = Object.fromEntries(Object.entries(cash).map(([currency, sum]) => [currency, decimal(sum)]));
  const setup = setupOf(buyer, [bars('AAPL.US', '1d', FOUR_DAYS)], { charges: TWO_DOLLARS, cash: amounts });
  runBacktest(setup, { journal });
  journal.close();
  const follower = new BotFollower(() => tailSqliteJournal(path), { pause: () => Promise.resolve() });
  await follower.read();
  const snapshot = follower.snapshot(BOT, undefined);
  const past = {
    wanted: await follower.asOf(BOT, 1, () => true),
    left: await follower.asOf(BOT, 1, () => false),
  };
  follower.close();
  return { ...snapshot, past };
}

describe('a followed journal', () => {
  it("has equity at each fill: cash and positions at the prices of the bot's fills", async () => {
    const { equity, equityAt, zone, origin, equityCurve, fills } = await follow('falls', { USD: '10000' });
    expect(fills.map(({ quantity, price }) => `${quantity} at ${price}`)).toEqual([
      '50 at 9',
      '50 at 8',
      '100 at 10',
    ]);
    // 10,000, less 2 per fill; 100 shares that fall from 10 to 8, then 150 that rise to 9.
    expect(equityCurve.map(([, equity]) => equity)).toEqual([10_000, 9_998, 9_796, 9_944]);
    // A bot that ended has the newest equity, with its instant in the exchange's time.
    expect([equity, equityAt, zone, origin]).toEqual([9_944, fills[0]?.at, 'America/New_York', 'generated']);
  });

  it('is read up to a record for a page that still waits, and for no other', async () => {
    const { past } = await follow('past', { USD: '10000' });
    expect([past.wanted?.flow.records, past.wanted?.fills.length]).toEqual([1, 0]);
    expect(past.left).toBeUndefined();
  });

  it('stays marked as damaged once a record was changed, including the first one', async () => {
    const path = join(folder, 'changed.db');
    const journal = openSqliteJournal(path);
    runBacktest(setupOf(buyer, [bars('AAPL.US', '1d', FOUR_DAYS)], { cash: { USD: decimal('10000') } }), {
      journal,
    });
    journal.close();
    const database = new DatabaseSync(path);
    database.exec("UPDATE records SET chain = '0' || substr(chain, 2), body = body || ' ' WHERE seq = 1");
    database.close();
    const follower = new BotFollower(() => tailSqliteJournal(path), { pause: () => Promise.resolve() });
    for (const _time of [1, 2, 3]) {
      await follower.read();
      expect(follower.snapshot(BOT, undefined)).toMatchObject({
        fault: expect.stringContaining('damaged at record 1'),
        flow: { records: 0 },
      });
    }
    follower.close();
  });

  /** A journal of 12,500 records, each with its number as equity and as second. */
  function longJournal(): BotFollower {
    const records = 12_500;
    let next = 0;
    const reader: JournalReader = {
      next(max) {
        const count = Math.min(max, records - next);
        next += count;
        return Array.from({ length: count }, (_, at) => {
          const seq = next - count + at + 1;
          return {
            seq,
            event: {
              ...{ kind: 'gate-moved', state: 'active', by: 'operator', rule: 'cli', reason: 'again' },
              ...{ at: millis(seq * 1_000), equity: decimal(String(seq)) },
            },
          };
        });
      },
      newest: () => records,
      isReplaced: () => false,
      after: () => [],
      at: () => [],
      fromStart: () => [],
      close: () => undefined,
    };
    return new BotFollower(() => reader, { pause: () => setImmediate() });
  }

  it('reports the progress of reading a long journal, and continues without a page that waits', async () => {
    const follower = longJournal();
    await follower.readSome();
    expect(follower.snapshot(BOT, undefined)).toMatchObject({ seq: 10_000, unread: 2_500 });
    await follower.read();
    expect(follower.snapshot(BOT, undefined)).toMatchObject({ seq: 12_500, unread: 0 });
  });

  it('has the equity of every part of a long journal, although the bot reports its own while it is read', async () => {
    const follower = longJournal();
    const liveAt = (second: number) =>
      follower.updateLive({
        ...statusOf(createFold().state, millis(second * 1_000), []),
        ...{ mode: 'paper', config: BOT.config, strategy: BOT.strategy, pid: 1, currency: 'USD' },
        ...{ marketTime: new Date(second * 1_000).toISOString(), equity: 7, limits: [], quoteAgesMs: {} },
      });
    await follower.readSome();
    liveAt(20_000);
    expect(follower.snapshot(BOT, undefined).equityCurve.at(-1)).toEqual([10_000_000, 10_000]);
    await follower.read();
    liveAt(20_001);
    const { equityCurve } = follower.snapshot(BOT, undefined);
    expect(equityCurve.slice(-4)).toEqual([
      [12_499_000, 12_499],
      [12_500_000, 12_500],
      [20_000_000, 7],
      [20_001_000, 7],
    ]);
  });

  it('has no equity at fills of an account in two currencies, as the journal has no rates', async () => {
    const { equityCurve } = await follow('two-currencies', { USD: '10000', HKD: '80000' });
    expect(equityCurve).toHaveLength(1);
  });
});

describe('the working orders of a snapshot', () => {
  it('are stops and targets of a bracket, triggers, limits by their price, and trailing stops without one', async () => {
    const path = join(folder, 'levels.db');
    const journal = openSqliteJournal(path);
    for (const event of [
      ...acked(intentOf('LIMIT', { terms: termsOf({ price: decimal('101.5') }) })),
      ...acked(
        intentOf('TRIGGER', {
          terms: termsOf({ side: 'sell', type: 'LIT', price: decimal('90'), triggerPrice: decimal('91') }),
        }),
      ),
      ...acked(
        intentOf('STOP', {
          terms: termsOf({ side: 'sell', type: 'MIT', triggerPrice: decimal('92') }),
          link: { algorithm: algorithmId('A'), slot: 'stop', exit: true },
        }),
      ),
      // A target waits for a price above the market with the same order type as a stop.
      ...acked(
        intentOf('TARGET', {
          terms: termsOf({ side: 'sell', type: 'LIT', price: decimal('110'), triggerPrice: decimal('110') }),
          link: { algorithm: algorithmId('A'), slot: 'target', exit: true },
        }),
      ),
      ...acked(
        intentOf('ENTRY', {
          terms: termsOf({ price: decimal('99') }),
          link: { algorithm: algorithmId('A'), slot: 'entry' },
        }),
      ),
      ...acked(
        intentOf('TRAIL', {
          terms: termsOf({ side: 'sell', type: 'TSLPPCT', trailingPercent: decimal('5') }),
        }),
      ),
    ])
      journal.append(event);
    journal.close();
    const follower = new BotFollower(() => tailSqliteJournal(path), { pause: () => Promise.resolve() });
    await follower.read();
    const { levels, openOrders } = follower.snapshot(BOT, undefined);
    follower.close();
    expect(
      levels.map(({ intentId, side, kind, price: at, trail }) => [intentId, side, kind, at, trail]),
    ).toEqual([
      ['LIMIT', 'buy', 'limit', '101.5', null],
      ['TRIGGER', 'sell', 'trigger', '91', null],
      ['STOP', 'sell', 'stop', '92', null],
      ['TARGET', 'sell', 'target', '110', null],
      ['ENTRY', 'buy', 'limit', '99', null],
      ['TRAIL', 'sell', 'trailing', null, '5%'],
    ]);
    expect(openOrders.find(({ intentId }) => intentId === 'TRAIL')?.terms).toMatch(
      /TSLPPCT trailing by 5%, /,
    );
  });

  it('have the time of the newest answer of the venue, and none before the first', async () => {
    const path = join(folder, 'answers.db');
    const journal = openSqliteJournal(path);
    const [answered, waits] = [intentOf('ANSWERED'), intentOf('WAITS')];
    for (const event of [
      ...acked(answered),
      {
        kind: 'order-moved' as const,
        at: millis(70_000),
        intentId: answered.id,
        status: 'NewStatus' as const,
        rawStatus: 'NewStatus',
        executedQuantity: decimal('0'),
        message: '',
      },
      ...acked(waits)
        .slice(0, -1)
        .map((event) => ({ ...event, at: millis(80_000) })),
    ])
      journal.append(event);
    journal.close();
    const follower = new BotFollower(() => tailSqliteJournal(path), { pause: () => Promise.resolve() });
    await follower.read();
    const { levels, seq } = follower.snapshot(BOT, undefined);
    expect(levels.map(({ intentId, answeredAt }) => [intentId, answeredAt])).toEqual([
      ['ANSWERED', 70_000],
      ['WAITS', null],
    ]);
    // Records are found by their time, the newest at or before it.
    expect([0, 69_999, 70_000, 79_999, 80_000, 1e12].map((at) => follower.seqAt(at))).toEqual([
      ...[4, 4, 5, 5, seq, seq],
    ]);
    follower.close();
  });
});
