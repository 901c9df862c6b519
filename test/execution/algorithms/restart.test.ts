import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { decodeEvent, encodeEvent } from '#src/events/codec.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { planOf } from '#src/execution/algorithms/plans.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { HOUR_MS, millis } from '#src/model/time.ts';
import { first } from '#src/signals/cross.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { OrderDraft, OrderDrafts } from '#src/strategy/order-draft.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { bracketRig, fill, sent, until } from '../../fixtures/bracket-rig.ts';
import { createEngineRig, type EngineRig, type RigOptions } from '../../fixtures/engine-rig.ts';
import { AAPL, at, type BarRow, columnsOf, security } from '../../fixtures/market.ts';
import { restarted } from '../../fixtures/restarting.ts';
import { runTo } from '../../fixtures/time.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');

/** The journal of a bracket that bought at 10 and was closed by its stop at 9.5. */
function journaled() {
  const strategy = defineStrategy({
    name: 'bracketed',
    params: {},
    signals: ({ bars }) => ({ start: first(bars) }),
    onSignal: ({ symbol }, { orders }) => orders.bracket(orders.buy(symbol, 100), { stop: 9.5, target: 11 }),
  });
  const rows: readonly BarRow[] = [
    [OPEN, 10, 10, 10, 10],
    [OPEN + 60_000, 10, 10.2, 9.9, 10],
    [OPEN + 120_000, 10, 10, 9, 9.2],
  ];
  const journal = createMemoryJournal();
  runBacktest(setupOf(strategy, [columnsOf(AAPL, '1m', rows)]), { journal });
  return [...journal.replay()].map((event) => decodeEvent(encodeEvent(event)));
}

/** The actions of every algorithm in a journal that is cut after this number of records. */
function wantsAfter(events: ReturnType<typeof journaled>, count: number): readonly string[] {
  const { state, apply } = createFold();
  for (const event of events.slice(0, count)) apply(event);
  const now = events[count - 1]?.at ?? OPEN;
  const last = decimal('10');
  const sources = {
    period: '1m' as const,
    security: () => security(AAPL),
    last: () => last,
    close: () => last,
    rebalanceOrder: () => undefined,
  };
  return [...state.algorithms.values()].flatMap((algorithm) =>
    planOf(algorithm, { sources, state, held: [], now }).map((want) =>
      want.kind === 'submit' ? `submit ${want.slot} ${want.terms.quantity}` : want.kind,
    ),
  );
}

describe('an algorithm after a restart', () => {
  const events = journaled();

  it('requests what is still missing, wherever its journal was cut, and nothing twice', () => {
    const cut = (kind: string, nth = 1): number => {
      let seen = 0;
      return events.findIndex((event) => event.kind === kind && ++seen === nth) + 1;
    };
    expect(wantsAfter(events, cut('algorithm-started'))).toEqual(['submit entry 100']);
    expect(wantsAfter(events, cut('intent-armed'))).toEqual([]);
    expect(wantsAfter(events, cut('order-filled'))).toEqual(['submit stop 100', 'submit target 100']);
    expect(wantsAfter(events, cut('intent-armed', 2))).toEqual(['submit target 100']);
    expect(wantsAfter(events, cut('intent-armed', 3))).toEqual([]);
    expect(wantsAfter(events, cut('order-filled', 2))).toEqual(['cancel']);
    expect(wantsAfter(events, events.length)).toEqual([]);
  });

  it('never requests more than the position, at any cut', () => {
    for (let count = 1; count <= events.length; count += 1) {
      const submits = wantsAfter(events, count).filter((want) => want.startsWith('submit'));
      expect(new Set(submits).size).toBe(submits.length);
      expect(submits.every((want) => want.endsWith(' 100'))).toBe(true);
    }
  });
});

describe('a bracket that ended right before a crash', () => {
  it('raises the alarm of its position after the restart, and not again after the next one', () => {
    const alarms: string[][] = [[], [], []];
    const inRun = (run: number): RigOptions => ({
      onAlarm: ({ code, message }) => code === 'exits-missing' && alarms[run]?.push(message),
    });
    const rig = bracketRig({}, inRun(0));
    fill(rig, '100');
    // The owner cancels both at the broker, and a second later the bot crashes.
    for (const exit of ['O-I3', 'O-I4']) {
      rig.venue.list(exit, { status: 'CanceledStatus' });
      rig.venue.push(exit);
    }
    until(rig, 1_000);
    let left = [...rig.journal.replay()];
    for (const run of [1, 2]) {
      const begins = run * 70_000;
      const again = restarted(
        left,
        ({ venue, clock }) => {
          runTo(clock, begins);
          venue.hold({ AAPL: '100' }, '9000');
        },
        inRun(run),
      );
      until(again, begins + 60_000);
      left = [...again.journal.replay()];
    }
    const named =
      '100 of "AAPL.US" are held without the exits that were asked for: its stop was cancelled from outside. Place an exit at the venue, or close the position';
    expect(alarms).toEqual([[], [named], []]);
  });
});

