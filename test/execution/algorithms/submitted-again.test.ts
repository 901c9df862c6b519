import fc from 'fast-check';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { StrategyFailurePolicy } from '#src/execution/orders/order-style.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { omitUndefined } from '#src/model/omit-undefined.ts';
import type { IntentId, OrderTerms } from '#src/model/order.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import type { SubmitAnswer } from '#src/ports/broker.ts';
import { ImmediateRequest } from '#src/ports/task.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { Decision, OrderDrafts } from '#src/strategy/order-draft.ts';
import type { OrderEvent } from '#src/strategy/strategy-event.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { createCountedMarket } from '../../fixtures/counted-market.ts';
import { createEngineRig, type EngineRig, type RigOptions } from '../../fixtures/engine-rig.ts';
import { at, type BarRow, columnsOf } from '../../fixtures/market.ts';
import { termsOf } from '../../fixtures/orders.ts';
import { randomCases } from '../../fixtures/random-cases.ts';
import { ends } from '../../fixtures/rebalancing.ts';
import { runTo } from '../../fixtures/time.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');
const MINUTE = 60_000;
const [AAPL, MSFT, NVDA] = ['AAPL', 'MSFT', 'NVDA'].map((code) => securitySymbol(`${code}.US`)) as [
  SecuritySymbol,
  SecuritySymbol,
  SecuritySymbol,
];
const runs = Number(process.env['SLUICE_RUNS'] ?? randomCases(4, 3));

/** Outcome of an order: accepted, a temporary denial, a lasting one, a rejection by the venue, or not sent. */
const OUTCOMES = ['pass', 'passing', 'lasting', 'refused', 'not-sent'] as const;
/** The operator halts or kills while the order is judged; a halt ends five minutes after the open. */
type Outcome = (typeof OUTCOMES)[number] | 'halted' | 'killed';

const ANSWERS: Partial<Record<Outcome, SubmitAnswer>> = {
  refused: { kind: 'refused', code: 603_000, message: 'not here' },
  'not-sent': { kind: 'not-sent', message: 'the connection is down' },
};

const ALL_PASSING = Array.from({ length: 6 }, () => 'passing' as const);

/** Bars at one price, which trigger no exit. */
function flat(symbol: SecuritySymbol, minutes: number) {
  const rows = Array.from(
    { length: minutes },
    (_, index): BarRow => [OPEN + index * MINUTE, 10, 10, 10, 10, 1_000_000],
  );
  return columnsOf(symbol, '1m', rows);
}

/**
 * One algorithm, and the outcomes of the orders that pass the built-in rules, in sequence; all further ones are
 * accepted.
 */
interface World {
  readonly ask: (orders: OrderDrafts) => Decision;
  readonly first?: (orders: OrderDrafts) => Decision;
  readonly missedSlices?: 'drop' | 'spread';
  readonly minutes?: number;
  /** Part of a bar's volume that fills an order; if absent, orders are filled at once. */
  readonly participation?: number;
  readonly outcomes: readonly Outcome[];
}

interface Reported {
  readonly slot: string;
  readonly why: string;
  readonly isMarked: boolean;
  /** Slots of the orders that the algorithm requested after it. */
  readonly later: readonly string[];
}

