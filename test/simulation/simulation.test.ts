import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { decimal } from '#src/model/decimal.ts';
import { millis, NEVER } from '#src/model/time.ts';
import { createSimulation } from '#src/simulation/create-simulation.ts';
import { latencies } from '#src/simulation/latency.ts';
import { CASH_ACCOUNT, NO_LATENCY, PRINT_FILLS } from '#src/simulation/models.ts';
import { EventQueue } from '#src/simulation/processes/event-queue.ts';
import type { SimulationOptions } from '#src/simulation/simulation-options.ts';
import {
  AAPL,
  at,
  bars,
  detail,
  fills,
  order,
  runUntil,
  security,
  settleNow,
  TENCENT,
  tickWorld as world,
} from './world.ts';

const MINUTES = bars('AAPL.US', '1m', [
  ['2024-03-04T20:59:00Z', 99, 99, 99, 99, 40],
  ['2024-03-05T14:30:00Z', 100, 102, 99, 101, 403],
  ['2024-03-05T14:31:00Z', 101, 103, 100.5, 102, 400],
]);

describe('quotes', () => {
  it('come with every tick, with its volume and the day so far', () => {
    const { simulation } = world({ bars: [MINUTES], start: '2024-03-05T14:00:00Z', quotes: true });
    const quotes = runUntil(simulation, '2024-03-05T14:31:10Z').flatMap(({ event }) =>
      event.kind === 'quote' ? [event.quote] : [],
    );
    const reported = quotes.map(({ time, last, dayOpen, dayHigh, dayLow, dayVolume, volume }) =>
      [new Date(time).toISOString().slice(14, 19), last, dayOpen, dayHigh, dayLow, dayVolume, volume].join(
        ' ',
      ),
    );
    expect(reported).toEqual([
      '30:00 100 100 100 100 100 100',
      '30:15 99 100 100 99 200 100',
      '30:30 102 100 102 99 300 100',
      '30:45 101 100 102 99 403 103',
      '31:00 101 100 102 99 503 100',
    ]);
    expect(quotes[0]).toMatchObject({ status: 'normal', session: 'regular', symbol: AAPL });
  });

  it('do not show a tick of this instant before it was stepped', () => {
    const { simulation } = world({ bars: [MINUTES], start: '2024-03-05T14:30:15Z', quotes: true });
    expect(simulation.quote(AAPL)?.last.toString()).toBe('100');
    simulation.stepPrint();
    expect(simulation.quote(AAPL)?.last.toString()).toBe('99');
    expect(simulation.quote(AAPL)?.volume.toString()).toBe('0');
  });

  it('are the same when nothing was stepped', () => {
    const { simulation } = world({ bars: [MINUTES], start: '2024-03-05T14:00:00Z' });
    expect(simulation.nextPrintAt()).toBe(NEVER);
    expect(simulation.quote(AAPL)?.last.toString()).toBe('99');
    runUntil(simulation, '2024-03-05T14:30:46Z');
    expect(simulation.quote(AAPL)?.dayVolume.toString()).toBe('403');
    expect(simulation.quote(TENCENT)).toBeUndefined();
  });

  it('have the exact decimals of the shortest text of each price', () => {
    const odd = bars('AAPL.US', '1m', [['2024-03-05T14:30:00Z', 0.1, 0.3, 0.1, 0.30000000000000004]]);
    const { simulation } = world({ bars: [odd], start: '2024-03-05T15:00:00Z' });
    expect(simulation.quote(AAPL)?.last.toString()).toBe('0.30000000000000004');
    expect(simulation.quote(AAPL)?.dayOpen.toString()).toBe('0.1');
  });
});

