import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BotState } from '#src/events/bot-state.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { decimal, ZERO } from '#src/model/decimal.ts';
import { executionId, intentId, orderId } from '#src/model/order.ts';
import { isLive } from '#src/model/order-state.ts';
import { millis } from '#src/model/time.ts';
import type { OperatorCommand } from '#src/ports/operator.ts';
import { type OrderDraft, orderDrafts } from '#src/strategy/order-draft.ts';
import type { EngineRig, RigMember, RigOptions } from '../fixtures/engine-rig.ts';
import type { FakeVenue } from '../fixtures/fake-venue.ts';
import { AAPL } from '../fixtures/market.ts';
import { drafted, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';
import { restarted } from '../fixtures/restarting.ts';
import { fill, rigOf, trader } from '../fixtures/several-traders.ts';
import { runTo } from '../fixtures/time.ts';

/** Shares of AAPL.US per strategy, without those that hold none. */
function sharesOf({ books }: Pick<BotState, 'books'>): Record<string, number> {
  const shares = [...books].map(([name, { holdings }]) => [name, Number(holdings.get(AAPL)?.quantity ?? 0)]);
  return Object.fromEntries(shares.filter(([, quantity]) => quantity !== 0));
}

const accountOf = ({ portfolio }: Pick<BotState, 'portfolio'>): number =>
  Number(portfolio.holdings.get(AAPL)?.quantity ?? 0);

function folded(events: Iterable<SluiceEvent>): BotState {
  const fold = createFold();
  for (const event of events) fold.apply(event);
  return fold.state;
}

/** The owner sells shares of the account outside the bot. */
function sellByHand(rig: EngineRig, quantity: string, left: string): void {
  rig.venue.list('HAND', { terms: termsOf({ side: 'sell', quantity: decimal(quantity) }) });
  rig.venue.execute('HAND', { id: 'by-hand', quantity, price: '10' });
  rig.venue.hold({ AAPL: left }, '9000');
  rig.venue.push('HAND');
}

const drafts = (rig: EngineRig): readonly string[] =>
  [...rig.journal.replay()].flatMap((event) =>
    event.kind === 'intent-drafted'
      ? [`${event.strategy ?? 'operator'} ${event.terms.side} ${event.terms.quantity}`]
      : [],
  );

/**
 * A strategy with its own daily loss limit of 0.2 %, which sends an order at every quote but the second, and the
 * reasons of each denial.
 */
function losing(order: OrderDraft) {
  const seen: string[] = [];
  let quotes = 0;
  const loser: RigMember = {
    limits: { maxDailyLoss: decimal('0.002') },
    strategy: {
      onQuote: () => {
        quotes += 1;
        return quotes === 2 ? undefined : order;
      },
      onOrder: ({ why }) => void seen.push(why),
    },
  };
  return { loser, seen };
}

describe('a flatten in a bot with several strategies', () => {
  it('closes the positions of all: none sells missing shares afterwards, and each opens again', () => {
    const wanted = { a: 30, b: 10 };
    const member = (name: 'a' | 'b'): RigMember => ({
      strategy: { onQuote: () => orderDrafts.targetQuantity(AAPL, wanted[name]) },
    });
    const rig = rigOf({ a: member('a'), b: member('b') });
    rig.quote(10);
    fill(rig, 'I1', 'buy', '30');
    fill(rig, 'I2', 'buy', '10');
    rig.command({ kind: 'flatten' }, 'day ends');
    fill(rig, 'I3', 'sell', '40');
    expect(sharesOf(rig.engine.state)).toEqual({});
    wanted.a = 0;
    rig.quote(10);
    expect(drafts(rig)).toEqual(['a buy 30', 'b buy 10', 'operator sell 40', 'b buy 10']);
  });

  it('books its price and fees for each in proportion to its shares, including later fees', () => {
    const rig = rigOf({ long: trader(30), short: trader(-10) });
    rig.quote(10);
    fill(rig, 'I1', 'buy', '30');
    fill(rig, 'I2', 'sell', '10');
    rig.command({ kind: 'flatten' });
    fill(rig, 'I3', 'sell', '20');
    const { state } = rig.engine;
    expect(sharesOf(state)).toEqual({});
    const charged: SluiceEvent = {
      ...{ kind: 'order-charged', at: millis(0), intentId: intentId('I3'), currency: 'USD' },
      ...{ fee: decimal('4'), charges: [] },
    };
    const { books } = folded([...rig.journal.replay(), charged]);
    expect([...books].map(([name, { cash }]) => [name, String(cash.get('USD'))])).toEqual([
      ['long', '-3'],
      ['short', '-1'],
    ]);
  });

  it("counts what it closed in the loss of the day that a strategy's own limit allows", () => {
    const { loser, seen } = losing(orderDrafts.buy(AAPL, 30));
    const rig = rigOf({ loser, other: trader(1) });
    rig.quote(10);
    fill(rig, 'I1', 'buy', '30');
    fill(rig, 'I2', 'buy', '1');
    rig.quote(9);
    rig.command({ kind: 'flatten' });
    rig.venue.list('O-I3', { intentId: intentId('I3') });
    rig.venue.execute('O-I3', { id: 'e-I3', quantity: '31', price: '9' });
    rig.venue.hold({}, '9969');
    rig.venue.push('O-I3');
    rig.quote(12);
    expect(seen.at(-1)).toMatch(/Own limit of "loser": The day has cost 0\.3\d*% of equity, limit is 0\.2%/);
  });
});

describe('a flatten of opposite positions that cancel out in the account', () => {
  /** One strategy holds 100 that were bought at 10, the other is short of them; each trades towards its target. */
  function opposite(byHand = '0') {
    const wanted = { long: 100, short: -100 };
    const member = (name: 'long' | 'short'): RigMember => ({
      strategy: { onQuote: () => orderDrafts.targetQuantity(AAPL, wanted[name]) },
    });
    const members = { long: member('long'), short: member('short') };
    const rig = rigOf(members);
    rig.quote(10);
    fill(rig, 'I1', 'buy', '100');
    fill(rig, 'I2', 'sell', '100');
    if (byHand !== '0') {
      rig.venue.list('HAND', { terms: termsOf({ side: 'buy', quantity: decimal(byHand) }) });
      rig.venue.execute('HAND', { id: 'by-hand', quantity: byHand, price: '10' });
      rig.venue.hold({ AAPL: byHand }, '9500');
      rig.venue.push('HAND');
    }
    rig.quote(12);
    return { rig, wanted, members };
  }

  const earned = ({ engine }: EngineRig): Record<string, string> =>
    Object.fromEntries([...engine.state.books].map(([name, { cash }]) => [name, String(cash.get('USD'))]));

  it('ends both at the latest price, without an order, so that neither trades on a closed position', () => {
    const { rig, wanted } = opposite();
    rig.command({ kind: 'flatten' }, 'day ends');
    expect(sharesOf(rig.engine.state)).toEqual({});
    expect(earned(rig)).toEqual({ long: '200', short: '-200' });
    expect(sharesOf(folded(rig.journal.replay()))).toEqual({});
    expect(rig.engine.flattening()).toEqual([]);
    wanted.long = 0;
    rig.quote(12);
    expect(drafts(rig)).toEqual(['long buy 100', 'short sell 100', 'short sell 100']);
  });

  it.each<OperatorCommand>([
    { kind: 'flatten', symbols: [AAPL] },
    { kind: 'kill', flatten: true, foreign: false },
  ])('ends both by every flatten: $kind', (command) => {
    const { rig } = opposite();
    rig.command(command);
    expect(sharesOf(rig.engine.state)).toEqual({});
  });

  it('ends both after shares of no strategy were sold', () => {
    const { rig } = opposite('50');
    rig.command({ kind: 'flatten' });
    expect(sharesOf(rig.engine.state)).toEqual({ long: 100, short: -100 });
    rig.venue.list('O-I3', {
      intentId: intentId('I3'),
      terms: termsOf({ side: 'sell', quantity: decimal('50') }),
    });
    rig.venue.execute('O-I3', { id: 'e-I3', quantity: '50', price: '12' });
    rig.venue.hold({}, '10100');
    rig.venue.push('O-I3');
    runTo(rig.clock, rig.clock.now() + 1_000);
    expect(sharesOf(rig.engine.state)).toEqual({});
    expect(earned(rig)).toEqual({ long: '200', short: '-200' });
  });

  it('waits for the first price after a restart', () => {
    const { rig: before, members } = opposite();
    const withoutPrice = (again: EngineRig): void => {
      again.venue.hold({}, '10000');
      again.price(Number.NaN);
    };
    const options = { minted: 10, members, limits: { allowShort: true } };
    const rig = restarted([...before.journal.replay()], withoutPrice, options);
    rig.command({ kind: 'flatten' });
    expect(rig.engine.flattening()).toMatchObject([{ symbol: AAPL }]);
    rig.quote(12);
    runTo(rig.clock, rig.clock.now() + 1_000);
    expect([sharesOf(rig.engine.state), rig.engine.flattening()]).toEqual([{}, []]);
  });

  it('cancels the exits of their brackets, which end', () => {
    let asked = false;
    const guarded: RigMember = {
      strategy: {
        onQuote: () => {
          if (asked) return undefined;
          asked = true;
          return orderDrafts.bracket(orderDrafts.buy(AAPL, 30), { stop: { percent: 10 } });
        },
      },
    };
    const rig = rigOf({ guarded, other: trader(-30) });
    rig.quote(10);
    fill(rig, 'I2', 'buy', '30');
    fill(rig, 'I3', 'sell', '30');
    rig.command({ kind: 'flatten' });
    const stop = [...rig.engine.state.live.values()].find(({ terms }) => terms.type === 'MIT');
    expect(rig.venue.calls).toContain(`cancel O-${stop?.intentId}`);
    rig.venue.list(`O-${stop?.intentId}`, { status: 'CanceledStatus' });
    rig.venue.push(`O-${stop?.intentId}`);
    runTo(rig.clock, rig.clock.now() + 1_000);
    expect(sharesOf(rig.engine.state)).toEqual({});
    expect(rig.engine.state.algorithms.size).toBe(0);
  });

  it("counts in the loss of the day that a strategy's own limit allows", () => {
    const { loser, seen } = losing(orderDrafts.sell(AAPL, 30));
    const rig = rigOf({ loser, other: trader(30) });
    rig.quote(10);
    fill(rig, 'I1', 'sell', '30');
    fill(rig, 'I2', 'buy', '30');
    rig.quote(11);
    rig.command({ kind: 'flatten' });
    expect(sharesOf(rig.engine.state)).toEqual({});
    rig.quote(8);
    expect(seen.at(-1)).toMatch(
      /Own limit of "loser": The day has cost 0\.299\d*% of equity, limit is 0\.2%/,
    );
  });
});

describe('shares that are sold manually in a bot with several strategies', () => {
  it('are taken from shares of no strategy first, then from the strategies in the order of their names', () => {
    const cause = { kind: 'start' as const, name: 'start', symbol: undefined, time: millis(0), inputs: {} };
    const bought = (strategy: string, shares: string): readonly SluiceEvent[] => [
      {
        ...{ kind: 'intent-drafted', at: millis(0), intentId: intentId(strategy), reason: '', cause },
        ...{ terms: termsOf({ quantity: decimal(shares) }), strategy },
      },
      {
        ...{ kind: 'order-filled', at: millis(0), intentId: intentId(strategy) },
        fill: fillOf(strategy, 'buy', shares, '10', { intent: intentId(strategy) }),
      },
    ];
    const byHand = (id: string, side: 'buy' | 'sell', shares: string): SluiceEvent => ({
      ...{ kind: 'foreign-filled', at: millis(0) },
      fill: { ...fillOf(id, side, shares, '12'), executionId: executionId(id), orderId: orderId(id) },
    });
    const opened = [...bought('second', '10'), ...bought('first', '30'), byHand('1', 'buy', '5')];
    const sold = (shares: string) => folded([...opened, byHand('2', 'sell', shares)]);
    expect(sharesOf(sold('5'))).toEqual({ first: 30, second: 10 });
    expect(sharesOf(sold('25'))).toEqual({ first: 10, second: 10 });
    expect(sharesOf(sold('40'))).toEqual({ second: 5 });
    expect(sharesOf(sold('50'))).toEqual({});
    expect(String(sold('25').books.get('first')?.cash.get('USD'))).toBe('-60');
  });

  it('are taken in the order of names, too, from a strategy whose purchase was executed before and reported later', () => {
    const rig = rigOf({ a: trader(30), b: trader(10) });
    rig.quote(10);
    fill(rig, 'I2', 'buy', '10');
    // The venue fills the order of "a" and the owner sells 25: that sale is pushed first.
    rig.venue.list('O-I1', { intentId: intentId('I1') });
    rig.venue.execute('O-I1', { id: 'e-I1', quantity: '30', price: '10' });
    sellByHand(rig, '25', '15');
    expect(sharesOf(rig.engine.state)).toEqual({});
    rig.venue.push('O-I1');
    const { state } = rig.engine;
    expect([sharesOf(state), accountOf(state)]).toEqual([{ a: 5, b: 10 }, 15]);
    expect(sharesOf(folded(rig.journal.replay()))).toEqual({ a: 5, b: 10 });
    expect([...state.books].map(([name, { cash }]) => [name, String(cash.get('USD'))])).toEqual([
      ['b', '-100'],
      ['a', '-50'],
    ]);
  });

  it('are not taken from a strategy that bought after the owner had sold short', () => {
    const cause = { kind: 'start' as const, name: 'start', symbol: undefined, time: millis(0), inputs: {} };
    const { books } = folded([
      {
        ...{ kind: 'intent-drafted', at: millis(0), intentId: intentId('a'), reason: '', cause },
        ...{ terms: termsOf({ quantity: decimal('30') }), strategy: 'a' },
      },
      {
        ...{ kind: 'foreign-filled', at: millis(1_000) },
        fill: { ...fillOf('1', 'sell', '20', '12'), executionId: executionId('1'), orderId: orderId('1') },
      },
      {
        ...{ kind: 'order-filled', at: millis(2_000), intentId: intentId('a') },
        fill: fillOf('a', 'buy', '30', '10', { intent: intentId('a'), time: millis(2_000) }),
      },
    ]);
    expect(sharesOf({ books })).toEqual({ a: 30 });
  });

  it.each([
    ['works again for the strategy that keeps its shares', false, ['sell 10 working'], []],
    ['is missed with an alarm if its bracket had ended', true, [], ['exits-missing']],
  ])(
    'close another strategy once a purchase before them becomes known, and a stop %s',
    (_, hasEnded, stops, codes) => {
      const alarms: string[] = [];
      let asked = false;
      const b: RigMember = {
        strategy: {
          onQuote: () => {
            if (asked) return undefined;
            asked = true;
            return orderDrafts.bracket(orderDrafts.buy(AAPL, 10), { stop: { percent: 10 } });
          },
        },
      };
      const rig = rigOf({ a: trader(30), b }, { onAlarm: ({ code }) => alarms.push(code) });
      rig.quote(10);
      fill(rig, 'I3', 'buy', '10');
      rig.venue.list('O-I1', { intentId: intentId('I1') });
      rig.venue.execute('O-I1', { id: 'e-I1', quantity: '30', price: '10' });
      sellByHand(rig, '25', '15');
      const cancelled = (): void => {
        for (const call of rig.venue.calls.filter((each) => each.startsWith('cancel '))) {
          rig.venue.list(call.slice(7), { status: 'CanceledStatus' });
          rig.venue.push(call.slice(7));
        }
      };
      if (hasEnded) cancelled();
      rig.venue.push('O-I1');
      cancelled();
      runTo(rig.clock, rig.clock.now() + 1_000);
      expect(sharesOf(rig.engine.state)).toEqual({ a: 5, b: 10 });
      const live = [...rig.engine.state.live.values()].map(
        ({ terms, facets }) =>
          `${terms.side} ${terms.quantity} ${facets.cancels > 0 ? 'leaving' : 'working'}`,
      );
      expect([live, alarms]).toEqual([stops, codes]);
    },
  );

  it('leave the stop of a bracket', () => {
    let asked = false;
    const guarded: RigMember = {
      strategy: {
        onQuote: () => {
          if (asked) return undefined;
          asked = true;
          return orderDrafts.bracket(orderDrafts.buy(AAPL, 30), { stop: { percent: 10 } });
        },
      },
    };
    const rig = rigOf({ guarded, other: trader(10) });
    rig.quote(10);
    fill(rig, 'I3', 'buy', '10');
    fill(rig, 'I2', 'buy', '30');
    sellByHand(rig, '35', '5');
    expect(sharesOf(rig.engine.state)).toEqual({ other: 5 });
    const stop = [...rig.engine.state.live.values()].find(({ terms }) => terms.type === 'MIT');
    expect(stop?.facets.cancelWanted || (stop?.facets.cancels ?? 0) > 0).toBe(true);
  });
});

describe('trades by hand and fills of several strategies', () => {
  interface Trade {
    /** Undefined for a trade by hand. */
    readonly strategy: string | undefined;
    readonly time: number;
    readonly side: 'buy' | 'sell';
    readonly shares: number;
  }

  const someTrade: fc.Arbitrary<Trade> = fc.record({
    strategy: fc.constantFrom('a', 'b', 'c', undefined),
    time: fc.nat(4),
    side: fc.constantFrom('buy', 'sell'),
    shares: fc.integer({ min: 1, max: 5 }),
  });

  /** The events of trades, which become known in this order. */
  function eventsOf(trades: readonly (Trade & { readonly id: number })[]): readonly SluiceEvent[] {
    const drafts = trades.flatMap(({ id, strategy, side, shares }): readonly SluiceEvent[] => {
      const terms = termsOf({ side, quantity: decimal(String(shares * 10)) });
      return strategy === undefined ? [] : [drafted(intentOf(`I${id}`, { terms, strategy }))];
    });
    const fills = trades.map(({ id, strategy, time, side, shares }): SluiceEvent => {
      const change = { time: millis(time * 1_000), fee: decimal('0.6') };
      const fill = fillOf(`E${id}`, side, String(shares * 10), String(10 + id), change);
      const at = millis(9_000);
      if (strategy !== undefined)
        return {
          kind: 'order-filled',
          at,
          intentId: intentId(`I${id}`),
          fill: { ...fill, intentId: intentId(`I${id}`) },
        };
      const { intentId: _none, ...foreign } = fill;
      return { kind: 'foreign-filled', at, fill: { ...foreign, orderId: orderId(`H${id}`) } };
    });
    return [...drafts, ...fills];
  }

  const figuresOf = ({ books }: BotState) =>
    [...books]
      .map(([name, { cash, holdings }]) => [
        name,
        Number(holdings.get(AAPL)?.quantity ?? 0),
        Number(cash.get('USD')).toFixed(6),
      ])
      .toSorted();

  it('give the same positions and cash in whichever order they become known', () => {
    const someTrades = fc.array(someTrade, { minLength: 2, maxLength: 8 }).chain((trades) => {
      const numbered = trades.map((trade, id) => ({ ...trade, id }));
      const order = fc.shuffledSubarray(numbered, { minLength: numbered.length });
      return fc.tuple(fc.constant(numbered), order);
    });
    fc.assert(
      fc.property(someTrades, ([trades, known]) => {
        const isOwn = ({ strategy }: Trade): number => (strategy === undefined ? 1 : 0);
        const executed = trades.toSorted((a, b) => a.time - b.time || isOwn(a) - isOwn(b) || a.id - b.id);
        expect(figuresOf(folded(eventsOf(known)))).toEqual(figuresOf(folded(eventsOf(executed))));
      }),
    );
  });

  it.each([
    ['first', [1, 0]],
    ['last', [0, 1]],
  ])(
    'close both of two opposite positions if they leave the account flat, with the sale known %s',
    (_, order) => {
      const trades = [
        { id: 1, strategy: 'long', time: 1, side: 'buy' as const, shares: 10 },
        { id: 2, strategy: undefined, time: 2, side: 'sell' as const, shares: 5 },
      ];
      const short = { id: 0, strategy: 'short', time: 0, side: 'sell' as const, shares: 5 };
      const state = folded(eventsOf([short, ...order.flatMap((at) => trades[at] ?? [])]));
      expect([sharesOf(state), accountOf(state)]).toEqual([{}, 0]);
    },
  );
});

describe('books taken over from the venue', () => {
  const adopted = (shares: string): SluiceEvent => ({
    ...{ kind: 'books-adopted', at: millis(0), cash: { USD: decimal('9000') }, by: 'cli', reason: 'sold' },
    positions: [
      {
        ...{ symbol: AAPL, currency: 'USD', quantity: decimal(shares), available: decimal(shares) },
        ...{ averageCost: decimal('10'), initial: decimal(shares) },
      },
    ],
  });

  it('leave the strategies with no more than the account holds, without a gain or a loss', () => {
    const rig = rigOf({ a: trader(30), b: trader(10) });
    rig.quote(10);
    fill(rig, 'I1', 'buy', '30');
    fill(rig, 'I2', 'buy', '10');
    const records = [...rig.journal.replay()];
    const { books } = folded([...records, adopted('15')]);
    expect(sharesOf({ books })).toEqual({ a: 5, b: 10 });
    expect([...books.values()].map(({ cash }) => String(cash.get('USD')))).toEqual(['-50', '-100']);
    expect(sharesOf(folded([...records, adopted('50')]))).toEqual({ a: 30, b: 10 });
    expect(sharesOf(folded([...records, adopted('-5')]))).toEqual({});
  });
});

it('a split leaves strategies with as many whole shares as the account, and pays each its fraction', () => {
  const order = (strategy: string): SluiceEvent => ({
    ...drafted(intentOf(strategy, { terms: termsOf({ quantity: decimal('5') }) })),
    strategy,
  });
  const { books } = folded([
    ...['a', 'b'].flatMap((name) => [
      order(name),
      {
        ...{ kind: 'order-filled' as const, at: millis(0), intentId: intentId(name) },
        fill: fillOf(name, 'buy', '5', '10'),
      },
    ]),
    {
      ...{ kind: 'corporate-action', at: millis(0), action: 'split', symbol: AAPL, currency: 'USD' },
      ...{ quantity: decimal('5'), terms: { ratio: decimal('1.5'), price: decimal('7') }, amount: ZERO },
    },
  ]);
  expect(sharesOf({ books })).toEqual({ a: 8, b: 7 });
  expect([...books.values()].map(({ cash }) => String(cash.get('USD')))).toEqual(['-53.5', '-46.5']);
});

/** One step of a session on an account in which only the strategies and the operator's flatten open positions. */
type Step =
  | { readonly kind: 'target'; readonly member: 'a' | 'b' | 'c'; readonly shares: number }
  | { readonly kind: 'fill'; readonly part: number; readonly isPushed: boolean }
  | { readonly kind: 'by-hand'; readonly part: number }
  | { readonly kind: 'flatten' | 'restart' };

const someStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('target' as const),
    member: fc.constantFrom('a' as const, 'b' as const, 'c' as const),
    shares: fc.integer({ min: -40, max: 60 }),
  }),
  fc.record({
    kind: fc.constant('fill' as const),
    part: fc.constantFrom(0.3, 0.5, 1),
    isPushed: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('by-hand' as const), part: fc.constantFrom(0.3, 0.6, 1) }),
  fc.record({ kind: fc.constantFrom('flatten' as const, 'restart' as const) }),
);