/** Denials and rejections of the algorithm's orders that the strategy received, in order. */
function reported({
  ask,
  first,
  missedSlices = 'drop',
  minutes = 60,
  participation,
  outcomes,
}: World): readonly Reported[] {
  const received: OrderEvent[] = [];
  const strategy = defineStrategy({
    name: 'asks',
    params: {},
    onBar: ({ symbol, bar }, { orders }) => {
      if (symbol !== AAPL) return undefined;
      if (bar.time === OPEN && first !== undefined) return first(orders);
      return bar.time === OPEN + (first === undefined ? 0 : 2 * MINUTE) ? ask(orders) : undefined;
    },
    onOrder: (event) => {
      if (event.outcome === 'denied' || event.outcome === 'refused') received.push(event);
      return undefined;
    },
  });
  const decided = new Map<IntentId, Outcome>();
  let next = 0;
  const policy = { orderType: 'MO', offsetTicks: 0, cancelAfterMs: undefined, missedSlices } as const;
  const history = [AAPL, MSFT, NVDA].map((symbol) => flat(symbol, minutes));
  const fills = { ...DEFAULT_RULES.fills, ...omitUndefined({ participation }) };
  const rules = { ...DEFAULT_RULES, fills };
  const run = createCountedMarket(setupOf(strategy, history, { policy, rules }), {
    rules: {
      evaluate: () =>
        new ImmediateRequest(() => {
          const drafted = run.events.findLast(({ kind }) => kind === 'intent-drafted');
          if (drafted?.kind !== 'intent-drafted' || drafted.link === undefined) return { kind: 'pass' };
          const outcome = outcomes[next] ?? 'pass';
          next += 1;
          decided.set(drafted.intentId, outcome);
          if (outcome === 'halted') run.command({ kind: 'halt' });
          if (outcome === 'killed') run.command({ kind: 'kill', flatten: false, foreign: false });
          if (outcome === 'passing') return { kind: 'deny', rule: 'stale-quote', reason: 'a test' };
          if (outcome === 'lasting') return { kind: 'deny', rule: 'own-rule', reason: 'a test' };
          return { kind: 'pass' };
        }),
    },
    refusal: (id) => ANSWERS[decided.get(id) ?? 'pass'],
  });
  run.start();
  run.until(OPEN + 5 * MINUTE);
  if (outcomes.includes('halted')) run.command({ kind: 'resume' });
  run.until(OPEN + minutes * MINUTE);
  expect(run.error()).toBeUndefined();
  const drafts = run.events.flatMap((event) =>
    event.kind === 'intent-drafted' && event.link !== undefined
      ? [{ id: event.intentId, slot: event.link.slot }]
      : [],
  );
  return received.flatMap((event): Reported[] => {
    const place = drafts.findIndex(({ id }) => id === event.intentId);
    const slot = drafts[place]?.slot;
    if (slot === undefined) return [];
    const later = drafts.slice(place + 1).map((draft) => draft.slot);
    return [{ slot, why: event.why.split(':')[0] ?? '', isMarked: event.willRetry === true, later }];
  });
}

const isOfLeg = ({ slot, later }: Reported): boolean =>
  later.some((each) => each.replace('-less', '') === slot.replace('-less', ''));
/** Shares of a missed slice are spread over every later one; those of any other are in none. */
const isOfSpread = (each: Reported): boolean =>
  isOfLeg(each) || (each.later.length > 0 && (each.why === 'stale-quote' || each.why === 'not sent'));

const KINDS: Readonly<
  Record<string, Omit<World, 'outcomes'> & { readonly isAgain?: (each: Reported) => boolean }>
> = {
  'a TWAP that drops': { ask: (orders) => orders.twap(orders.buy(AAPL, 60), { minutes: 6, parts: 6 }) },
  'a TWAP that spreads': {
    ask: (orders) => orders.twap(orders.buy(AAPL, 60), { minutes: 6, parts: 6 }),
    missedSlices: 'spread',
    isAgain: isOfSpread,
  },
  'a VWAP that drops': {
    ask: (orders) => orders.vwap(orders.buy(AAPL, 60), { minutes: 4, weights: [3, 1, 2, 4] }),
  },
  'a VWAP that spreads': {
    ask: (orders) => orders.vwap(orders.buy(AAPL, 60), { minutes: 4, weights: [3, 1, 2, 4] }),
    missedSlices: 'spread',
    isAgain: isOfSpread,
  },
  'an iceberg': { ask: (orders) => orders.iceberg(orders.buy(AAPL, 30), { shown: 10 }) },
  'a rebalance that buys': {
    ask: (orders) => orders.rebalance({ [AAPL]: 0.3, [MSFT]: 0.6, [NVDA]: 0.6 }),
    minutes: 385,
  },
  'a rebalance that rotates': {
    first: (orders) => [orders.buy(AAPL, 400), orders.buy(NVDA, 400)],
    ask: (orders) => orders.rebalance({ [MSFT]: 0.9 }),
    minutes: 385,
  },
  'a bracket': { ask: (orders) => orders.bracket(orders.buy(AAPL, 100), { stop: 9, target: 12 }) },
  'a bracket whose entry is filled in parts': {
    ask: (orders) => orders.bracket(orders.buy(AAPL, 100), { stop: 9, target: 12 }),
    participation: 0.00003,
  },
  'two legs that close a position': {
    first: (orders) => orders.buy(AAPL, 100),
    ask: (orders) =>
      orders.oco([
        orders.sell(AAPL, 100, { type: 'LO', price: 12 }),
        orders.sell(AAPL, 100, { type: 'MIT', triggerPrice: 9 }),
      ]),
  },
  'a bracket that trails': {
    ask: (orders) => orders.bracket(orders.buy(AAPL, 100), { trail: { percent: 5 }, target: 12 }),
  },
};

