import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { SHARES_WAIT_MAX_MS } from '#src/execution/algorithms/algorithm-runner.ts';
import { missingExits } from '#src/execution/algorithms/exit-coverage.ts';
import { sharesInTransition } from '#src/execution/algorithms/shares-in-transition.ts';
import { ABANDON_AFTER_MS, SEARCH_EVERY_MS } from '#src/execution/orders/polling-intervals.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { intentId } from '#src/model/order.ts';
import { calendarDay } from '#src/model/time.ts';
import { MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import type { StrategyDefinition } from '#src/strategy/define-strategy.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import { fillsOf, setupOf } from '../../fixtures/backtest.ts';
import { restOf, sent, until } from '../../fixtures/bracket-rig.ts';
import {
  createEngineRig,
  type EngineRig,
  type RigMember,
  type RigOptions,
} from '../../fixtures/engine-rig.ts';
import { AAPL, type BarRow, columnsOf, security } from '../../fixtures/market.ts';
import { limitsOf } from '../../fixtures/risk.ts';
import { stampsOf } from '../../fixtures/some-bars.ts';

const WEEK = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-05') };

/**
 * Two brackets of AAPL.US over half hours at 10; the sixth one falls to 9.86, which triggers the stop of the first
 * and fills the entry of the second.
 */
function twoBrackets(exits: ExitTerms, side: 'long' | 'short' = 'long') {
  const away = (distance: number): number => (side === 'long' ? 10 - distance : 10 + distance);
  const rows = stampsOf(AAPL, '30m', WEEK).map((stamp, bar): BarRow => {
    const far = bar === 5 ? away(0.14) : 10;
    return [stamp, 10, Math.max(10, far), Math.min(10, far), bar === 5 ? away(0.05) : 10, 400];
  });
  let bar = 0;
  const strategy = defineStrategy({
    name: 'two-brackets',
    params: {},
    exits: () => exits,
    onBar: (_event, { orders }) => {
      bar += 1;
      const order = side === 'long' ? orders.buy : orders.sell;
      if (bar === 1) return order(AAPL, 100);
      return bar === 3 ? order(AAPL, 50, { type: 'LO', price: away(0.12) }) : undefined;
    },
  });
  const journal = createMemoryJournal();
  const alarms: Alarm[] = [];
  const setup = setupOf(strategy, [columnsOf(AAPL, '30m', rows)], {
    ...WEEK,
    cash: { USD: decimal('10000') },
    ...(side === 'short'
      ? { margin: MARGIN_ACCOUNT, short: true, limits: limitsOf({ allowShort: true, useMargin: true }) }
      : { limits: limitsOf({ allowShort: false }) }),
  });
  const record = runInFull(setup, { journal, onAlarm: (alarm) => alarms.push(alarm) });
  return { events: [...journal.replay()], alarms, fills: fillsOf(record) };
}

const deniedIn = (events: readonly SluiceEvent[]) =>
  events.filter(({ kind }) => kind === 'intent-denied' || kind === 'replace-denied');

describe('an entry that is filled by the tick that executes the stop of another bracket', () => {
  it.each<readonly [ExitTerms, 'long' | 'short']>([
    [{ stop: { amount: 0.1 }, target: { percent: 5 } }, 'long'],
    [{ stop: { amount: 0.1 }, target: { percent: 5 } }, 'short'],
    [{ trail: { amount: 0.1 }, target: { percent: 5 } }, 'long'],
    [{ stop: { amount: 0.3 }, trail: { amount: 0.1 }, target: { percent: 5 } }, 'long'],
    [{ trail: { amount: 0.1 }, target: { percent: 5 } }, 'short'],
  ])('has its own exits once the others are cancelled: %o, %s', (exits, side) => {
    const { events, alarms, fills } = twoBrackets(exits, side);
    expect(fills).toHaveLength(3);
    expect(deniedIn(events)).toEqual([]);
    expect(alarms).toEqual([]);
    const filledAt = events.findLast(({ kind }) => kind === 'order-filled')?.at;
    const exitsSent = events.filter(
      (event) => event.kind === 'intent-drafted' && event.link?.exit === true && event.at === filledAt,
    );
    expect(exitsSent).toHaveLength(Object.keys(exits).length);
  });
});

/** Two brackets in sequence on a fake venue at which trigger orders work. */
function rigOf(
  quantities: readonly [number, number],
  options: RigOptions = {},
  firstStop: 'answered' | 'unanswered' = 'answered',
): EngineRig {
  let quotes = 0;
  const rig = createEngineRig({
    limits: { allowShort: false },
    strategy: {
      onQuote: ({ symbol }, { orders }) => {
        const quantity = quantities[quotes];
        quotes += 1;
        return quantity === undefined
          ? undefined
          : orders.bracket(orders.buy(symbol, quantity), { stop: 9, target: 12 });
      },
    },
    ...options,
  });
  const { submit } = rig.venue.answers;
  rig.venue.answers.submit = (order) => {
    const answer$ = submit(order);
    if (order.terms.triggerPrice !== undefined)
      rig.venue.list(`O-${order.intentId}`, { status: 'VarietiesNotReported' });
    if (firstStop === 'unanswered' && order.intentId === 'I5')
      return of({ kind: 'unknown', message: 'no answer' });
    return answer$;
  };
  rig.start();
  rig.quote(10);
  // Nothing opens while the outcome of an order is unknown, so the second entry must exist before.
  if (firstStop === 'unanswered') rig.quote(10);
  executes(rig, 'O-I2', quantities[0]);
  if (firstStop === 'answered') rig.quote(10);
  return rig;
}

let executions = 0;

function executes({ venue }: EngineRig, id: string, quantity: number, price = 10): void {
  executions += 1;
  venue.execute(id, { id: `x${executions}`, quantity: String(quantity), price: String(price) });
  venue.push(id);
}

function isCancelled({ venue }: EngineRig, id: string): void {
  venue.list(id, { status: 'CanceledStatus' });
  venue.push(id);
}

/** Orders that were sent after the first entry, its exits, and the second entry. */
const sentLater = (rig: EngineRig): readonly string[] => sent(rig).slice(4);

describe.each([true, false])('at a venue whose pushes are complete (%s)', (pushComplete) => {
  it('a stop waits until the cancel of another bracket is confirmed, and is sent then', () => {
    const alarms: Alarm[] = [];
    const rig = rigOf([100, 50], { pushComplete, onAlarm: (alarm) => alarms.push(alarm) });
    executes(rig, 'O-I3', 100, 9);
    executes(rig, 'O-I6', 50);
    until(rig, 5_000);
    expect(sentLater(rig)).toEqual(['cancel O-I4']);
    expect(alarms).toMatchObject([
      { code: 'exits-missing', message: expect.stringContaining('waits for shares') },
    ]);
    isCancelled(rig, 'O-I4');
    expect(sentLater(rig)).toEqual(['cancel O-I4', 'submit I7', 'submit I8']);
    expect([restOf(rig, 'I7'), restOf(rig, 'I8')]).toEqual(['50', '50']);
    expect(rig.kinds()).not.toContain('intent-denied');
  });
});

it('a stop grows only when the cancel of another bracket is confirmed, and is not denied before', () => {
  const rig = rigOf([100, 50]);
  executes(rig, 'O-I6', 20);
  expect(restOf(rig, 'I7')).toBe('20');
  executes(rig, 'O-I3', 100, 9);
  executes(rig, 'O-I6', 30);
  expect(sentLater(rig)).toEqual(['submit I7', 'submit I8', 'cancel O-I4']);
  isCancelled(rig, 'O-I4');
  until(rig, 10_000);
  expect(sentLater(rig).slice(3)).toEqual(['replace O-I7', 'replace O-I8']);
  expect(rig.kinds()).not.toContain('replace-denied');
});

it('a stop waits for the target of a bracket whose stop is filled in parts, until the target is for less', () => {
  const rig = rigOf([100, 50]);
  executes(rig, 'O-I3', 60, 9);
  executes(rig, 'O-I6', 50);
  expect(sentLater(rig)).toEqual(['cancel O-I4']);
  isCancelled(rig, 'O-I4');
  expect([restOf(rig, 'I3'), restOf(rig, 'I7')]).toEqual(['40', '50']);
  expect(rig.kinds()).not.toContain('intent-denied');
});

it('if short sales are enabled, a stop that waits is not judged as an opening order', () => {
  const rig = rigOf([100, 50], { limits: { allowShort: true } });
  executes(rig, 'O-I3', 100, 9);
  rig.venue.answers.buyLimit = '0';
  executes(rig, 'O-I6', 50);
  isCancelled(rig, 'O-I4');
  expect(sentLater(rig)).toEqual(['cancel O-I4', 'submit I7', 'submit I8']);
  expect(rig.kinds()).not.toContain('intent-denied');
});

it('closes a position at the market only once its shares are free, if the price has passed its stop in the meantime', () => {
  const rig = rigOf([100, 50]);
  executes(rig, 'O-I3', 100, 9);
  executes(rig, 'O-I6', 50);
  rig.quote(8.5);
  until(rig, 3_000);
  expect(sentLater(rig)).toEqual(['cancel O-I4']);
  isCancelled(rig, 'O-I4');
  expect(sentLater(rig)).toEqual(['cancel O-I4', 'submit I7']);
  expect(rig.engine.state.order(intentId('I7'))?.link?.slot).toBe('close');
});

it('is judged after a minute whatever is still reserved', () => {
  const rig = rigOf([100, 50]);
  executes(rig, 'O-I3', 100, 9);
  executes(rig, 'O-I6', 50);
  until(rig, SHARES_WAIT_MAX_MS - 1);
  expect(rig.kinds()).not.toContain('intent-denied');
  until(rig, SHARES_WAIT_MAX_MS + 1_000);
  expect(rig.kinds()).toContain('intent-denied');
});

it('a stop of one strategy waits for the target of another one that is being cancelled', () => {
  const bracket = (quantity: number, quote: number): RigMember => {
    let quotes = 0;
    const onQuote: StrategyDefinition['onQuote'] = ({ symbol }, { orders }) => {
      quotes += 1;
      return quotes === quote
        ? orders.bracket(orders.buy(symbol, quantity), { stop: 9, target: 12 })
        : undefined;
    };
    return { limits: { allowShort: false }, strategy: { onQuote } };
  };
  const rig = rigOf([100, 50], { members: { one: bracket(100, 1), two: bracket(50, 2) } });
  executes(rig, 'O-I3', 100, 9);
  executes(rig, 'O-I6', 50);
  expect(sentLater(rig)).toEqual(['cancel O-I4']);
  isCancelled(rig, 'O-I4');
  expect(sentLater(rig)).toEqual(['cancel O-I4', 'submit I7', 'submit I8']);
  expect(rig.kinds()).not.toContain('intent-denied');
});

it('a stop waits until the outcome of the stop of another bracket is known, and is sent then', () => {
  const rig = rigOf([100, 50], { pushComplete: false }, 'unanswered');
  executes(rig, 'O-I4', 50);
  expect(sent(rig)).toEqual(['submit I2', 'submit I4', 'submit I5']);
  // The day's list shows the order whose answer was lost.
  until(rig, 30_000);
  expect(sent(rig).slice(3)).toEqual(['submit I6', 'submit I7', 'submit I8']);
  expect(rig.kinds()).not.toContain('intent-denied');
  const slots = [...rig.engine.state.live.values()].map(({ link }) => link?.slot);
  expect(slots.toSorted()).toEqual(['stop', 'stop', 'target', 'target']);
});

it('a stop waits as long as the stop of another bracket is unknown, and is sent once that one is abandoned', () => {
  const rig = rigOf([100, 50], { pushComplete: false }, 'unanswered');
  rig.venue.answers.unlisted.add('O-I5');
  rig.venue.answers.forgotten.add('O-I5');
  rig.venue.hold({ AAPL: '150' }, '8500');
  executes(rig, 'O-I4', 50);
  until(rig, ABANDON_AFTER_MS - 1_000);
  expect(sent(rig)).toEqual(['submit I2', 'submit I4', 'submit I5']);
  until(rig, ABANDON_AFTER_MS + SEARCH_EVERY_MS + 2_000);
  const after = [...rig.journal.replay()].flatMap((event) =>
    event.kind === 'intent-drafted' && event.at > ABANDON_AFTER_MS - 1_000 ? [event.link?.slot] : [],
  );
  expect(sent(rig).slice(3)).toEqual(['submit I6', 'submit I7', 'submit I8']);
  expect(after).toContain('stop');
  expect(after).not.toContain('close');
  expect(rig.kinds()).not.toContain('intent-denied');
});

describe('the reason of a missing exit', () => {
  const reasonsIn = ({ engine }: EngineRig): readonly string[] =>
    missingExits(engine.state, { security: () => security(AAPL), waiting: () => [] }).map(
      ({ slot, why }) => `${slot}: ${why}`,
    );

  it('is its denial, once the gate judged it although shares are still reserved', () => {
    const rig = rigOf([100, 50]);
    executes(rig, 'O-I3', 100, 9);
    executes(rig, 'O-I6', 50);
    until(rig, SHARES_WAIT_MAX_MS + 500);
    expect(reasonsIn(rig)).toContain('stop: the last one was denied by no-short');
  });

  it('is that it waits for shares, if the one at the venue is confirmed and must grow', () => {
    const rig = rigOf([100, 50]);
    executes(rig, 'O-I6', 20);
    executes(rig, 'O-I3', 100, 9);
    executes(rig, 'O-I6', 30);
    expect(reasonsIn(rig)).toEqual([
      'stop: it waits for shares that other orders of the bot still reserve',
      'target: it waits for shares that other orders of the bot still reserve',
    ]);
  });

  it('is that it waits for an unknown order, and for the unknown order itself that it is not confirmed', () => {
    const rig = rigOf([100, 50], { pushComplete: false }, 'unanswered');
    executes(rig, 'O-I4', 50);
    expect(reasonsIn(rig)).toEqual([
      'stop: the last one is not confirmed by the venue',
      'target: it waits until the outcome of another order is known',
      'stop: it waits until the outcome of another order is known',
      'target: it waits until the outcome of another order is known',
    ]);
  });
});

it.each([
  [{ allowShort: false }, ['cancel O-I5']],
  [{}, ['cancel O-I5', 'submit I8', 'submit I9']],
])('a stop waits for other shares of its strategy only if that has strategy limits: %o', (limits, later) => {
  let quotes = 0;
  const onQuote: StrategyDefinition['onQuote'] = ({ symbol }, { orders }) => {
    quotes += 1;
    return orders.bracket(orders.buy(symbol, quotes === 1 ? 100 : 50), { stop: 9, target: 12 });
  };
  let holds = false;
  const holder: StrategyDefinition['onQuote'] = ({ symbol }, { orders }) => {
    if (holds) return undefined;
    holds = true;
    return orders.buy(symbol, 300);
  };
  const rig = rigOf([100, 50], {
    members: { one: { limits, strategy: { onQuote } }, two: { strategy: { onQuote: holder } } },
  });
  executes(rig, 'O-I3', 300);
  const before = sent(rig).length;
  executes(rig, 'O-I4', 100, 9);
  executes(rig, 'O-I7', 50);
  expect(sent(rig).slice(before)).toEqual(later);
});

it('an order that reverses a double close of two exits releases no shares soon', () => {
  const rig = rigOf([100, 0], { limits: { allowShort: true } });
  executes(rig, 'O-I3', 100, 9);
  executes(rig, 'O-I4', 100, 12);
  const back = [...rig.engine.state.live.values()].filter(({ link }) => link?.slot === 'back');
  expect(back.map(({ terms: { side, quantity } }) => `${side} ${quantity}`)).toEqual(['buy 100']);
  const asked = { symbol: AAPL, side: 'buy' } as const;
  expect(sharesInTransition(asked, rig.engine.state, () => security(AAPL)).toNumber()).toBe(0);
});

describe('a sale of one of several strategies while the exits of another one are being cancelled', () => {
  /** The stop of "one" is executed and its target is being cancelled when "two" sells its 40: its order is I6. */
  function sellingRig(): EngineRig {
    const asked = { one: 0, two: 0 };
    const rig = createEngineRig({
      members: {
        one: {
          strategy: {
            onQuote: ({ symbol }, { orders }) => {
              asked.one += 1;
              return asked.one > 1
                ? undefined
                : orders.bracket(orders.buy(symbol, 40), { stop: 9, target: 12 });
            },
          },
        },
        two: {
          strategy: {
            onQuote: ({ symbol }, { orders }) => {
              asked.two += 1;
              return asked.two === 1 ? orders.buy(symbol, 40) : orders.sell(symbol, 40);
            },
          },
        },
      },
    });
    const execute = (id: string, price: string): void => {
      rig.venue.execute(id, { id: `${id} filled`, quantity: '40', price });
      rig.venue.push(id);
    };
    rig.start();
    rig.quote(10);
    execute('O-I2', '10');
    execute('O-I3', '10');
    execute('O-I4', '9');
    rig.quote(10);
    return rig;
  }
  const submissionOf = ({ engine }: EngineRig): string | undefined =>
    engine.state.order(intentId('I6'))?.facets.submission.kind;

  it('is sent once the cancel is confirmed', () => {
    const rig = sellingRig();
    expect([submissionOf(rig), rig.engine.state.order(intentId('I6'))?.held]).toEqual(['drafted', true]);
    rig.venue.list('O-I5', { status: 'CanceledStatus' });
    rig.venue.push('O-I5');
    expect(submissionOf(rig)).toBe('acked');
  });

  it('is judged by the gate after a minute without it', () => {
    const rig = sellingRig();
    until(rig, 59_000);
    expect(submissionOf(rig)).toBe('drafted');
    until(rig, 61_000);
    expect(submissionOf(rig)).toBe('denied');
  });
});
