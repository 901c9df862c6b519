import fc from 'fast-check';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { openRest } from '#src/model/order-state.ts';
import type { RuleHost } from '#src/ports/rule-host.ts';
import { MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { Decision, OrderDrafts } from '#src/strategy/order-draft.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import {
  createEngineRig,
  type EngineRig,
  type RigMember,
  type RigOptions,
} from '../../fixtures/engine-rig.ts';
import { AAPL, at, type BarRow, columnsOf } from '../../fixtures/market.ts';
import { termsOf } from '../../fixtures/orders.ts';
import { randomCases } from '../../fixtures/random-cases.ts';
import { ends, fill } from '../../fixtures/rebalancing.ts';
import { limitsOf } from '../../fixtures/risk.ts';
import { runTo } from '../../fixtures/time.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');

interface World {
  readonly orders: OrderDrafts;
  readonly side: 'buy' | 'sell';
  /** A limit that the market passes three minutes after the stop was filled. */
  readonly limit: number;
  /** A trigger that it never reaches. */
  readonly far: number;
}

/**
 * Holds 100 long or short, with a stop order for `stopped` of them that is filled in the sixth minute. `close` closes
 * the position from the fourth minute on. Returns the position at the end, and how the algorithm ended.
 */
function closed(isLong: boolean, stopped: number, close: (world: World) => Decision) {
  const side = isLong ? 'sell' : 'buy';
  const [stop, limit, far, later] = isLong ? [9, 10.5, 8, 10.6] : [11, 9.5, 12, 9.4];
  const rows = Array.from({ length: 20 }, (_, minute): BarRow => {
    const price = minute < 8 ? 10 : later;
    const touched = minute === 5 ? stop : price;
    return [OPEN + minute * 60_000, price, Math.max(price, touched), Math.min(price, touched), price, 10_000];
  });
  let bar = 0;
  const strategy = defineStrategy({
    name: 'closing',
    params: {},
    onBar: (_, { orders }) => {
      bar += 1;
      if (bar === 1) return isLong ? orders.buy(AAPL, 100) : orders.sell(AAPL, 100);
      if (bar === 2) return orders[side](AAPL, stopped, { type: 'MIT', triggerPrice: stop });
      return bar === 3 ? close({ orders, side, limit, far }) : undefined;
    },
  });
  const journal = createMemoryJournal();
  const bars = columnsOf(AAPL, '1m', rows);
  const limits = limitsOf({ allowShort: true });
  runBacktest(setupOf(strategy, [bars], { limits, short: true, margin: MARGIN_ACCOUNT }), { journal });
  let held = 0;
  const ended: string[] = [];
  for (const event of journal.replay()) {
    if (event.kind === 'algorithm-ended') ended.push(`${event.outcome}: ${event.why}`);
    if (event.kind !== 'order-filled') continue;
    const shares = event.fill.quantity.toNumber();
    held += event.fill.side === 'buy' ? shares : -shares;
  }
  return { held, ended };
}

/** With the most shares that the stop may close; the TWAP has closed 40 before it. */
const ALGORITHMS: readonly (readonly [string, (world: World) => Decision, number])[] = [
  ['a TWAP', ({ orders, side }) => orders.twap(orders[side](AAPL, 100), { minutes: 10, parts: 5 }), 60],
  [
    'an iceberg',
    ({ orders, side, limit: price }) =>
      orders.iceberg(orders[side](AAPL, 100, { type: 'LO', price }), { shown: 20 }),
    100,
  ],
  [
    'a TWAP whose parts are all open',
    ({ orders, side, limit: price }) =>
      orders.twap(orders[side](AAPL, 100, { type: 'LO', price }), { minutes: 2, parts: 2 }),
    100,
  ],
  [
    'an iceberg whose last part is open',
    ({ orders, side, limit: price }) =>
      orders.iceberg(orders[side](AAPL, 100, { type: 'LO', price }), { shown: 100 }),
    100,
  ],
  [
    'a chase that crosses',
    ({ orders, side, limit: bound }) =>
      orders.chase(orders[side](AAPL, 100), { minutes: 1, bound, atEnd: 'cross' }),
    100,
  ],
  [
    'a chase',
    ({ orders, side, limit: bound }) =>
      orders.chase(orders[side](AAPL, 100), { minutes: 12, bound, atEnd: 'cross' }),
    100,
  ],
  [
    'an OCO',
    ({ orders, side, limit: price, far: triggerPrice }) =>
      orders.oco([
        orders[side](AAPL, 100, { type: 'LO', price }),
        orders[side](AAPL, 100, { type: 'MIT', triggerPrice }),
      ]),
    100,
  ],
];