describe('an algorithm whose bot ended before it sent an order', () => {
  it.each<[string, (orders: OrderDrafts) => OrderDraft, readonly string[]]>([
    ['a bracket', (orders) => orders.bracket(orders.buy(AAPL, 100), { stop: 9 }), ['buy MO']],
    [
      'a chase',
      (orders) => orders.chase(orders.buy(AAPL, 100), { bound: 10.4, minutes: 10, atEnd: 'cross' }),
      ['buy LO'],
    ],
    [
      'an OCO',
      (orders) =>
        orders.oco([
          orders.buy(AAPL, 100, { type: 'LO', price: 9 }),
          orders.buy(AAPL, 100, { type: 'MIT', triggerPrice: 11 }),
        ]),
      ['buy LIT', 'buy MIT'],
    ],
  ])('is dropped like an order that was not sent: %s (I-21)', (_what, wants, denied) => {
    let asked = false;
    const rig = createEngineRig({
      strategy: {
        onQuote: (_event, { orders }) => {
          if (asked) return undefined;
          asked = true;
          return wants(orders);
        },
      },
    });
    rig.start();
    rig.quote(10);
    const all = [...rig.journal.replay()];
    const left = all.slice(0, all.findIndex(({ kind }) => kind === 'algorithm-started') + 1);
    const news: string[] = [];
    const again = restarted(left, ({ clock }) => clock.moveTo(millis(72 * HOUR_MS)), {
      minted: 50,
      strategy: {
        onQuote: () => undefined,
        onOrder: ({ outcome, terms, why }) => {
          news.push(`${terms.side} ${terms.type} ${outcome}: ${why}`);
        },
      },
    });
    again.quote(10);
    runTo(again.clock, again.clock.now() + HOUR_MS);
    expect(again.venue.calls.filter((call) => call.startsWith('submit'))).toEqual([]);
    const why = 'The bot ended before this order was sent, and what it was decided on is old now';
    expect(news).toEqual(denied.map((order) => `${order} denied: restart: ${why}`));
    expect(again.engine.state.algorithms.size).toBe(0);
  });
});

describe('an exit that was decided and not sent before the bot ended', () => {
  /** The journal up to and including the newest record of a kind for an order in a slot. */
  function leftAfter(kind: 'intent-drafted' | 'intent-armed', slot: string): readonly SluiceEvent[] {
    const rig = bracketRig();
    const { submit } = rig.venue.answers;
    rig.venue.answers.submit = (order) =>
      slot === 'close' && order.terms.type !== 'MO'
        ? of({ kind: 'refused', code: 603_000, message: 'no' })
        : submit(order);
    fill(rig, '100');
    until(rig, 1_000);
    const all = [...rig.journal.replay()];
    const drafted = all.find((event) => event.kind === 'intent-drafted' && event.link?.slot === slot);
    const id = drafted?.kind === 'intent-drafted' ? drafted.intentId : undefined;
    return all.slice(0, all.findIndex((event) => event.kind === kind && event.intentId === id) + 1);
  }

  it.each([
    ['stop', 'intent-drafted', ['MIT', 'LIT']],
    ['stop', 'intent-armed', ['MIT', 'LIT']],
    ['target', 'intent-drafted', ['LIT']],
    ['close', 'intent-drafted', ['MO']],
  ] as const)('is sent as soon as it starts again: the %s after its %s', (slot, kind, types) => {
    const left = leftAfter(kind, slot);
    const rig = restarted(left, ({ venue, clock }) => {
      runTo(clock, 2_000);
      for (const event of left)
        if (
          event.kind === 'intent-drafted' &&
          left.some((each) => each.kind === 'submit-acked' && each.intentId === event.intentId)
        )
          venue.list(`O-${event.intentId}`, { intentId: event.intentId, terms: event.terms });
      venue.execute('O-I2', { id: 'e', quantity: '100', price: '10' });
      venue.hold({ AAPL: '100' }, '9000');
    });
    const sentNow = [...rig.journal.replay()]
      .slice(left.length)
      .flatMap((event) => (event.kind === 'intent-drafted' ? [event.terms.type] : []));
    expect(sentNow).toEqual(types);
  });
});