describe('ticks outside the regular session', () => {
  it('are quotes, but nothing trades on them', () => {
    const early = bars('AAPL.US', '1m', [
      ['2024-03-04T20:59:00Z', 100, 100, 100, 100],
      ['2024-03-05T13:00:00Z', 90, 90, 90, 90],
      ['2024-03-05T14:30:00Z', 95, 95, 95, 95],
    ]);
    const { simulation, account } = world({ bars: [early], start: '2024-03-04T20:59:50Z', quotes: true });
    order(account, { price: '96', timeInForce: 'gtc' });
    const events = runUntil(simulation, '2024-03-05T14:31:00Z').map(({ event }) => event);
    const sessions = events.flatMap((event) => (event.kind === 'quote' ? [event.quote.session] : []));
    expect(sessions).toEqual(['pre', 'pre', 'pre', 'pre', 'regular', 'regular', 'regular', 'regular']);
    expect(fills(account)).toEqual(['14:30:00 95 x 100']);
  });
});

describe('a trailing stop', () => {
  it('neither follows nor triggers on ticks outside the regular session', () => {
    const early = bars('AAPL.US', '1m', [
      ['2024-03-04T20:58:00Z', 100, 100, 100, 100],
      ['2024-03-04T20:59:00Z', 100, 100, 100, 100],
      ['2024-03-05T13:00:00Z', 120, 120, 80, 80],
      ['2024-03-05T14:30:00Z', 98, 98, 98, 98],
      ['2024-03-05T14:31:00Z', 97, 97, 93, 93],
    ]);
    const { simulation, account } = world({ bars: [early], start: '2024-03-04T20:59:20Z' });
    order(account);
    settleNow(simulation);
    const trailing = { type: 'TSLPAMT', trailingAmount: '5', limitOffset: '1', timeInForce: 'gtc' } as const;
    order(account, { side: 'sell', ...trailing });
    runUntil(simulation, '2024-03-05T14:40:00Z');
    expect(fills(account).at(-1)).toBe('14:31:30 95 x 100');
  });
});

describe('a market without a table', () => {
  it('is open whenever it has a bar', () => {
    const coin = bars('BTC.CRYPTO', '1h', [
      ['2024-03-09T22:00:00Z', 100, 110, 90, 105],
      ['2024-03-09T23:00:00Z', 106, 110, 90, 105],
    ]);
    const { simulation, account } = world({
      bars: [coin],
      securities: [security('BTC.CRYPTO')],
      start: '2024-03-09T23:00:00Z',
    });
    order(account, { symbol: 'BTC.CRYPTO' });
    runUntil(simulation, '2024-03-09T23:30:00Z');
    expect(fills(account)).toEqual(['23:00:00 106 x 100']);
  });
});

describe('the driver', () => {
  it('cannot skip the next event', () => {
    const { simulation, account } = world({ bars: [MINUTES], start: '2024-03-05T14:00:00Z', quotes: true });
    expect(() => simulation.moveTo(at('2024-03-05T14:30:01Z'))).toThrow('something happens at');
    expect(() => simulation.stepVenueEvent()).toThrow('a print comes before it');
    order(account);
    expect(() => simulation.stepPrint()).toThrow('an own event comes before it');
    expect(() => simulation.moveTo(millis(simulation.now() - 1))).toThrow('Cannot move the clock');
  });

  it('emits internal events of an instant before its ticks', () => {
    const { simulation, account } = world({ bars: [MINUTES], start: '2024-03-05T14:00:00Z' });
    order(account);
    settleNow(simulation);
    expect([simulation.nextVenueEventAt(), simulation.nextPrintAt()]).toEqual([
      at('2024-03-05T14:30:00Z'),
      NEVER,
    ]);
    simulation.stepVenueEvent();
    expect(simulation.nextPrintAt()).toBe(at('2024-03-05T14:30:00Z'));
    expect(simulation.stepPrint()).toHaveLength(1);
  });

  it('is not stopped by orders that ended in the meantime', () => {
    const { simulation, account } = world({ bars: [MINUTES], start: '2024-03-05T14:30:20Z' });
    order(account);
    settleNow(simulation);
    expect([simulation.nextVenueEventAt(), simulation.nextPrintAt()]).toEqual([NEVER, NEVER]);
    expect(() => simulation.stepVenueEvent()).toThrow('none is due');
  });
});

