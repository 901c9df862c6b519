import fc from 'fast-check';
import { type Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { TrackedOrder } from '#src/events/bot-state.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import type { AlgorithmId, Exits } from '#src/model/algorithm.ts';
import type { Alarm } from '#src/model/notice.ts';
import type { IntentId, OrderTerms, ReadStatus } from '#src/model/order.ts';
import { isOutOfReach } from '#src/model/pending-step.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS } from '#src/model/time.ts';
import type { ChangeAnswer, SubmitAnswer } from '#src/ports/broker.ts';
import type { StrategyContext } from '#src/strategy/context.ts';
import type { StrategyDefinition } from '#src/strategy/define-strategy.ts';
import type { Decision } from '#src/strategy/order-draft.ts';
import { createEngineRig, type EngineRig } from '../fixtures/engine-rig.ts';
import { answeredAfter } from '../fixtures/fake-venue.ts';
import { AAPL, quoteOf } from '../fixtures/market.ts';
import { randomCases } from '../fixtures/random-cases.ts';
import { runTo } from '../fixtures/time.ts';

const runs = Number(process.env['SLUICE_RUNS'] ?? randomCases(150, 75));

const MSFT = securitySymbol('MSFT.US');
const SYMBOLS = [AAPL, MSFT] as const;

/** Orders of the strategy at its quotes, which repeat. */
const REQUESTS = {
  'stop and target': ({ orders }, symbol) =>
    orders.bracket(orders.buy(symbol, 40), { stop: 9, target: { percent: 20 } }),
  stop: ({ orders }, symbol) => orders.bracket(orders.buy(symbol, 20), { stop: { percent: 10 } }),
  'trail and target': ({ orders }, symbol) =>
    orders.bracket(orders.buy(symbol, 30), { trail: { percent: 5 }, target: { amount: 3 } }),
  'break-even': ({ orders }, symbol) =>
    orders.bracket(orders.buy(symbol, 10), { stop: { percent: 20 }, breakEven: { percent: 5 } }),
  'limit with a stop': ({ orders }, symbol) =>
    orders.bracket(orders.buy(symbol, 30, { type: 'LO', price: 10 }), { stop: { amount: 2 } }),
  timed: ({ orders }, symbol) =>
    orders.bracket(orders.buy(symbol, 20), { stop: { percent: 15 }, afterMinutes: 2 }),
  bare: ({ orders }, symbol) => orders.buy(symbol, 20),
  sell: ({ orders, position }, symbol) =>
    position(symbol).quantity < 10 ? undefined : orders.sell(symbol, 10),
  'sell half': ({ orders, position }, symbol) => {
    const half = Math.floor(position(symbol).quantity / 2);
    return half < 1 ? undefined : orders.sell(symbol, half);
  },
  'sell at a limit': ({ orders, position }, symbol) =>
    position(symbol).quantity < 15 ? undefined : orders.sell(symbol, 15, { type: 'LO', price: 12 }),
  close: ({ orders }, symbol) => orders.close(symbol),
  nothing: () => undefined,
} satisfies Record<string, (context: StrategyContext, symbol: SecuritySymbol) => Decision>;

/** What the strategy does with an order that it is notified of, which may be an exit. */
const CHANGES = ['cancel', 'replace', 'nothing'] as const;

const SUBMITS = ['accepted', 'accepted', 'late', 'lost', 'unknown', 'not-sent', 'refused'] as const;
const ANSWERS = [
  'accepted',
  'accepted later',
  'refused',
  'silent',
  'silent, accepted later',
  'late',
] as const;
const SILENT = ['orderDetail', 'ordersToday', 'executionsToday', 'buyLimit', 'balance', 'positions'] as const;

const someStep = fc.oneof(
  { weight: 8, arbitrary: fc.record({ quote: fc.integer({ min: 85, max: 125 }), symbol: fc.nat(1) }) },
  { weight: 4, arbitrary: fc.record({ wait: fc.constantFrom(10, 1_000, 7_000, 70_000) }) },
  {
    weight: 8,
    arbitrary: fc.record({ fill: fc.nat(9), share: fc.constantFrom(0.3, 1, 1), pushed: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      end: fc.nat(9),
      status: fc.constantFrom<ReadStatus>('CanceledStatus', 'RejectedStatus', 'ExpiredStatus'),
      pushed: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ change: fc.constantFrom(...CHANGES), which: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ submits: fc.constantFrom(...SUBMITS) }) },
  { weight: 2, arbitrary: fc.record({ cancels: fc.constantFrom(...ANSWERS) }) },
  { weight: 1, arbitrary: fc.record({ replaces: fc.constantFrom(...ANSWERS) }) },
  { weight: 2, arbitrary: fc.record({ land: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ silent: fc.constantFrom(...SILENT), lasts: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ delay: fc.constantFrom(0, 300) }) },
  { weight: 1, arbitrary: fc.constant({ restart: true }) },
);
type Step = typeof someStep extends fc.Arbitrary<infer T> ? T : never;

const someSession = fc.record({
  strategies: fc.constantFrom(1, 1, 2),
  requests: fc.array(fc.constantFrom(...(Object.keys(REQUESTS) as (keyof typeof REQUESTS)[])), {
    minLength: 2,
    maxLength: 8,
  }),
  steps: fc.array(someStep, { minLength: 8, maxLength: 50 }),
});
type Session = typeof someSession extends fc.Arbitrary<infer T> ? T : never;

/** An order at the venue, which outlives the process of the bot. */
interface Standing {
  readonly id: string;
  readonly intentId: IntentId;
  terms: OrderTerms;
  readonly executions: { readonly id: string; readonly quantity: string; readonly price: string }[];
  executed: number;
  status: ReadStatus;
}

const isWorking = ({ status }: Standing): boolean =>
  status === 'NewStatus' || status === 'PartialFilledStatus' || status === 'VarietiesNotReported';

/** One strategy, or two that share its symbols, on a venue that executes no sale beyond the position. */
class Bot {
  readonly alarms: Alarm[] = [];
  readonly #session: Session;
  readonly #orders = new Map<string, Standing>();
  /** Changes that the venue has accepted and applies later. */
  #onTheirWay: (() => void)[] = [];
  readonly #heard: { readonly symbol: SecuritySymbol; readonly intentId: IntentId }[] = [];
  #asked = 0;
  #submits: (typeof SUBMITS)[number] = 'accepted';
  #cancels: (typeof ANSWERS)[number] = 'accepted';
  #replaces: (typeof ANSWERS)[number] = 'accepted';
  #change: { readonly kind: (typeof CHANGES)[number]; readonly which: number } | undefined;
  #mode: 'trades' | 'idles' | 'closes' = 'trades';
  #price = 10;
  #rig: EngineRig;

  constructor(session: Session) {
    this.#session = session;
    this.#rig = this.#begin([], 0);
  }

  get rig(): EngineRig {
    return this.#rig;
  }

  get records(): readonly SluiceEvent[] {
    return [...this.#rig.journal.replay()];
  }

  #begin(events: readonly SluiceEvent[], now: number): EngineRig {
    const journal = createMemoryJournal();
    for (const event of events) journal.append(event);
    const strategy: Partial<StrategyDefinition> = {
      onQuote: ({ symbol }, context) => this.#decide(symbol, context),
      onOrder: ({ symbol, intentId, outcome }) => {
        if (outcome === 'working') this.#heard.push({ symbol, intentId });
        return undefined;
      },
    };
    const minted = events.reduce(
      (most, event) =>
        Math.max(
          most,
          ...[
            'intentId' in event ? event.intentId : 'I0',
            'algorithmId' in event ? event.algorithmId : 'I0',
          ].map((id) => Number(id.slice(1))),
        ),
      0,
    );
    const rig = createEngineRig({
      ...{ journal, minted, pushComplete: false, symbols: SYMBOLS },
      onAlarm: (alarm) => this.alarms.push(alarm),
      ...(this.#session.strategies === 1
        ? { strategy }
        : { members: { one: { strategy }, two: { strategy } } }),
    });
    runTo(rig.clock, now);
    const { answers } = rig.venue;
    const { submit } = answers;
    answers.submit = (order) => this.#submit(rig, order, submit);
    answers.cancel = (id) => this.#answer(rig, this.#cancels, () => this.#endOf(id, 'CanceledStatus'));
    answers.replace = ({ orderId, terms }) =>
      this.#answer(rig, this.#replaces, () => {
        const order = this.#orders.get(orderId);
        if (order === undefined || !isWorking(order) || terms.quantity.lte(order.executed)) return;
        order.terms = terms;
        this.#rig.venue.list(orderId, { terms });
      });
    for (const [id, { executions, status, intentId, terms }] of this.#orders) {
      rig.venue.list(id, { intentId, terms });
      for (const execution of executions) rig.venue.execute(id, execution);
      rig.venue.list(id, { status, terms });
    }
    this.#settle(rig);
    this.#rig = rig;
    rig.start();
    return rig;
  }

  #decide(symbol: SecuritySymbol, context: StrategyContext): Decision {
    const { orders } = context;
    if (this.#mode === 'closes') return orders.close(symbol);
    const change = this.#change;
    if (change !== undefined) {
      this.#change = undefined;
      const order = this.#heard[this.#heard.length - 1 - (change.which % Math.max(1, this.#heard.length))];
      if (order === undefined || change.kind === 'nothing') return undefined;
      if (change.kind === 'cancel') return orders.cancel(order);
      return orders.replace(order, { quantity: 5 + change.which });
    }
    if (this.#mode === 'idles') return undefined;
    const { requests } = this.#session;
    const request = requests[this.#asked % requests.length] ?? 'nothing';
    this.#asked += 1;
    return REQUESTS[request](context, symbol);
  }

  #submit(
    { clock }: EngineRig,
    order: { readonly intentId: IntentId; readonly terms: OrderTerms },
    submit: (order: { readonly intentId: IntentId; readonly terms: OrderTerms }) => Observable<SubmitAnswer>,
  ): Observable<SubmitAnswer> {
    const mode = this.#submits;
    if (mode === 'refused') return of({ kind: 'refused', code: 603_000, message: 'not here' });
    if (mode === 'not-sent') return of({ kind: 'not-sent', message: 'the connection is down' });
    if (mode === 'unknown') return of({ kind: 'unknown', message: 'timed out' });
    const id = `O-${order.intentId}`;
    const waits = order.terms.type !== 'MO' && order.terms.type !== 'LO';
    const status = waits ? 'VarietiesNotReported' : 'NewStatus';
    this.#orders.set(id, { ...order, id, status, executions: [], executed: 0 });
    const accepted$ = submit(order);
    this.#rig.venue.list(id, { status });
    if (mode === 'lost') return of({ kind: 'unknown', message: 'timed out' });
    if (mode === 'accepted') return accepted$;
    let answer: SubmitAnswer | undefined;
    accepted$.subscribe((each) => {
      answer = each;
    });
    return answer === undefined ? accepted$ : answeredAfter(clock, 3_000, answer);
  }

  #answer({ clock }: EngineRig, mode: (typeof ANSWERS)[number], act: () => void): Observable<ChangeAnswer> {
    if (mode === 'refused') return of({ kind: 'refused', code: 602_001, message: 'no' });
    if (mode === 'accepted') act();
    else if (mode !== 'silent') this.#onTheirWay.push(act);
    if (mode.startsWith('silent')) return of({ kind: 'unknown', message: 'timed out' });
    if (mode === 'late') return answeredAfter(clock, 3_000, { kind: 'accepted' });
    return of({ kind: 'accepted' });
  }

  take(step: Step): void {
    if (this.#rig.status() !== 'running') return;
    const { clock, venue } = this.#rig;
    if ('quote' in step) this.#quote(SYMBOLS[step.symbol] ?? AAPL, step.quote / 10);
    else if ('wait' in step) runTo(clock, clock.now() + step.wait);
    else if ('fill' in step) {
      const order = this.#working(step.fill);
      if (order !== undefined) this.#execute(order, step.share, step.pushed);
    } else if ('end' in step) {
      const order = this.#working(step.end);
      if (order !== undefined) this.#endOf(order.id, step.status, step.pushed);
    } else if ('change' in step) this.#change = { kind: step.change, which: step.which };
    else if ('submits' in step) this.#submits = step.submits;
    else if ('cancels' in step) this.#cancels = step.cancels;
    else if ('replaces' in step) this.#replaces = step.replaces;
    else if ('land' in step) for (const act of this.#onTheirWay.splice(0, step.land)) act();
    else if ('silent' in step) {
      if (step.lasts) venue.answers.silent.add(step.silent);
      else venue.answers.silent.delete(step.silent);
    } else if ('delay' in step) venue.answers.delayMs = step.delay;
    else this.#rig = this.#begin(this.records, clock.now());
  }

  #quote(symbol: SecuritySymbol, price: number): void {
    this.#price = price;
    const { clock } = this.#rig;
    const time = clock.now();
    const event = { kind: 'quote', symbol, time, quote: quoteOf(symbol, time, price) } as const;
    this.#rig.price(price);
    this.#rig.moment({
      events:
        this.#session.strategies === 1 ? [event] : ['one', 'two'].map((strategy) => ({ ...event, strategy })),
    });
  }

  #working(which: number): Standing | undefined {
    const working = [...this.#orders.values()].filter(isWorking);
    return working[which % Math.max(1, working.length)];
  }

  /** Executes a share of an order, and of a sale at most the position; a sale without a position is rejected. */
  #execute(order: Standing, share: number, pushed: boolean): void {
    const { id, terms } = order;
    const rest = terms.quantity.toNumber() - order.executed;
    const wanted = Math.max(1, Math.floor(rest * share));
    const quantity = terms.side === 'sell' ? Math.min(wanted, this.held(terms.symbol)) : wanted;
    if (quantity === 0) {
      this.#endOf(id, 'RejectedStatus', pushed);
      return;
    }
    order.executed += quantity;
    order.status = quantity === rest ? 'FilledStatus' : 'PartialFilledStatus';
    const execution = {
      id: `${id}-${order.executed}`,
      quantity: String(quantity),
      price: String(this.#price),
    };
    order.executions.push(execution);
    this.#rig.venue.execute(id, execution);
    this.#settle(this.#rig);
    if (pushed) this.#rig.venue.push(id);
  }

  #endOf(id: string, status: ReadStatus, pushed = false): void {
    const order = this.#orders.get(id);
    if (order === undefined || !isWorking(order)) return;
    order.status = status === 'CanceledStatus' && order.executed > 0 ? 'PartialWithdrawal' : status;
    this.#rig.venue.list(id, { status: order.status });
    if (pushed) this.#rig.venue.push(id);
  }

  /** Shares that the venue holds for the account. */
  held(symbol: SecuritySymbol): number {
    let held = 0;
    for (const { terms, executed } of this.#orders.values())
      if (terms.symbol === symbol) held += terms.side === 'buy' ? executed : -executed;
    return held;
  }

  /** Remaining shares of working orders at the venue. */
  working(isMeant: (intentId: IntentId) => boolean): number {
    let shares = 0;
    for (const order of this.#orders.values())
      if (isWorking(order) && isMeant(order.intentId))
        shares += order.terms.quantity.toNumber() - order.executed;
    return shares;
  }

  #settle({ venue }: EngineRig): void {
    const spent = [...this.#orders.values()]
      .flatMap(({ terms, executions }) =>
        executions.map(
          ({ quantity, price }) => Number(quantity) * Number(price) * (terms.side === 'buy' ? 1 : -1),
        ),
      )
      .reduce((sum, each) => sum + each, 0);
    const shares = SYMBOLS.flatMap((symbol) => {
      const held = this.held(symbol);
      return held === 0 ? [] : [[symbol.slice(0, -3), String(held)] as const];
    });
    venue.hold(Object.fromEntries(shares), String(10_000 - spent));
  }

  /** The venue works again: for this number of minutes it applies changes and executes market orders. */
  recover(minutes: number, mode: 'idles' | 'closes'): void {
    this.#submits = 'accepted';
    this.#cancels = this.#replaces = 'accepted';
    this.#mode = mode;
    this.#change = undefined;
    for (let minute = 0; minute < minutes; minute += 1) {
      const { clock, venue } = this.#rig;
      venue.answers.silent.clear();
      venue.answers.delayMs = 0;
      for (const act of this.#onTheirWay.splice(0)) act();
      for (const order of this.#orders.values())
        if (
          isWorking(order) &&
          (order.terms.type === 'MO' || (mode === 'closes' && order.terms.type === 'LO'))
        )
          this.#execute(order, 1, false);
      // An order that was never found may execute until the operator settles it.
      for (const { intentId, facets } of [...this.#rig.engine.state.live.values()])
        if (facets.submission.kind === 'abandoned')
          this.#rig.command({ kind: 'settle', intentId, outcome: { kind: 'dead' } });
      runTo(clock, clock.now() + MINUTE_MS);
      // The operator has resolved the causes of a halt, such as unreadable executions.
      if (this.#rig.engine.state.gate.restrictions.size > 0) this.#rig.command({ kind: 'resume' });
      if (mode === 'closes') for (const symbol of SYMBOLS) this.#quote(symbol, this.#price);
    }
  }
}

/** A bracket by the records of a bot: what its entry bought, minus what was sold. */
interface Lot {
  readonly id: AlgorithmId | undefined;
  readonly symbol: SecuritySymbol;
  readonly strategy: string | undefined;
  readonly exits: Exits;
  shares: number;
  /** Whether a stop or trail of it was executed in part: it has no target from then on. */
  isLeft: boolean;
  /** Shares without exits when it ended; undefined before. */
  left: number | undefined;
}

/** Attributes shares from records alone: a sale takes shares without exits first, then those of the newest entry. */
function lotsIn(records: readonly SluiceEvent[]): readonly Lot[] {
  const lots: Lot[] = [];
  const drafts = new Map<IntentId, Extract<SluiceEvent, { kind: 'intent-drafted' }>>();
  const lotOf = (id: AlgorithmId | undefined, symbol: SecuritySymbol, strategy: string | undefined): Lot => {
    const known = lots.find(
      (lot) => lot.id === id && (id !== undefined || (lot.symbol === symbol && lot.strategy === strategy)),
    );
    if (known !== undefined) return known;
    const lot: Lot = { id, symbol, strategy, exits: {}, shares: 0, isLeft: false, left: undefined };
    lots.push(lot);
    return lot;
  };
  for (const event of records) {
    if (event.kind === 'intent-drafted') drafts.set(event.intentId, event);
    if (event.kind === 'algorithm-started' && event.spec.kind === 'bracket') {
      const { algorithmId: id, spec, strategy } = event;
      lots.push({
        ...{ id, strategy, symbol: spec.entry.symbol, exits: spec.exits },
        ...{ shares: 0, isLeft: false, left: undefined },
      });
    }
    if (event.kind === 'algorithm-ended') {
      const lot = lots.find(({ id }) => id === event.algorithmId);
      if (lot !== undefined) {
        lotOf(undefined, lot.symbol, lot.strategy).shares += lot.shares;
        lot.left = lot.shares;
        lot.shares = 0;
      }
    }
    if (event.kind !== 'order-filled') continue;
    const draft = drafts.get(event.intentId);
    const { symbol, side, quantity } = event.fill;
    const strategy = draft?.strategy;
    const slot = draft?.link?.slot;
    const own = lotOf(draft?.link?.algorithm, symbol, strategy);
    own.shares += side === 'buy' ? quantity.toNumber() : -quantity.toNumber();
    own.isLeft ||= slot === 'stop' || slot === 'trail';
    const bare = lotOf(undefined, symbol, strategy);
    const brackets = lots.filter((lot) => lot.symbol === symbol && lot.strategy === strategy && lot !== bare);
    // Shares sold beyond its own, which are bought back later if nothing else is held.
    for (const owing of [bare, ...brackets])
      for (const lot of [bare, ...brackets.toReversed()]) {
        const sold = Math.min(Math.max(0, -owing.shares), Math.max(0, lot.shares));
        owing.shares += sold;
        lot.shares -= sold;
      }
  }
  return lots;
}

const SLOTS = ['stop', 'trail', 'target'] as const;

/** Faults of a bot's exits once its venue has worked for a while. */
function faultsOf(bot: Bot): readonly string[] {
  const { state } = bot.rig.engine;
  const lots = lotsIn(bot.records);
  const sellsOf = (isMeant: (order: TrackedOrder) => boolean): number =>
    bot.working((intentId) => {
      const order = state.order(intentId);
      return order !== undefined && order.terms.side === 'sell' && isMeant(order);
    });
  return lots.flatMap(({ id, symbol, strategy, exits, shares, isLeft, left }): readonly string[] => {
    if (id === undefined) return [];
    const isNamed = bot.alarms.some(
      ({ code, facts }) => code === 'exits-missing' && facts['symbol'] === symbol,
    );
    if (left !== undefined) {
      // Shares that others sold after its end need no alarm.
      const bare = lots.find(
        (lot) => lot.id === undefined && lot.symbol === symbol && lot.strategy === strategy,
      );
      return left <= 0 || isNamed || (bare?.shares ?? 0) <= 0
        ? []
        : [`${id} ended with ${left} ${symbol} held`];
    }
    const isOwn = (order: TrackedOrder): boolean =>
      order.terms.symbol === symbol && order.strategy === strategy;
    // While an order of the strategy sells, the exits of its brackets yield to it.
    const yields = sellsOf((order) => isOwn(order) && order.link === undefined) > 0;
    const isClosing = sellsOf((order) => isOwn(order) && order.terms.type === 'MO') > 0;
    return SLOTS.flatMap((slot) => {
      const works = sellsOf(({ link }) => link?.algorithm === id && link.slot === slot);
      const isExempt = (yields && isNamed) || isClosing || (slot === 'target' && isLeft);
      const wanted = exits[slot] === undefined || isExempt ? 0 : shares;
      return works > shares || works < wanted
        ? [`${slot} of ${id} works for ${works} of ${shares} ${symbol}`]
        : [];
    });
  });
}

describe('several brackets with sales, cancels, faults and crashes in any order', () => {
  it('have their exits working for the whole position, or an alarm names it, and the strategy can sell all of it', () => {
    const seen = { several: 0, whole: 0 };
    fc.assert(
      fc.property(someSession, (session) => {
        const bot = new Bot(session);
        for (const step of session.steps) bot.take(step);
        bot.recover(20, 'idles');
        const isStuck = [...bot.rig.engine.state.live.values()].some(({ facets }) => isOutOfReach(facets));
        if (isStuck) return;
        const open = lotsIn(bot.records).filter(({ id, shares }) => id !== undefined && shares > 0);
        if (open.length > 1) seen.several += 1;
        expect({ status: bot.rig.status(), faults: faultsOf(bot) }).toEqual({
          status: 'running',
          faults: [],
        });
        bot.recover(20, 'closes');
        bot.recover(2, 'idles');
        const { live, algorithms } = bot.rig.engine.state;
        seen.whole += 1;
        expect({
          held: SYMBOLS.map((symbol) => bot.held(symbol)),
          live: [...live.values()],
          algorithms: [...algorithms.keys()],
        }).toEqual({ held: [0, 0], live: [], algorithms: [] });
      }),
      { numRuns: runs },
    );
    expect(seen.several).toBeGreaterThan(runs / 10);
    expect(seen.whole).toBeGreaterThan(runs / 2);
  });
});