describe.each([
  ['long', true],
  ['short', false],
] as const)('an algorithm that closes a %s position of which a stop closes a part', (_, isLong) => {
  it.each(ALGORITHMS)('closes the rest and never reverses it: %s', (_name, close, most) => {
    for (const stopped of [30, 50, most]) {
      const { held, ended } = closed(isLong, stopped, close);
      expect([stopped, held, ended.length]).toEqual([stopped, 0, 1]);
    }
    expect(closed(isLong, most, close).ended).toEqual([expect.stringContaining('canceled: ')]);
  });
});

/**
 * A bot that holds 100 AAPL and closes them by an algorithm from the second quote on; it may sell short. At later
 * quotes its strategy fails, unless it orders something.
 */
function closing(
  close: (orders: OrderDrafts) => Decision,
  onAlarm: (alarm: Alarm) => void = () => undefined,
  then: (orders: OrderDrafts) => Decision = () => {
    throw new Error('a bug');
  },
  options: Pick<RigOptions, 'lotSize' | 'rules'> = {},
): EngineRig {
  let quotes = 0;
  const strategy: RigMember['strategy'] = {
    onQuote: (_event, { orders }) => {
      quotes += 1;
      if (quotes === 1) return orders.buy(AAPL, 100);
      return quotes === 2 ? close(orders) : then(orders);
    },
  };
  const rig = createEngineRig({
    limits: { allowShort: true, useMargin: true },
    members: {
      closing: { strategy, whenFails: 'keep' },
      other: { strategy: { onQuote: () => undefined } },
    },
    onAlarm,
    ...options,
  });
  rig.start();
  rig.quote(10);
  fill(rig, 'I1', '100', '9000', { AAPL: '100' });
  rig.quote(10);
  return rig;
}

/** The owner sells some of the 100 shares outside the bot. */
function sellByHand({ venue, clock }: EngineRig, shares = 40): void {
  venue.list('HAND', { terms: termsOf({ side: 'sell', quantity: decimal(String(shares)) }) });
  venue.execute('HAND', { id: 'by-hand', quantity: String(shares), price: '10' });
  venue.hold({ AAPL: String(100 - shares) }, String(9000 + 10 * shares));
  venue.push('HAND');
  runTo(clock, clock.now() + 1_000);
}

/** The venue confirms the cancels that were requested. */
function confirmCancels({ venue, clock }: EngineRig): void {
  for (const call of venue.calls.filter((each) => each.startsWith('cancel '))) {
    const id = call.replace('cancel ', '');
    venue.list(id, { status: 'CanceledStatus' });
    venue.push(id);
  }
  runTo(clock, clock.now() + 1_000);
}

/** Sells a half by one OCO, and the other half by another. */
const inHalves = (orders: OrderDrafts, shares = 50) =>
  [12, 13].map((price) =>
    orders.oco([
      orders.sell(AAPL, shares, { type: 'LO', price }),
      orders.sell(AAPL, shares, { type: 'MIT', triggerPrice: 9 }),
    ]),
  );

const working = ({ engine }: EngineRig): readonly string[] =>
  [...engine.state.live.values()].map(({ terms, facets }) => `${terms.side} ${openRest(facets)}`);