describe('latency', () => {
  it('delays requests, equally for the same seed', () => {
    const { simulation, account } = world({
      bars: [MINUTES],
      start: '2024-03-05T14:30:14.900Z',
      models: { latency: { kind: 'fixed', ms: 250 } },
    });
    const id = order(account);
    runUntil(simulation, '2024-03-05T14:30:16Z');
    expect(detail(account, id).executedPrice?.toString()).toBe('99');
    const draw = () => Array.from({ length: 20 }, latencies({ kind: 'uniform', minMs: 5, maxMs: 9 }, 3));
    expect(draw()).toEqual(draw());
    expect(new Set(draw()).size).toBeGreaterThan(2);
    expect(draw().every((ms) => Number.isInteger(ms) && ms >= 5 && ms <= 9)).toBe(true);
  });

  it('lets no request overtake an earlier one', () => {
    const { simulation, account } = world({
      bars: [MINUTES],
      start: '2024-03-05T14:30:00.001Z',
      models: { latency: { kind: 'uniform', minMs: 0, maxMs: 10_000 } },
    });
    const ids = Array.from({ length: 12 }, () => {
      const id = order(account, { quantity: '1' });
      account.cancel(id);
      return id;
    });
    const happened = runUntil(simulation, '2024-03-05T14:30:14Z');
    const reached = happened.flatMap(({ event }) =>
      event.kind === 'order' && event.change.detail.status === 'FilledStatus'
        ? [event.change.detail.orderId]
        : [],
    );
    // A cancel of a market order that comes after its order is too late.
    expect(reached).toEqual(ids);
  });
});

describe('setting up', () => {
  const options: SimulationOptions = {
    securities: [security('AAPL.US')],
    bars: [MINUTES],
    start: at('2024-03-05T14:00:00Z'),
    accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('1') }, fx: {} }],
    quotes: false,
    models: {
      fills: { ...PRINT_FILLS, insideBars: 'tick' },
      charges: CHARGE_SCHEDULES.none,
      latency: NO_LATENCY,
      margin: CASH_ACCOUNT,
    },
    seed: 1,
  };
  const [account] = options.accounts;

  it.each<[string, Partial<SimulationOptions>, string]>([
    ['bars without a security', { securities: [] }, 'no security of that name'],
    ['two series of one symbol', { bars: [MINUTES, MINUTES] }, 'two series of bars of one symbol'],
    [
      'two accounts of one name',
      { accounts: account === undefined ? [] : [account, account] },
      'two accounts',
    ],
    [
      'a currency without a rate',
      { securities: [security('AAPL.US'), security('700.HK')] },
      'fx has no "HKDUSD"',
    ],
  ])('stops at %s', (_what, wrong, message) => {
    expect(() => createSimulation({ ...options, ...wrong })).toThrow(message);
  });

  it('returns its settings', () => {
    const simulation = createSimulation(options);
    expect(simulation.now()).toBe(options.start);
    expect(simulation.securities()).toBe(options.securities);
    expect(simulation.security(AAPL)?.lotSize).toBe(1);
    expect(simulation.marginFactors(AAPL)?.initial.toString()).toBe('1');
    expect(simulation.marginFactors(TENCENT)).toBeUndefined();
    expect(simulation.account('b')).toBeUndefined();
    expect(simulation.tradingDay('US')).toBe('2024-03-05');
  });
});

describe('the event queue', () => {
  it('returns events by time, first in first out, and drops those without effect', () => {
    const entries = fc.array(fc.record({ time: fc.nat(20), isDue: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(entries, (tasks) => {
        const queue = new EventQueue<number>({ isDue: (index) => tasks[index]?.isDue === true });
        for (const [index, { time }] of tasks.entries()) queue.add(millis(time), index);
        const taken: number[] = [];
        for (let task = queue.take(); task !== undefined; task = queue.take()) taken.push(task.what);
        const expected = tasks
          .map(({ time, isDue }, index) => ({ time, isDue, index }))
          .filter(({ isDue }) => isDue)
          .toSorted((one, other) => one.time - other.time)
          .map(({ index }) => index);
        expect(taken).toEqual(expected);
        expect(queue.nextAt()).toBe(NEVER);
      }),
    );
  });
});
