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
/** Whose orders these are. */
export const STRATEGY = 'one';

/** What a test changes of the world around the gate. */
interface World {
  now: Millis;
  quote: QuoteFact | undefined;
  /** Closes of the day before, of this day once the next one began, and of the newest bar; each in its stock's currency. */
  readonly closes: { before: string; today: string; last: string };
  /** Why quotes of the stock do not arrive; undefined: they do. */
  unheard: string | undefined;
  /** What the comparison with the venue came to; undefined: as new as can be, without a difference. */
  books: Aged<readonly string[]> | undefined;
  /** Shares that the venue lets be bought with cash, and with its credit. */
  estimate: { readonly cash: string; readonly margin: string };
  /** How long the venue takes to tell a buy limit, milliseconds. */
  estimateTakesMs: number;
  /** Whether the venue cuts an order to what the account can pay for. */
  cuts: boolean;
  /** Calls that are free. */
  callsFree: number;
  readonly margins: Map<SecuritySymbol, Aged<MarginFactors>>;
}

/** A gate that judges by what its journal holds and by a world that a test sets. */
export interface BoundedRig {
  readonly world: World;
  readonly venue: FakeVenue;
  /** The current memory of the gate. */
  readonly state: BotState;
  tell(event: SluiceEvent): void;
  /** So many shares, below zero for a short position, bought at 80 HKD the day before. */
  hold(symbol: SecuritySymbol, quantity: number): void;
  /** Orders over a lot at 80 HKD that are not done; gives their ids. */
  open(
    symbol: SecuritySymbol,
    ...submissions: readonly ('acked' | 'unknown' | 'sending')[]
  ): readonly IntentId[];
  /** An open order over a lot at 80 HKD that an algorithm placed. */
  linked(symbol: SecuritySymbol, link: OrderLink): void;
  /** An order over a lot at 80 HKD that was placed outside the bot. */
  foreign(symbol: SecuritySymbol, side: Side): void;
  /** An order that passed the gate and was refused by the venue; over a lot at the market unless `change` overrides it. */
  passed(when: Millis, change?: Partial<OrderTerms>): void;
  /** An order over a lot that a rule denied. */
  denied(when: Millis, rule: string): void;
  /** One share of another stock bought at 80 HKD. */
  fill(when: Millis): void;
  judge(terms: Partial<OrderTerms>, change?: Partial<OrderIntent>): Verdict;
  /** The same world after a crash: everything that the gate remembers comes out of the journal's text. */
  restarted(): BoundedRig;
}

/** The limits of a YAML's `risk`, nothing else. */
export function limitsIn(yaml: string): StrategyLimits & Partial<RiskLimits> {
  const { rules: _rules, ...limits } = riskSchema().parse(parse(yaml));
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** What bounds the account, and what the strategy alone. */
interface Bounds {
  readonly limits?: Partial<RiskLimits>;
  readonly own?: StrategyLimits;
}

/**
 * An account in USD that has 10,000 of them; 8 HKD are 1 USD. 700.HK and 9988.HK stand at 80 HKD, a lot is 100 shares and a
 * tick 0.05 HKD. The venue lets 200 shares be bought with cash, 300 with credit.
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

function rigOn(world: World, venue: FakeVenue, bounds: Bounds, told: readonly SluiceEvent[]): BoundedRig {
  const fold = createFold();
  const journal = [...told];
  for (const event of told) fold.apply(event);
  const recorder = createRecorder(createMemoryJournal(), fold, (event) => journal.push(event));
  const restrictions = createRestrictions({ recorder, clock: { now: () => world.now } });
  restrictions.observe(() =>
    observedRestrictions({
      ...{ state: fold.state, reconciler: { doubts: () => [] } },
      rates: { missing: () => [], missingSince: () => world.now },
      unheard: () => (world.unheard === undefined ? [] : [{ why: world.unheard, since: world.now }]),
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
    unrated: () => [],
    lastClose: () => decimal(world.closes.last),
    closeBefore: (_symbol, when) => decimal(when > HK_MORNING ? world.closes.today : world.closes.before),
    margins: { known: world.margins, keptMs: 5 * MINUTE_MS },
    books: () => world.books ?? { value: [], at: world.now },
  };
}

/** So many calls are free, and nothing else is counted. */
function budgetOf(world: World): CallBudget {
  return {
    enter: () => () => undefined,
    hold: (_kind, places) => places <= world.callsFree,
    isHolding: () => false,
    release: () => undefined,
    hasRoom: () => true,
    keepFor: () => undefined,
    hurry: () => undefined,
    used: () => ({
      ...{ cancel: 0, protect: 0, read: 16, open: 28 - 16 - world.callsFree, others: 0, reserved: 10 },
      ...{ max: 28, windowMs: 31_000 },
    }),
  };
}