const twapOfTwo = (orders: OrderDrafts): Decision =>
  orders.twap(orders.sell(AAPL, 100, { type: 'LO', price: 11 }), { minutes: 2, parts: 2 });

describe('a TWAP that closes, of which all parts are open when a part of the position is sold by hand', () => {
  it('cancels them and sends the rest in one order', () => {
    const rig = closing(twapOfTwo);
    runTo(rig.clock, rig.clock.now() + 3 * 60_000);
    expect(working(rig)).toEqual(['sell 50', 'sell 50']);
    sellByHand(rig);
    confirmCancels(rig);
    expect(working(rig)).toEqual(['sell 60']);
    expect(ends(rig)).toEqual([]);
  });

  it('sends the rest again after a temporary refusal', () => {
    const rig = closing(twapOfTwo);
    runTo(rig.clock, rig.clock.now() + 3 * 60_000);
    sellByHand(rig);
    const { submit } = rig.venue.answers;
    rig.venue.answers.submit = () => of({ kind: 'refused', code: 429_002, message: 'too many requests' });
    confirmCancels(rig);
    expect([working(rig), ends(rig)]).toEqual([[], []]);
    rig.venue.answers.submit = submit;
    runTo(rig.clock, rig.clock.now() + 10_000);
    expect([working(rig), ends(rig)]).toEqual([['sell 60'], []]);
  });

  it('ends with an alarm if the rest is refused for ten minutes', () => {
    const alarms: string[] = [];
    const rig = closing(twapOfTwo, ({ code }) => alarms.push(code));
    runTo(rig.clock, rig.clock.now() + 3 * 60_000);
    sellByHand(rig);
    rig.venue.answers.submit = () => of({ kind: 'refused', code: 429_002, message: 'too many requests' });
    confirmCancels(rig);
    runTo(rig.clock, rig.clock.now() + 11 * 60_000);
    expect(ends(rig)).toEqual([
      'failed: 60 of 100 could not be sent again within 10 minutes after the position became smaller; 0 of 100 traded',
    ]);
    expect(alarms).toEqual(['slices-missed']);
  });

  it('cancels them without another order if its strategy has failed', () => {
    const rig = closing(twapOfTwo);
    runTo(rig.clock, rig.clock.now() + 3 * 60_000);
    rig.quote(10);
    expect(working(rig)).toEqual(['sell 50', 'sell 50']);
    sellByHand(rig);
    confirmCancels(rig);
    expect([working(rig), ends(rig)]).toEqual([[], ['canceled: the strategy failed; 0 of 100 traded']]);
  });
});