describe('an order that waits for exits to end', () => {
  let quotes = 0;
  /** Buys with a stop and a target at the first quote, and closes the position at the second. */
  const strategy: NonNullable<RigOptions['strategy']> = {
    onQuote: ({ symbol }, { orders }) => {
      quotes += 1;
      return quotes === 1
        ? orders.bracket(orders.buy(symbol, 100), { stop: 5, target: 50 })
        : orders.close(symbol);
    },
  };

  /** The journal of a bot that died while its close, I5, waited for the stop, I3, and the target, I4. */
  function left(): readonly SluiceEvent[] {
    quotes = 0;
    const rig = createEngineRig({ strategy });
    rig.start();
    rig.quote(10);
    rig.venue.execute('O-I2', { id: 'e1', quantity: '100', price: '10' });
    rig.venue.push('O-I2');
    rig.quote(10);
    return [...rig.journal.replay()];
  }

  function back(exits: 'NewStatus' | 'CanceledStatus'): EngineRig {
    const events = left();
    return restarted(
      events,
      ({ venue }) => {
        for (const event of events)
          if (event.kind === 'intent-drafted' && event.intentId !== 'I5') {
            const { intentId, terms } = event;
            venue.list(`O-${intentId}`, { intentId, terms, status: intentId === 'I2' ? 'NewStatus' : exits });
          }
        venue.hold({ AAPL: '100' }, '9000');
        venue.execute('O-I2', { id: 'e1', quantity: '100', price: '10' });
      },
      { strategy: { onQuote: () => undefined } },
    );
  }

  it('waits on after a crash, and is sent once they are gone (I-2, I-21)', () => {
    const events = left();
    expect(events.filter(({ kind }) => kind === 'intent-held')).toMatchObject([{ intentId: 'I5' }]);
    const rig = back('NewStatus');
    expect(rig.venue.calls).not.toContain('submit I5');
    expect(rig.kinds().slice(events.length)).not.toContain('intent-denied');
    for (const id of ['O-I3', 'O-I4']) {
      rig.venue.list(id, { status: 'CanceledStatus', rawStatus: 'CanceledStatus' });
      rig.venue.push(id);
    }
    expect(rig.venue.calls.filter((call) => call.startsWith('submit'))).toEqual(['submit I5']);
  });

  it('is sent at once if they ended while the bot was down', () => {
    expect(back('CanceledStatus').venue.calls.filter((call) => call.startsWith('submit'))).toEqual([
      'submit I5',
    ]);
  });
});