describe('the mark of a denied order that its algorithm submits again', () => {
  it.each(Object.entries(KINDS))('is set if and only if %s does so', (_name, kind) => {
    const { isAgain = isOfLeg, ...world } = kind;
    const seen = { marked: 0, unmarked: 0 };
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...OUTCOMES, 'passing' as const), { maxLength: 7 }),
        (outcomes) => {
          for (const each of reported({ ...world, outcomes })) {
            expect(each.isMarked, `${each.slot} ${each.why}, then ${each.later}`).toBe(isAgain(each));
            seen[each.isMarked ? 'marked' : 'unmarked'] += 1;
          }
        },
      ),
      {
        numRuns: runs,
        examples: [[ALL_PASSING], [['pass', ...ALL_PASSING]], [['pass', 'lasting', 'lasting']]],
      },
    );
    expect(Math.min(seen.marked, seen.unmarked)).toBeGreaterThan(0);
  });
});

describe('the mark of an exit that a gate denies', () => {
  const bracket = (outcomes: readonly Outcome[]) =>
    reported({ ask: (orders) => orders.bracket(orders.buy(AAPL, 100), { stop: 9, target: 12 }), outcomes })
      .filter(({ why }) => why === 'gate-state')
      .map((each) => `${each.slot} ${each.isMarked ? 'marked' : 'unmarked'}, then ${each.later.join(' ')}`);

  it('is set under a halt, as the exit follows once the operator has resumed', () => {
    expect(bracket(['pass', 'pass', 'halted'])).toEqual(['target marked, then target']);
  });

  it('is set for the order that closes the position, too', () => {
    expect(bracket(['pass', 'lasting', 'pass', 'halted'])).toEqual(['close marked, then close']);
  });

  it('is set for a stop under a halt, too', () => {
    expect(bracket(['pass', 'halted'])[0]).toBe('stop marked, then target stop target');
  });

  it('is not set after a kill, as nothing follows', () => {
    expect(bracket(['pass', 'pass', 'killed'])).toEqual(['target unmarked, then ']);
    expect(bracket(['pass', 'lasting', 'pass', 'killed'])).toEqual(['close unmarked, then ']);
  });
});