describe('a chase that closes, when a part of the position is sold by hand', () => {
  it.each([
    ['follows', 30],
    ['has crossed to its bound', 1],
  ])(
    'is cancelled and sent again for what is left if the venue does not amend it, and it %s',
    (_, minutes) => {
      const rig = closing((orders) =>
        orders.chase(orders.sell(AAPL, 100), { minutes, bound: 9.5, atEnd: 'cross' }),
      );
      rig.venue.answers.replace = () =>
        of({ kind: 'refused', code: 602_012, message: 'no amend of this type' });
      runTo(rig.clock, rig.clock.now() + 2 * 60_000);
      confirmCancels(rig);
      expect(working(rig)).toEqual(['sell 100']);
      sellByHand(rig);
      runTo(rig.clock, rig.clock.now() + 60_000);
      confirmCancels(rig);
      expect([working(rig), ends(rig)]).toEqual([['sell 60'], []]);
    },
  );

  const chasing = (options: Pick<RigOptions, 'lotSize' | 'rules'>) => {
    const rig = closing(
      (orders) => orders.chase(orders.sell(AAPL, 100), { minutes: 30, bound: 9.5, atEnd: 'cross' }),
      ...([undefined, undefined, options] as const),
    );
    rig.venue.answers.replace = ({ orderId, terms }) => {
      rig.venue.list(orderId, { terms });
      return of({ kind: 'accepted' });
    };
    runTo(rig.clock, rig.clock.now() + 60_000);
    return rig;
  };

  it.each([
    [20, ['sell 40'], []],
    [100, [], ['canceled: nothing is left to close']],
  ])('closes only whole lots of what is left (%d)', (lotSize, open, ended) => {
    const rig = chasing({ lotSize });
    sellByHand(rig, 50);
    runTo(rig.clock, rig.clock.now() + 10_000);
    confirmCancels(rig);
    expect([working(rig), ends(rig)]).toEqual([open, ended]);
    expect(rig.kinds()).not.toContain('replace-denied');
  });

  it('is cancelled and sent again if an amend would not be for whole lots', () => {
    const rig = chasing({ lotSize: 20 });
    const [peg] = rig.engine.state.live.keys();
    fill(rig, `${peg}`, '10', '9100', { AAPL: '90' });
    sellByHand(rig, 60);
    rig.venue.hold({ AAPL: '30' }, '9700');
    runTo(rig.clock, rig.clock.now() + 10_000);
    confirmCancels(rig);
    expect([working(rig), ends(rig)]).toEqual([['sell 20'], []]);
    expect(rig.kinds()).not.toContain('replace-denied');
  });

  it('is cancelled and sent again if the gate denies an amend', () => {
    let isDenied = true;
    const rules: RuleHost = {
      evaluate: ({ order }) =>
        of(isDenied && order.quantity.eq(60) ? { kind: 'deny', rule: 'r', reason: '' } : { kind: 'pass' }),
    };
    const rig = chasing({ rules });
    sellByHand(rig);
    runTo(rig.clock, rig.clock.now() + 20_000);
    expect(rig.kinds().filter((kind) => kind === 'replace-denied')).toHaveLength(1);
    isDenied = false;
    confirmCancels(rig);
    expect([working(rig), ends(rig)]).toEqual([['sell 60'], []]);
  });

  it('is cancelled without another order if its strategy has failed', () => {
    const rig = closing((orders) =>
      orders.chase(orders.sell(AAPL, 100), { minutes: 30, bound: 9.5, atEnd: 'cancel' }),
    );
    rig.quote(10);
    expect(working(rig)).toEqual(['sell 100']);
    sellByHand(rig);
    confirmCancels(rig);
    expect([working(rig), ends(rig)]).toEqual([[], ['canceled: the strategy failed']]);
  });
});

describe('an algorithm that closes 100, which its strategy amends to 60 before it sells the other 40', () => {
  it.each<[string, (orders: OrderDrafts) => Decision, readonly string[]]>([
    ['an OCO', (orders) => inHalves(orders, 100).slice(0, 1), ['sell 60', 'sell 60']],
    [
      'a chase',
      (orders) => orders.chase(orders.sell(AAPL, 100), { minutes: 60, bound: 9.5, atEnd: 'cancel' }),
      ['sell 60'],
    ],
  ])('stays at 60 as %s', (_, close, open) => {
    let later = 0;
    const rig = closing(close, undefined, (orders) => {
      later += 1;
      if (later === 2) return orders.sell(AAPL, 40, { type: 'LO', price: 12 });
      return [...rig.engine.state.live.values()].map(({ intentId, terms: { symbol } }) =>
        orders.replace({ intentId, symbol }, { quantity: 60 }),
      );
    });
    rig.venue.answers.replace = ({ orderId, terms }) => {
      rig.venue.list(orderId, { terms });
      return of({ kind: 'accepted' });
    };
    const quoteAndWait = (): void => {
      rig.quote(10);
      runTo(rig.clock, rig.clock.now() + 5 * 60_000);
    };
    runTo(rig.clock, rig.clock.now() + 1_000);
    quoteAndWait();
    expect(working(rig)).toEqual(open);
    quoteAndWait();
    expect(working(rig)).toEqual([...open, 'sell 40']);
    fill(rig, `${[...rig.engine.state.live.keys()].at(-1)}`, '40', '9480', { AAPL: '60' });
    runTo(rig.clock, rig.clock.now() + 5 * 60_000);
    expect([working(rig), ends(rig)]).toEqual([open, []]);
    expect(rig.venue.calls.filter((call) => call.startsWith('replace '))).toHaveLength(open.length);
  });
});

