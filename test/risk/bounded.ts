import { defer, EMPTY, of } from 'rxjs';
import { parse } from 'yaml';
import { riskSchema } from '#src/config/schema/risk-schema.ts';
import type { BotState } from '#src/events/bot-state.ts';
import { decodeEvent, encodeEvent } from '#src/events/codec.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import type { FactSources } from '#src/execution/gate/fact-sources.ts';
import { createGate, type Gate } from '#src/execution/gate/gate.ts';
import { observedRestrictions } from '#src/execution/gate/observed-restrictions.ts';
import { createRestrictions } from '#src/execution/gate/restrictions.ts';
import { createRecorder } from '#src/execution/recorder.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import type { OrderLink } from '#src/model/algorithm.ts';
import { decimal } from '#src/model/decimal.ts';
import { type IntentId, type OrderIntent, type OrderTerms, orderId, type Side } from '#src/model/order.ts';
import type { MarginFactors } from '#src/model/security.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { DAY_MS, MINUTE_MS, type Millis, millis } from '#src/model/time.ts';
import type { CallBudget } from '#src/ports/call-budget.ts';
import type { Aged, QuoteFact } from '#src/risk/facts.ts';
import type { RiskLimits } from '#src/risk/limits.ts';
import type { Verdict } from '#src/risk/risk-gate.ts';
import type { StrategyLimits } from '#src/risk/strategy-limits.ts';
import { wideLimits } from '#src/testing/wide-limits.ts';
import { createFakeVenue, type FakeVenue } from '../fixtures/fake-venue.ts';
import { at, security, TENCENT } from '../fixtures/market.ts';
import { acked, drafted, filled, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';

import { only } from '../fixtures/tasks.ts';

/** A Tuesday morning in Hong Kong, half an hour after the open. */
export const HK_MORNING = at('2024-03-05T10:00:00+08:00');
/** Another stock of Hong Kong. */
export const ALIBABA = securitySymbol('9988.HK');
/** The strategy of the orders. */
export const STRATEGY = 'one';

/** State around the gate that a test changes. */
interface World {
  now: Millis;
  quote: QuoteFact | undefined;
  /**
   * Closes of the previous day, of this day once the next one began, and of the newest bar; each in its stock's
   * currency.
   */
  readonly closes: { before: string; today: string; last: string };
  /** Why quotes of the stock do not arrive; undefined if they do. */
  unheard: string | undefined;
  /** Result of the comparison with the venue; undefined for a new one without a difference. */
  books: Aged<readonly string[]> | undefined;
  /** Shares that can be bought with cash and with credit, according to the venue. */
  estimate: { readonly cash: string; readonly margin: string };
  /** Milliseconds until the venue answers a buy limit. */
  estimateTakesMs: number;
  /** Whether the venue reduces an order to what the account can pay. */
  cuts: boolean;
  /** Number of free calls. */
  callsFree: number;
  readonly margins: Map<SecuritySymbol, Aged<MarginFactors>>;
}

/** A gate that judges by its journal and by a world that a test sets. */
export interface BoundedRig {
  readonly world: World;
  readonly venue: FakeVenue;
  /** The current state of the gate. */
  readonly state: BotState;
  tell(event: SluiceEvent): void;
  /** A position, negative if short, opened at 80 HKD on the previous day. */
  hold(symbol: SecuritySymbol, quantity: number): void;
  /** Open orders for a lot at 80 HKD; returns their ids. */
  open(
    symbol: SecuritySymbol,
    ...submissions: readonly ('acked' | 'unknown' | 'sending')[]
  ): readonly IntentId[];
  /** An open order of an algorithm for a lot at 80 HKD. */
  linked(symbol: SecuritySymbol, link: OrderLink): void;
  /** An order for a lot at 80 HKD that was placed outside the bot. */
  foreign(symbol: SecuritySymbol, side: Side): void;
  /** An order that passed the gate and was rejected by the venue; for a lot at the market by default. */
  passed(when: Millis, change?: Partial<OrderTerms>): void;
  /** An order for a lot that a rule denied. */
  denied(when: Millis, rule: string): void;
  /** One share of another stock bought at 80 HKD. */
  fill(when: Millis): void;
  judge(terms: Partial<OrderTerms>, change?: Partial<OrderIntent>): Verdict;
  /** The same world after a crash: the gate's memory is read from the journal's text. */
  restarted(): BoundedRig;
}

/** The limits in a YAML's `risk` section. */
export function limitsIn(yaml: string): StrategyLimits & Partial<RiskLimits> {
  const { rules: _rules, ...limits } = riskSchema().parse(parse(yaml));
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** Limits of the account, and of the strategy. */
interface Bounds {
  readonly limits?: Partial<RiskLimits>;
  readonly own?: StrategyLimits;
}

/**
 * An account with 10,000 USD; 8 HKD are 1 USD. 700.HK and 9988.HK trade at 80 HKD, a lot is 100 shares and a tick
 * 0.05 HKD. According to the venue, 200 shares can be bought with cash, 300 with credit.
 */
export function boundedRig(bounds: Bounds = {}): BoundedRig {
  const venue = createFakeVenue(true);
  const world: World = {
    now: HK_MORNING,
    quote: { value: decimal('80'), at: HK_MORNING },
    closes: { before: '80', today: '80', last: '100' },
    books: undefined,
    unheard: undefined,
    estimate: { cash: '200', margin: '300' },
    estimateTakesMs: 0,
    cuts: false,
    callsFree: 4,
    margins: new Map(),
  };
  return rigOn(world, venue, bounds, []);
}

function rigOn(world: World, venue: FakeVenue, bounds: Bounds, reported: readonly SluiceEvent[]): BoundedRig {
  const fold = createFold();
  const journal = [...reported];
  for (const event of reported) fold.apply(event);
  const recorder = createRecorder(createMemoryJournal(), fold, (event) => journal.push(event));
  const restrictions = createRestrictions({ recorder, clock: { now: () => world.now } });
  restrictions.observe(() =>
    observedRestrictions({
      ...{ state: fold.state, reconciler: { doubts: () => [] } },
      rates: { missing: () => [], missingSince: () => world.now },
      missingQuotes: () => (world.unheard === undefined ? [] : [{ why: world.unheard, since: world.now }]),
      ...{ failedRule: () => undefined, recoveringSince: () => undefined, broker: {} },
    }),
  );
  const sources = { ...sourcesOf(world, venue), state: fold.state, restrictions, pullQuote: () => EMPTY };
  const gate: Gate = createGate({
    sources,
    recorder,
    restrictions,
    limits: { ...wideLimits('USD'), ...bounds.limits },
    budget: budgetOf(world),
    strategyLimits: () => bounds.own,
    equity: () => decimal(venue.answers.equity),
  });
  let count = journal.length;

  function tell(event: SluiceEvent): void {
    journal.push(event);
    fold.apply(event);
  }

  function draft(
    terms: Partial<OrderTerms>,
    when: Millis,
    change: { readonly link?: OrderLink } = {},
  ): OrderIntent {
    count += 1;
    const intent = intentOf(`I${count}`, { terms: order(terms), decidedAt: when, strategy: STRATEGY });
    tell({ ...drafted(intent), strategy: STRATEGY, ...change });
    return intent;
  }

  function open(
    symbol: SecuritySymbol,
    kind: 'acked' | 'unknown' | 'sending',
    change: { readonly link?: OrderLink } = {},
  ): IntentId {
    const intent = draft({ symbol, type: 'LO', price: decimal('80') }, millis(0), change);
    const stamp = { at: millis(0), intentId: intent.id };
    for (const event of acked(intent).slice(1, kind === 'acked' ? 4 : 3)) tell(event);
    if (kind === 'unknown') tell({ ...stamp, kind: 'submit-unknown', message: '' });
    return intent.id;
  }

  function bought(symbol: SecuritySymbol, shares: number, when: Millis): void {
    const [side, quantity] = [shares > 0 ? 'buy' : 'sell', String(Math.abs(shares))] as const;
    const intent = draft({ symbol, side, quantity: decimal(quantity) }, when);
    for (const event of acked(intent).slice(1)) tell(event);
    const whose = { intent: intent.id, intentId: intent.id, symbol, time: when, currency: 'HKD' };
    tell(filled(fillOf(`E${count}`, side, quantity, '80', whose)));
  }

  return {
    world,
    venue,
    state: fold.state,
    tell,
    hold: (symbol, shares) => bought(symbol, shares, millis(HK_MORNING - DAY_MS)),
    fill: (when) => bought(ALIBABA, 1, when),
    open: (symbol, ...submissions) => submissions.map((kind) => open(symbol, kind)),
    linked: (symbol, link) => void open(symbol, 'acked', { link }),
    foreign: (symbol, side) =>
      tell({
        kind: 'foreign-moved',
        ...{ at: millis(0), orderId: orderId(`HAND-${journal.length}`), remark: '' },
        ...{ status: 'NewStatus', rawStatus: 'NewStatus', executedQuantity: decimal('0') },
        terms: order({ symbol, side, type: 'LO', price: decimal('80') }),
      }),
    passed(when, change = {}) {
      const stamp = { at: when, intentId: draft(change, when).id };
      tell({ ...stamp, kind: 'intent-armed', numbers: [] });
      tell({ ...stamp, kind: 'submit-sending', attempt: 1 });
      tell({ ...stamp, kind: 'submit-refused', code: 1, message: '' });
    },
    denied: (when, rule) =>
      tell({
        kind: 'intent-denied',
        at: when,
        intentId: draft({}, when).id,
        ...{ rule, reason: '', numbers: [] },
      }),
    judge: (terms, change = {}) =>
      only(gate.judge(intentOf('ASKED', { terms: order(terms), strategy: STRATEGY, ...change }))),
    restarted: () =>
      rigOn(
        world,
        venue,
        bounds,
        journal.map((event) => decodeEvent(encodeEvent(event))),
      ),
  };
}

function order(change: Partial<OrderTerms>): OrderTerms {
  return termsOf({ symbol: TENCENT, ...change });
}

function sourcesOf(world: World, venue: FakeVenue): Omit<FactSources, 'state' | 'restrictions'> {
  const { broker } = venue;
  return {
    broker: {
      ...broker,
      get facts() {
        return world.cuts ? { ...broker.facts, cover: 'cut' as const } : broker.facts;
      },
      buyLimit: () =>
        defer(() => {
          world.now = millis(world.now + world.estimateTakesMs);
          return of({
            kind: 'ok' as const,
            value: { cash: decimal(world.estimate.cash), margin: decimal(world.estimate.margin) },
          });
        }),
    },
    currency: 'USD',
    now: () => world.now,
    security: (symbol) => security(symbol),
    reference: (symbol) =>
      symbol === TENCENT ? world.quote : { value: decimal('80'), at: world.quote?.at ?? world.now },
    rateOf: (currency) => decimal(currency === 'HKD' ? '0.125' : '1'),
    currenciesWithoutRate: () => [],
    lastClose: () => decimal(world.closes.last),
    closeBefore: (_symbol, when) => decimal(when > HK_MORNING ? world.closes.today : world.closes.before),
    margins: { known: world.margins, maxAgeMs: 5 * MINUTE_MS },
    books: () => world.books ?? { value: [], at: world.now },
  };
}

/** A call budget with this number of free calls, which counts nothing else. */
function budgetOf(world: World): CallBudget {
  return {
    acquire: () => () => undefined,
    reserve: (_kind, places) => places <= world.callsFree,
    hasReservation: () => false,
    release: () => undefined,
    hasCapacity: () => true,
    setProtection: () => undefined,
    setUrgent: () => undefined,
    used: () => ({
      ...{ cancel: 0, protect: 0, read: 16, open: 28 - 16 - world.callsFree, others: 0, reserved: 10 },
      ...{ max: 28, windowMs: 31_000 },
    }),
  };
}