describe('two exits that are both executed', () => {
  function rigWith(options: RigOptions = {}): EngineRig {
    let quotes = 0;
    const rig = createEngineRig({
      ...options,
      strategy: {
        onQuote: ({ symbol }, { orders }) => {
          quotes += 1;
          return quotes === 1 ? orders.bracket(orders.buy(symbol, 100), { stop: 5, target: 50 }) : undefined;
        },
      },
    });
    rig.start();
    rig.quote(10);
    rig.venue.execute('O-I2', { id: 'e1', quantity: '100', price: '10' });
    rig.venue.push('O-I2');
    return rig;
  }
  const submits = ({ venue }: EngineRig) => venue.calls.filter((call) => call.startsWith('submit'));

  it('are one too many, and the shares that were sold twice are bought back once (I-6)', () => {
    const rig = rigWith();
    rig.venue.execute('O-I3', { id: 'e2', quantity: '100', price: '5' });
    rig.venue.execute('O-I4', { id: 'e3', quantity: '40', price: '50' });
    rig.venue.list('O-I4', { status: 'CanceledStatus', rawStatus: 'CanceledStatus' });
    rig.venue.push('O-I3');
    rig.venue.push('O-I4');
    expect(submits(rig)).toEqual(['submit I2', 'submit I3', 'submit I4', 'submit I5']);
    expect(rig.engine.state.order(intentId('I5'))?.terms).toMatchObject({ side: 'buy', type: 'MO' });
    expect(String(rig.engine.state.order(intentId('I5'))?.terms.quantity)).toBe('40');
    rig.venue.execute('O-I5', { id: 'e4', quantity: '40', price: '6' });
    rig.venue.push('O-I5');
    expect(rig.engine.state.portfolio.holdings.get(AAPL)?.quantity.toNumber() ?? 0).toBe(0);
    expect(rig.engine.state.algorithms.size).toBe(0);
    rig.quote(10);
    expect(submits(rig)).toHaveLength(4);
  });

  it('are bought back a minute after an order for them failed, three times in total, and then named by an alarm', () => {
    const alarms: string[] = [];
    const rig = rigWith({ onAlarm: ({ code }) => alarms.push(code) });
    rig.venue.answers.submit = () => of({ kind: 'refused', code: 603_000, message: 'not now' });
    rig.venue.execute('O-I3', { id: 'e2', quantity: '100', price: '5' });
    rig.venue.execute('O-I4', { id: 'e3', quantity: '40', price: '50' });
    rig.venue.list('O-I4', { status: 'CanceledStatus', rawStatus: 'CanceledStatus' });
    rig.venue.push('O-I3');
    rig.venue.push('O-I4');
    expect(submits(rig)).toHaveLength(4);
    until(rig, 60_000);
    expect(submits(rig)).toHaveLength(5);
    expect([alarms, rig.engine.state.algorithms.size]).toEqual([[], 1]);
    until(rig, 180_000);
    expect(submits(rig)).toHaveLength(6);
    expect([alarms, rig.engine.state.algorithms.size]).toEqual([['exits-twice'], 0]);
  });

  it.each([
    [false, ['exits-twice']],
    // The flatten closes the position.
    [true, []],
  ] as const)(
    'are not bought back after a kill, which an alarm reports at once (flatten: %s)',
    (flatten, expected) => {
      const alarms: string[] = [];
      const rig = rigWith({ onAlarm: ({ code }) => alarms.push(code) });
      rig.venue.answers.submit = () => of({ kind: 'refused', code: 603_000, message: 'not now' });
      rig.venue.execute('O-I3', { id: 'e2', quantity: '100', price: '5' });
      rig.venue.execute('O-I4', { id: 'e3', quantity: '40', price: '50' });
      rig.venue.list('O-I4', { status: 'CanceledStatus', rawStatus: 'CanceledStatus' });
      rig.venue.push('O-I3');
      rig.venue.push('O-I4');
      expect(alarms).toEqual([]);
      rig.command({ kind: 'kill', flatten, foreign: false });
      expect(alarms.filter((code) => code === 'exits-twice')).toEqual(expected);
      until(rig, 600_000);
      const drafts = [...rig.journal.replay()].filter(
        (event) => event.kind === 'intent-drafted' && event.link?.slot === 'back',
      );
      expect(drafts).toHaveLength(1);
      const closing = [...rig.journal.replay()].filter(
        (event) => event.kind === 'intent-drafted' && event.link === undefined && event.terms.side === 'buy',
      );
      expect(closing.length > 0).toBe(flatten);
      expect(alarms.filter((code) => code === 'exits-twice')).toEqual(expected);
    },
  );

  it('took the shares of an older entry, whose exits shrink, and what their own entry still buys is closed', () => {
    const rig = bracketRig({}, {}, 100);
    rig.venue.answers.replace = ({ orderId, terms }) => {
      rig.venue.list(orderId, { terms });
      return of({ kind: 'accepted' });
    };
    fill(rig, '100');
    rig.quote(10);
    const execute = (id: string, quantity: string): void => {
      rig.venue.execute(id, { id: `${id} ${quantity}`, quantity, price: '10' });
    };
    execute('O-I6', '40');
    rig.venue.push('O-I6');
    for (const exit of ['O-I7', 'O-I8']) execute(exit, '40');
    for (const exit of ['O-I7', 'O-I8']) rig.venue.push(exit);
    expect(String(rig.engine.state.portfolio.holdings.get(AAPL)?.quantity)).toBe('60');
    // The cancel of the entry comes too late.
    execute('O-I6', '60');
    rig.venue.push('O-I6');
    expect(sent(rig)).toContain('submit I9');
    expect(String(rig.engine.state.order(intentId('I9'))?.terms.quantity)).toBe('60');
    expect(String(rig.engine.state.order(intentId('I3'))?.terms.quantity)).toBe('60');
  });

  it('leave nothing to buy back if one was cancelled in time', () => {
    const rig = rigWith();
    rig.venue.execute('O-I3', { id: 'e2', quantity: '100', price: '5' });
    rig.venue.push('O-I3');
    rig.venue.list('O-I4', { status: 'CanceledStatus', rawStatus: 'CanceledStatus' });
    rig.venue.push('O-I4');
    expect(submits(rig)).toHaveLength(3);
    expect(rig.engine.state.algorithms.size).toBe(0);
  });
});