describe('two orders that close a half of a position each, when a part of it is sold by hand', () => {
  function amending(close: (orders: OrderDrafts) => Decision, then?: (orders: OrderDrafts) => Decision) {
    const alarms: string[] = [];
    const rig = closing(close, ({ code }) => alarms.push(code), then);
    rig.venue.answers.replace = ({ orderId, terms }) => {
      rig.venue.list(orderId, { terms });
      return of({ kind: 'accepted' });
    };
    return { rig, alarms };
  }

  it.each([
    [40, ['sell 50', 'sell 50', 'sell 50', 'sell 50']],
    [50, ['sell 50', 'sell 50', 'sell 50', 'sell 50']],
    [70, ['sell 30', 'sell 30', 'sell 30', 'sell 30']],
  ])('keep both OCOs at no more than what is held (%d of 100 are sold)', (shares, left) => {
    const { rig, alarms } = amending(inHalves);
    expect(working(rig)).toEqual(['sell 50', 'sell 50', 'sell 50', 'sell 50']);
    sellByHand(rig, shares);
    confirmCancels(rig);
    runTo(rig.clock, rig.clock.now() + 60_000);
    expect([working(rig), alarms]).toEqual([left, []]);
  });

  const limitOrder = (orders: OrderDrafts): Decision => orders.sell(AAPL, 50, { type: 'LO', price: 12 });
  const shortChase = (orders: OrderDrafts): Decision =>
    orders.chase(orders.sell(AAPL, 50), { minutes: 1, bound: 10, atEnd: 'cancel' });

  it.each([
    ['limit order', limitOrder, 40],
    ['limit order', limitOrder, 50],
    ['chase', shortChase, 40],
    ['chase', shortChase, 50],
  ] as const)(
    'keep the OCO although an older %s may close its shares, which ends untraded (%#)',
    (_, older, shares) => {
      const { rig, alarms } = amending(older, (orders) => inHalves(orders).slice(0, 1));
      runTo(rig.clock, rig.clock.now() + 1_000);
      rig.quote(10);
      runTo(rig.clock, rig.clock.now() + 1_000);
      sellByHand(rig, shares);
      runTo(rig.clock, rig.clock.now() + 60_000);
      if (older === limitOrder) {
        rig.venue.list('O-I2', { status: 'ExpiredStatus' });
        rig.venue.push('O-I2');
      }
      confirmCancels(rig);
      runTo(rig.clock, rig.clock.now() + 10 * 60_000);
      expect([working(rig), alarms]).toEqual([['sell 50', 'sell 50'], []]);
    },
  );

  it.each<[string, (orders: OrderDrafts) => Decision, readonly string[]]>([
    ['an OCO', (orders) => inHalves(orders).slice(0, 1), ['sell 50', 'sell 50', 'sell 50']],
    [
      'a TWAP',
      (orders) => orders.twap(orders.sell(AAPL, 50, { type: 'LO', price: 11 }), { minutes: 2, parts: 2 }),
      ['sell 50', 'sell 10'],
    ],
    [
      'a chase',
      (orders) => orders.chase(orders.sell(AAPL, 50), { minutes: 30, bound: 10, atEnd: 'cancel' }),
      ['sell 50', 'sell 10'],
    ],
  ])('leaves an older limit order its shares, and %s the rest or, as an OCO, its own', (_, close, left) => {
    const { rig, alarms } = amending((orders) => orders.sell(AAPL, 50, { type: 'LO', price: 12 }), close);
    runTo(rig.clock, rig.clock.now() + 1_000);
    rig.quote(10);
    runTo(rig.clock, rig.clock.now() + 2 * 60_000);
    sellByHand(rig);
    confirmCancels(rig);
    runTo(rig.clock, rig.clock.now() + 60_000);
    expect([working(rig), alarms]).toEqual([left, []]);
  });

  it.each<[string, (orders: OrderDrafts) => Decision, readonly string[]]>([
    [
      'a TWAP',
      (orders) => orders.twap(orders.sell(AAPL, 50, { type: 'LO', price: 11 }), { minutes: 4, parts: 2 }),
      ['sell 25', 'sell 25'],
    ],
    [
      'an iceberg',
      (orders) => orders.iceberg(orders.sell(AAPL, 50, { type: 'LO', price: 11 }), { shown: 25 }),
      ['sell 25'],
    ],
    [
      'a chase',
      (orders) => orders.chase(orders.sell(AAPL, 50), { minutes: 30, bound: 10, atEnd: 'cancel' }),
      ['sell 50'],
    ],
  ])(
    'let %s wait while an older limit order may close all that is held, and continue after it',
    (_, close, left) => {
      const { rig, alarms } = amending(limitOrder, close);
      runTo(rig.clock, rig.clock.now() + 1_000);
      rig.quote(10);
      runTo(rig.clock, rig.clock.now() + 60_000);
      sellByHand(rig, 50);
      runTo(rig.clock, rig.clock.now() + 5_000);
      confirmCancels(rig);
      runTo(rig.clock, rig.clock.now() + 2 * 60_000);
      expect([working(rig), ends(rig)]).toEqual([['sell 50'], []]);
      rig.venue.list('O-I2', { status: 'ExpiredStatus' });
      rig.venue.push('O-I2');
      runTo(rig.clock, rig.clock.now() + 1_000);
      expect([working(rig), ends(rig), alarms]).toEqual([left, [], []]);
    },
  );

  it.each<[string, (orders: OrderDrafts) => Decision, string, string]>([
    [
      'a TWAP',
      (orders) => orders.twap(orders.sell(AAPL, 50, { type: 'LO', price: 11 }), { minutes: 4, parts: 2 }),
      'failed: older orders left nothing of 25 that were cancelled as the position became smaller; 0 of 50 traded',
      'slices-missed',
    ],
    [
      'an iceberg',
      (orders) => orders.iceberg(orders.sell(AAPL, 50, { type: 'LO', price: 11 }), { shown: 25 }),
      'failed: part 2 of 2 could not be sent within 10 minutes after the part before it was filled; 0 of 50 AAPL.US traded',
      'slices-missed',
    ],
    [
      'a chase that crosses',
      (orders) => orders.chase(orders.sell(AAPL, 50), { minutes: 4, bound: 10, atEnd: 'cross' }),
      'failed: its time was over more than 10 minutes ago; 50 AAPL.US did not trade',
      'chase-late',
    ],
  ])(
    'end %s with an alarm if an older limit order may close all that is held for its whole time',
    (_, close, end, alarm) => {
      const { rig, alarms } = amending(limitOrder, close);
      runTo(rig.clock, rig.clock.now() + 1_000);
      rig.quote(10);
      runTo(rig.clock, rig.clock.now() + 60_000);
      sellByHand(rig, 50);
      runTo(rig.clock, rig.clock.now() + 5_000);
      confirmCancels(rig);
      runTo(rig.clock, rig.clock.now() + 15 * 60_000);
      expect([working(rig), ends(rig), alarms]).toEqual([['sell 50'], [end], [alarm]]);
    },
  );

  it.each([
    [5, ['sell 50'], [], []],
    [
      20,
      [],
      [
        'failed: older orders left nothing of 50 that were cancelled as the position became smaller; 0 of 50 traded',
      ],
      ['slices-missed'],
    ],
  ] as const)(
    'let all parts of a TWAP wait for an older limit order (%d minutes)',
    (minutes, left, end, alarm) => {
      const { rig, alarms } = amending(limitOrder, (orders) =>
        orders.twap(orders.sell(AAPL, 50, { type: 'LO', price: 11 }), { minutes: 2, parts: 2 }),
      );
      runTo(rig.clock, rig.clock.now() + 1_000);
      rig.quote(10);
      runTo(rig.clock, rig.clock.now() + 90_000);
      sellByHand(rig, 50);
      confirmCancels(rig);
      runTo(rig.clock, rig.clock.now() + minutes * 60_000);
      rig.venue.list('O-I2', { status: 'ExpiredStatus' });
      rig.venue.push('O-I2');
      runTo(rig.clock, rig.clock.now() + 1_000);
      expect([working(rig), ends(rig), alarms]).toEqual([left, end, alarm]);
    },
  );

  it.each([
    ['20 of its shares', '20', '80', ['sell 30', 'sell 50', 'sell 50']],
    ['all of its shares', '50', '50', ['sell 50', 'sell 50']],
  ])('keep the newer OCO as it is when the older one trades %s', (_, shares, left, open) => {
    for (const kind of ['accepted', 'refused'] as const) {
      const { rig, alarms } = amending(inHalves);
      const { cancel } = rig.venue.answers;
      rig.venue.answers.cancel = () =>
        of(kind === 'accepted' ? { kind } : { kind, code: 602_013, message: '' });
      const stop = [...rig.engine.state.live.values()].find(({ terms }) => terms.type === 'MIT')?.intentId;
      fill(rig, `${stop}`, shares, '9500', { AAPL: left });
      rig.venue.answers.cancel = cancel;
      runTo(rig.clock, rig.clock.now() + 2_000);
      confirmCancels(rig);
      runTo(rig.clock, rig.clock.now() + 60_000);
      expect([working(rig).toSorted(), alarms]).toEqual([open, []]);
    }
  });

  it('keeps an OCO for all that a TWAP has not sold yet at the whole position', () => {
    const { rig } = amending(
      (orders) => orders.twap(orders.sell(AAPL, 100, { type: 'LO', price: 10 }), { minutes: 10, parts: 5 }),
      (orders) => inHalves(orders, 80).slice(0, 1),
    );
    const [first] = rig.engine.state.live.keys();
    fill(rig, `${first}`, '20', '9200', { AAPL: '80' });
    rig.quote(10);
    runTo(rig.clock, rig.clock.now() + 2 * 60_000);
    expect(working(rig)).toEqual(['sell 80', 'sell 80', 'sell 20']);
  });

  it('keep their shares if they began with more than others left', () => {
    const both = (orders: OrderDrafts): Decision => [...inHalves(orders, 100)];
    const { rig, alarms } = amending(both);
    sellByHand(rig);
    runTo(rig.clock, rig.clock.now() + 60_000);
    expect([working(rig), alarms]).toEqual([['sell 60', 'sell 60', 'sell 60', 'sell 60'], []]);
  });
});