/** A bot of three strategies on a fake venue that keeps its orders and positions while the bot restarts. */
function session() {
  const wanted = { a: 0, b: 0, c: 0 };
  const held: ((venue: FakeVenue) => void)[] = [];
  let [account, executions] = [0, 0];
  const member = (name: 'a' | 'b' | 'c'): RigMember => ({
    strategy: { onQuote: () => orderDrafts.targetQuantity(AAPL, wanted[name]) },
  });
  const options: RigOptions = {
    limits: { allowShort: true },
    members: { a: member('a'), b: member('b'), c: member('c') },
  };
  let rig = rigOf(options.members ?? {});

  function atVenue(act: (venue: FakeVenue) => void): void {
    held.push(act);
    act(rig.venue);
  }

  function trade(id: string, side: 'buy' | 'sell', shares: number): void {
    executions += 1;
    const execution = { id: `e${executions}`, quantity: String(shares), price: '10' };
    account += side === 'buy' ? shares : -shares;
    const now = account;
    atVenue((venue) => {
      venue.execute(id, execution);
      venue.hold(now === 0 ? {} : { AAPL: String(now) }, String(10_000 - now * 10));
    });
  }

  /** The venue applies the cancels that the bot sent. */
  function cancel(): void {
    for (const { intentId: id, facets, terms } of [...rig.engine.state.live.values()]) {
      if (!isLive(facets) || !(facets.cancelWanted || facets.cancels > 0)) continue;
      const order = { intentId: id, terms, status: 'CanceledStatus' } as const;
      atVenue((venue) => venue.list(`O-${id}`, order));
      rig.venue.push(`O-${id}`);
    }
  }

  function take(step: Step): void {
    switch (step.kind) {
      case 'target':
        wanted[step.member] = step.shares;
        rig.quote(10);
        break;
      case 'flatten':
        rig.command({ kind: 'flatten' });
        break;
      case 'by-hand': {
        const shares = Math.ceil(Math.abs(account) * step.part);
        // Both would close the same shares, and open a position that no strategy requested.
        const isFlattening = [...rig.engine.state.live.values()].some(
          ({ strategy }) => strategy === undefined,
        );
        if (shares === 0 || isFlattening) return;
        const [id, side] = [`HAND${executions}`, account > 0 ? 'sell' : 'buy'] as const;
        atVenue((venue) => venue.list(id, { terms: termsOf({ side, quantity: decimal(String(shares)) }) }));
        trade(id, side, shares);
        rig.venue.push(id);
        break;
      }
      case 'fill': {
        const order = [...rig.engine.state.live.values()].find(({ facets }) => isLive(facets));
        if (order === undefined) return;
        const { intentId: id, terms, facets } = order;
        const open = Number(facets.ordered.minus(facets.executed));
        atVenue((venue) => venue.list(`O-${id}`, { intentId: id, terms }));
        trade(`O-${id}`, terms.side, Math.ceil(open * step.part));
        if (step.isPushed) rig.venue.push(`O-${id}`);
        else restart();
        break;
      }
      case 'restart':
        restart();
    }
    cancel();
  }

  /** The bot is killed and restarts on its journal; it reads from the venue what was executed in the meantime. */
  function restart(): void {
    const records = [...rig.journal.replay()];
    const minted = records.filter(({ kind }) => kind === 'intent-drafted').length;
    rig = restarted(
      records,
      (again) => {
        for (const { intentId: id, terms } of rig.engine.state.live.values())
          again.venue.list(`O-${id}`, { intentId: id, terms });
        for (const act of held) act(again.venue);
      },
      { ...options, minted },
    );
  }

  return { take, rig: () => rig, account: () => account };
}

describe('random sessions of three strategies with flattens, manual trades, missed fills and restarts', () => {
  it("keep the sum of the strategies' books equal to the position of the account, in the journal and in the engine (I-12)", () => {
    const seen = { orders: 0, flattened: 0, byHand: 0 };
    fc.assert(
      fc.property(fc.array(someStep, { minLength: 5, maxLength: 40 }), (steps) => {
        const { take, rig, account } = session();
        for (const step of steps) {
          take(step);
          const { state } = rig().engine;
          const books = sharesOf(state);
          expect(rig().status()).toBe('running');
          expect(accountOf(state)).toBe(account());
          expect(Object.values(books).reduce((sum, shares) => sum + shares, 0)).toBe(account());
          expect(sharesOf(folded(rig().journal.replay()))).toEqual(books);
          if (step.kind === 'flatten' && account() === 0 && state.live.size === 0) expect(books).toEqual({});
        }
        const records = [...rig().journal.replay()];
        seen.orders += records.filter(({ kind }) => kind === 'order-filled').length;
        seen.byHand += records.filter(({ kind }) => kind === 'foreign-filled').length;
        seen.flattened += drafts(rig()).filter((line) => line.startsWith('operator')).length;
      }),
      { numRuns: 150 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  });
});