describe('an exit that fails for a temporary reason', () => {
  const NOT_SENT = { kind: 'not-sent', message: 'the connection is down' } as const;
  const THROTTLED = { kind: 'refused', code: 429_002, message: 'api request is limited' } as const;
  const STALE = { kind: 'deny', rule: 'stale-quote', reason: 'a test' } as const;

  interface FailingOptions {
    readonly failingType?: OrderTerms['type'];
    /** The operator halts before the legs are ordered. */
    readonly isHalted?: boolean;
    /** Another strategy runs, and the one with the legs fails at its third quote. */
    readonly isOneOfTwo?: boolean;
    /** The strategy closes the position by a limit order at its third quote. */
    readonly isClosed?: boolean;
    readonly whenFails?: StrategyFailurePolicy;
    /** Two OCOs close a half each. */
    readonly isScaledOut?: boolean;
  }

  /**
   * Buys 100 with exits, or with an OCO of two legs. All exits, or those of a type, fail until `cause` is cleared.
   */
  function failing(
    cause: SubmitAnswer | typeof STALE,
    kind: 'bracket' | 'oco' = 'bracket',
    { failingType, isHalted, isOneOfTwo, isClosed, isScaledOut, whenFails = 'cancel' }: FailingOptions = {},
  ) {
    const received: string[] = [];
    const fails = ({ side, type }: OrderTerms): boolean =>
      isFailing && side === 'sell' && (failingType === undefined || type === failingType);
    const alarms: Alarm[] = [];
    let [isFailing, quotes, exits] = [true, 0, 0];
    const strategy: NonNullable<RigOptions['strategy']> = {
      onOrder: (event) => {
        const mark = event.willRetry === true ? ' again' : '';
        received.push(`${event.terms.type} ${event.outcome}${mark}`);
        return undefined;
      },
      onQuote: ({ symbol }, { orders }) => {
        quotes += 1;
        const entry = orders.buy(symbol, 100);
        if (quotes === 1) return kind === 'oco' ? entry : orders.bracket(entry, { stop: 9, target: 12 });
        if (quotes > 2 && isOneOfTwo === true) throw new Error('a test');
        if (quotes === 3 && isClosed === true) return orders.sell(symbol, 100, { type: 'LO', price: 11 });
        if (kind === 'bracket' || (quotes > 2 && isHalted !== true)) return undefined;
        const shares = isScaledOut === true ? 50 : 100;
        return (isScaledOut === true ? [12, 13] : [12]).map((price) =>
          orders.oco([
            orders.sell(symbol, shares, { type: 'LO', price }),
            orders.sell(symbol, shares, { type: 'MIT', triggerPrice: 9 }),
          ]),
        );
      },
    };
    const both = {
      members: { legs: { strategy, whenFails }, other: { strategy: { onQuote: () => undefined } } },
    };
    const rig = createEngineRig({
      // By default an order that is sent again is no repetition.
      limits: { maxRepeats: 3 },
      ...(isOneOfTwo === true ? both : { strategy }),
      onAlarm: (alarm) => alarms.push(alarm),
      rules: {
        evaluate: ({ order }) =>
          new ImmediateRequest(() =>
            cause.kind === 'deny' && fails(order) ? cause : { kind: 'pass' as const },
          ),
      },
    });
    const { submit } = rig.venue.answers;
    rig.venue.answers.submit = (order) => {
      if (order.terms.side === 'sell') exits += 1;
      if (cause.kind !== 'deny' && fails(order.terms)) return of(cause);
      const answer = submit(order);
      if (order.terms.type !== 'MO')
        rig.venue.list(`O-${order.intentId}`, { status: 'VarietiesNotReported' });
      return answer;
    };
    rig.start();
    rig.quote(10);
    const entry = kind === 'bracket' ? 'O-I2' : 'O-I1';
    rig.venue.hold({ AAPL: '100' }, '9000');
    rig.venue.execute(entry, { id: 'entry', quantity: '100', price: '10' });
    rig.venue.push(entry);
    if (isHalted === true) rig.command({ kind: 'halt' });
    rig.quote(10);
    return {
      rig,
      alarms,
      received,
      attempts: () => exits,
      clear: () => {
        isFailing = false;
      },
      working: () =>
        [...rig.engine.state.live.values()]
          .filter(({ facets }) => facets.submission.kind === 'acked')
          .map(({ terms, link }) => `${link?.slot} ${terms.type} ${terms.quantity}`)
          .toSorted(),
    };
  }

  const CAUSES = [
    ['the link is down', NOT_SENT],
    ['the venue counts too many calls', THROTTLED],
    ['the gate waits for a quote', STALE],
  ] as const;

  it.each(CAUSES)(
    'is sent again within a minute after its end, with an alarm until then (%s)',
    (_, cause) => {
      const { rig, alarms, clear, working, attempts } = failing(cause);
      runTo(rig.clock, rig.clock.now() + 10 * MINUTE);
      expect(working()).toEqual([]);
      expect(attempts()).toBeLessThan(100);
      expect(alarms.map(({ code, facts }) => `${code} ${facts['slot']}`)).toEqual([
        'exits-missing stop',
        'exits-missing target',
      ]);
      expect(alarms[0]?.message).toContain('is sent again until it works');
      clear();
      runTo(rig.clock, rig.clock.now() + MINUTE);
      expect(working()).toEqual(['stop MIT 100', 'target LIT 100']);
      expect(alarms).toHaveLength(2);
    },
  );

  it('closes the position once the price is beyond its stop, however long the link is down', () => {
    const { rig, clear, working } = failing(NOT_SENT);
    rig.quote(8.5);
    runTo(rig.clock, rig.clock.now() + 10 * MINUTE);
    expect(rig.engine.state.algorithms.size).toBe(1);
    clear();
    runTo(rig.clock, rig.clock.now() + MINUTE);
    expect(working()).toEqual(['close MO 100']);
  });

  it.each(CAUSES)('is sent again as a leg of an OCO (%s)', (_, cause) => {
    const { rig, alarms, clear, working } = failing(cause, 'oco', { failingType: 'MIT' });
    runTo(rig.clock, rig.clock.now() + 10 * MINUTE);
    expect(working()).toEqual(['leg-1 LIT 100']);
    expect(alarms.map(({ code }) => code)).toEqual(['protection-waits']);
    clear();
    runTo(rig.clock, rig.clock.now() + MINUTE);
    expect(working()).toEqual(['leg-1 LIT 100', 'leg-2 MIT 100']);
  });

  it('is not sent again as a leg once the position is gone', () => {
    const { rig, clear, working } = failing(NOT_SENT, 'oco', { failingType: 'MIT' });
    runTo(rig.clock, rig.clock.now() + MINUTE);
    rig.venue.list('HAND', { terms: termsOf({ side: 'sell', quantity: decimal('100') }) });
    rig.venue.execute('HAND', { id: 'by-hand', quantity: '100', price: '10' });
    rig.venue.hold({}, '10000');
    rig.venue.push('HAND');
    over(rig, 'CanceledStatus');
    clear();
    runTo(rig.clock, rig.clock.now() + 10 * MINUTE);
    expect([working(), rig.engine.state.algorithms.size]).toEqual([[], 0]);
  });

  /** Two working legs of 100, of which 40 are sold by hand, at a venue that refuses every amend. */
  function soldByHand(isCancelled = true) {
    const world = failing(NOT_SENT, 'oco', { failingType: 'SLO' });
    const { venue } = world.rig;
    const { cancel } = venue.answers;
    venue.answers.replace = () => of({ kind: 'refused', code: 602_012, message: 'no amend of this type' });
    venue.answers.cancel = (id) => {
      const asked = cancel(id);
      if (isCancelled) venue.list(id, { status: 'CanceledStatus', rawStatus: 'CanceledStatus' });
      if (isCancelled) venue.push(id);
      return asked;
    };
    venue.list('HAND', { terms: termsOf({ side: 'sell', quantity: decimal('40') }) });
    venue.execute('HAND', { id: 'by-hand', quantity: '40', price: '10' });
    venue.hold({ AAPL: '60' }, '9400');
    venue.push('HAND');
    return world;
  }

  it('is replaced as a leg that the venue does not amend, while the other one works', () => {
    const { rig, alarms, working } = soldByHand();
    runTo(rig.clock, rig.clock.now() + 10 * MINUTE);
    expect(working()).toEqual(['leg-1 LIT 60', 'leg-2 MIT 60']);
    expect([alarms, ends(rig)]).toEqual([[], []]);
    const calls = rig.venue.calls.filter((call) => /^(submit|cancel)/.test(call));
    expect(calls.slice(-4)).toEqual(['cancel O-I3', 'submit I5', 'cancel O-I4', 'submit I6']);
  });

  it('is replaced as the rest of a leg that traded, if the venue does not amend it', () => {
    const { rig, working, alarms } = soldByHand(false);
    rig.venue.execute('O-I4', { id: 'part', quantity: '20', price: '9' });
    rig.venue.hold({ AAPL: '40' }, '9600');
    rig.venue.push('O-I4');
    runTo(rig.clock, rig.clock.now() + MINUTE);
    for (const id of ['O-I3', 'O-I4']) {
      rig.venue.list(id, { status: 'CanceledStatus', rawStatus: 'CanceledStatus' });
      rig.venue.push(id);
    }
    runTo(rig.clock, rig.clock.now() + MINUTE);
    expect(working()).toEqual(['leg-2 MIT 40']);
    expect([alarms.filter(({ code }) => code !== 'cancel-ignored'), ends(rig)]).toEqual([[], []]);
  });

  it('keeps the other leg as a leg that cannot be cancelled after a refused amend', () => {
    const { rig, working } = soldByHand(false);
    runTo(rig.clock, rig.clock.now() + MINUTE);
    expect(working()).toEqual(['leg-1 LIT 100', 'leg-2 MIT 100']);
    const cancels = rig.venue.calls.filter((call) => call.startsWith('cancel'));
    expect(new Set(cancels).size).toBe(1);
    expect(ends(rig)).toEqual([]);
  });

  it('ends an OCO whose legs expired with an alarm while the position is held', () => {
    const { rig, alarms } = failing(NOT_SENT, 'oco', { failingType: 'SLO' });
    over(rig, 'ExpiredStatus');
    rig.venue.list('O-I4', { status: 'ExpiredStatus', rawStatus: 'ExpiredStatus' });
    rig.venue.push('O-I4');
    expect(ends(rig)).toEqual([
      'failed: no leg is left: ExpiredStatus; the position is held without an exit',
    ]);
    expect(alarms.map(({ code }) => code)).toEqual(['oco-leg-failed']);
  });

  /** The venue ends the first leg. */
  function over({ venue }: EngineRig, status: 'CanceledStatus' | 'ExpiredStatus'): void {
    venue.list('O-I3', { status, rawStatus: status });
    venue.push('O-I3');
  }

  it.each(CAUSES)('is sent again as a leg of an OCO of which no leg has worked (%s)', (_, cause) => {
    const { rig, alarms, received, clear, working, attempts } = failing(cause, 'oco');
    runTo(rig.clock, rig.clock.now() + 10 * MINUTE);
    expect([rig.engine.state.algorithms.size, working()]).toEqual([1, []]);
    const failure = cause === STALE ? 'denied' : 'refused';
    expect(received.slice(-2)).toEqual([`LIT ${failure} again`, `MIT ${failure} again`]);
    expect(alarms.map(({ code }) => code)).toEqual(['protection-waits']);
    expect(attempts()).toBeLessThan(100);
    clear();
    runTo(rig.clock, rig.clock.now() + MINUTE);
    expect(working()).toEqual(['leg-1 LIT 100', 'leg-2 MIT 100']);
  });

  it('is sent once as a leg of an OCO that was ordered under a halt, at each bar', () => {
    const { rig, alarms, received, clear, working } = failing(NOT_SENT, 'oco', { isHalted: true });
    rig.quote(10);
    rig.quote(10);
    expect(received.slice(2)).toEqual(
      Array.from({ length: 3 }, () => ['LIT denied again', 'MIT denied again']).flat(),
    );
    expect(rig.engine.state.algorithms.size).toBe(1);
    expect(ends(rig)).toEqual(Array(2).fill('canceled: a newer OCO takes its place'));
    expect(alarms.map(({ code }) => code)).toEqual(['protection-waits']);
    clear();
    rig.command({ kind: 'resume' });
    runTo(rig.clock, rig.clock.now() + MINUTE);
    expect(working()).toEqual(['leg-1 LIT 100', 'leg-2 MIT 100']);
  });

  it('is not sent again as a leg of an OCO while another order may close the position', () => {
    const { rig, alarms, clear, working } = failing(STALE, 'oco', { isClosed: true });
    clear();
    rig.quote(10);
    runTo(rig.clock, rig.clock.now() + 10 * MINUTE);
    expect(working()).toEqual(['undefined LO 100']);
    expect(alarms.map(({ code, message }) => [code, message.includes('may close the position')])).toEqual([
      ['protection-waits', true],
    ]);
    const [close] = rig.engine.state.live.keys();
    rig.venue.execute(`O-${close}`, { id: 'closed', quantity: '100', price: '10' });
    rig.venue.hold({}, '10000');
    rig.venue.push(`O-${close}`);
    runTo(rig.clock, rig.clock.now() + 10 * MINUTE);
    expect([working(), rig.engine.state.algorithms.size]).toEqual([[], 0]);
  });

  it('is sent again as a leg of each of two OCOs that close a half', () => {
    const { rig, alarms, clear, working } = failing(NOT_SENT, 'oco', { isScaledOut: true });
    runTo(rig.clock, rig.clock.now() + 10 * MINUTE);
    expect([working(), alarms.map(({ code }) => code)]).toEqual([
      [],
      ['protection-waits', 'protection-waits'],
    ]);
    clear();
    runTo(rig.clock, rig.clock.now() + MINUTE);
    expect(working()).toEqual(['leg-1 LIT 50', 'leg-1 LIT 50', 'leg-2 MIT 50', 'leg-2 MIT 50']);
  });

  it('is sent as a leg of an OCO once another order leaves enough of the position', () => {
    const { rig, clear, working } = failing(STALE, 'oco', { isClosed: true });
    clear();
    rig.quote(10);
    runTo(rig.clock, rig.clock.now() + MINUTE);
    const [close] = rig.engine.state.live.keys();
    rig.venue.list(`O-${close}`, { status: 'CanceledStatus', rawStatus: 'CanceledStatus' });
    rig.venue.push(`O-${close}`);
    runTo(rig.clock, rig.clock.now() + MINUTE);
    expect(working()).toEqual(['leg-1 LIT 100', 'leg-2 MIT 100']);
  });

  it('ends an OCO whose legs all failed for good, with an alarm while the position is held', () => {
    const { rig, alarms, working } = failing({ kind: 'refused', code: 602_001, message: 'no' }, 'oco');
    runTo(rig.clock, rig.clock.now() + 10 * MINUTE);
    expect([working(), rig.engine.state.algorithms.size]).toEqual([[], 0]);
    expect(alarms).toMatchObject([
      {
        code: 'oco-leg-failed',
        message: 'An OCO is called off: no leg is left: refused; the position is held without an exit',
      },
    ]);
  });

  it('is sent again as a leg of an OCO whose strategy failed, if its orders are kept', () => {
    const { rig, clear, working } = failing(STALE, 'oco', {
      ...{ failingType: 'MIT', isOneOfTwo: true, whenFails: 'keep' },
    });
    rig.quote(10);
    clear();
    runTo(rig.clock, rig.clock.now() + 2 * MINUTE);
    expect(working()).toEqual(['leg-1 LIT 100', 'leg-2 MIT 100']);
  });

  it('raises its alarm at once as a leg under a halt, and is sent after it', () => {
    const { rig, alarms, clear, working } = failing(STALE, 'oco', { failingType: 'MIT' });
    expect(alarms).toEqual([]);
    rig.command({ kind: 'halt' });
    clear();
    expect(alarms.map(({ code }) => code)).toEqual(['protection-waits']);
    runTo(rig.clock, rig.clock.now() + 10 * MINUTE);
    expect(working()).toEqual(['leg-1 LIT 100']);
    rig.command({ kind: 'resume' });
    runTo(rig.clock, rig.clock.now() + MINUTE);
    expect(working()).toEqual(['leg-1 LIT 100', 'leg-2 MIT 100']);
  });

  describe.each(['cancel-all', 'flatten', 'a failed strategy'] as const)(
    'as a leg of an OCO, after %s',
    (end) => {
      function ended(isFirstExpired: boolean, failingType: OrderTerms['type'] = 'MIT') {
        const world = failing(STALE, 'oco', { failingType, isOneOfTwo: end === 'a failed strategy' });
        if (isFirstExpired) over(world.rig, 'ExpiredStatus');
        if (end === 'a failed strategy') world.rig.quote(10);
        else world.rig.command({ kind: end });
        world.clear();
        return world;
      }
      const closing = end === 'flatten' ? ['undefined MO 100'] : [];

      it('is not sent again, with the other leg cancelled', () => {
        const { rig, working, alarms } = ended(false);
        runTo(rig.clock, rig.clock.now() + 2 * MINUTE);
        expect(working().filter((order) => order.startsWith('leg-2'))).toEqual([]);
        over(rig, 'CanceledStatus');
        runTo(rig.clock, rig.clock.now() + 2 * MINUTE);
        expect([working(), rig.engine.state.algorithms.size]).toEqual([closing, 0]);
        expect(alarms.filter(({ code }) => code !== 'cancel-ignored')).toEqual([]);
      });

      it('is not sent again, with nothing to cancel', () => {
        const { rig, working } = ended(true);
        runTo(rig.clock, rig.clock.now() + 2 * MINUTE);
        expect([working(), rig.engine.state.algorithms.size]).toEqual([closing, 0]);
      });

      it('has an OCO without a failed leg cancelled as before', () => {
        const { rig } = ended(false, 'LO');
        expect(rig.venue.calls.filter((call) => call.startsWith('cancel'))).toEqual([
          'cancel O-I3',
          'cancel O-I4',
        ]);
        rig.venue.list('O-I4', { status: 'CanceledStatus', rawStatus: 'CanceledStatus' });
        rig.venue.push('O-I4');
        expect(ends(rig)).toEqual([]);
        over(rig, 'CanceledStatus');
        expect(ends(rig)).toEqual(['canceled: no leg is left: CanceledStatus']);
      });
    },
  );
});