describe('random orders that close a position, between stops of the same position', () => {
  const someClosing = fc.record({
    kind: fc.constantFrom('twap', 'iceberg', 'chase', 'oco'),
    bar: fc.integer({ min: 3, max: 12 }),
    shares: fc.integer({ min: 1, max: 10 }),
    parts: fc.integer({ min: 1, max: 4 }),
    /** In cents from the close of its bar. */
    distance: fc.integer({ min: 1, max: 40 }),
    isPatient: fc.boolean(),
  });
  const someStop = fc.record({
    bar: fc.integer({ min: 3, max: 12 }),
    shares: fc.integer({ min: 1, max: 10 }),
    distance: fc.integer({ min: 1, max: 40 }),
  });
  const someMove = fc.integer({ min: -25, max: 25 });

  it('never reverse it, unless they began with more than was left', () => {
    let counted = 0;
    fc.assert(
      fc.property(
        fc.array(someClosing, { minLength: 1, maxLength: 2 }),
        fc.array(someStop, { maxLength: 2 }),
        fc.array(someMove, { minLength: 30, maxLength: 30 }),
        (closings, stops, moves) => {
          let cents = 1_000;
          const rows = moves.map((move, minute): BarRow => {
            const open = cents / 100;
            cents = Math.max(900, Math.min(1_100, cents + move));
            const close = cents / 100;
            const [high, low] = [Math.max(open, close) + 0.05, Math.min(open, close) - 0.05];
            return [OPEN + minute * 60_000, open, high, low, close, 10_000];
          });
          const total = closings.reduce((sum, { shares }) => sum + 10 * shares, 0);
          let bar = 0;
          const strategy = defineStrategy({
            name: 'closing',
            params: {},
            onBar: (_, { orders }) => {
              bar += 1;
              if (bar === 1) return orders.buy(AAPL, total);
              const away = (distance: number): string =>
                ((rows[bar - 1]?.[4] ?? 0) + distance / 100).toFixed(2);
              const stopping = stops
                .filter((stop) => stop.bar === bar)
                .map(({ shares, distance }) =>
                  orders.sell(AAPL, Math.min(total, 10 * shares), {
                    type: 'MIT',
                    triggerPrice: away(-distance),
                  }),
                );
              const closing = closings
                .filter((each) => each.bar === bar)
                .map(({ kind, shares, parts, distance, isPatient }) => {
                  const limited = orders.sell(AAPL, 10 * shares, { type: 'LO', price: away(distance) });
                  const order = isPatient ? limited : orders.sell(AAPL, 10 * shares);
                  if (kind === 'twap') return orders.twap(order, { minutes: 2 * parts, parts });
                  if (kind === 'iceberg')
                    return orders.iceberg(limited, { shown: Math.ceil((10 * shares) / parts) });
                  if (kind === 'oco')
                    return orders.oco([
                      limited,
                      orders.sell(AAPL, 10 * shares, { type: 'MIT', triggerPrice: away(-distance) }),
                    ]);
                  return orders.chase(orders.sell(AAPL, 10 * shares), {
                    ...{ minutes: 2 * parts, bound: 9.3, atEnd: isPatient ? 'cross' : 'cancel' },
                  });
                });
              return [...stopping, ...closing];
            },
          });
          const journal = createMemoryJournal();
          const limits = limitsOf({ allowShort: true });
          const setup = setupOf(strategy, [columnsOf(AAPL, '1m', rows)], {
            ...{ limits, short: true, margin: MARGIN_ACCOUNT },
          });
          runBacktest(setup, { journal });
          const ofClosings = new Set<string>();
          let [held, stoppedAt, started] = [0, 0, 0];
          for (const event of journal.replay()) {
            if (event.kind === 'algorithm-started') {
              started += 1;
              const { spec } = event;
              if (!('closes' in spec) || (started > 1 && !('yields' in spec))) return;
            }
            if (event.kind === 'intent-drafted' && event.link !== undefined) ofClosings.add(event.intentId);
            if (event.kind !== 'order-filled') continue;
            const shares = event.fill.quantity.toNumber();
            held += event.fill.side === 'buy' ? shares : -shares;
            if (!ofClosings.has(event.intentId)) stoppedAt = event.at;
            // What a stop sells at one instant reaches the other orders at the next.
            else if (event.at - stoppedAt >= 60_000) {
              counted += 1;
              expect(held).toBeGreaterThanOrEqual(0);
            }
          }
        },
      ),
      { numRuns: randomCases(500, 100) },
    );
    expect(counted).toBeGreaterThan(50);
  });
});
