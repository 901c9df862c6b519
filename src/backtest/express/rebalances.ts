import type { TrackedOrder } from '../../events/bot-state.ts';
import { SETTLEMENT } from '../../execution/algorithms/facts-for.ts';
import type { AlgorithmAction } from '../../execution/algorithms/plan.ts';
import {
  maxRounds,
  planRebalance,
  type RebalanceOrder,
  type RebalanceRecord,
} from '../../execution/algorithms/rebalance.ts';
import {
  algorithmId,
  type OrderLink,
  type RebalanceSpec,
  type TargetHolding,
} from '../../model/algorithm.ts';
import type { Decimal } from '../../model/decimal.ts';
import { type IntentId, intentId, type OrderTerms, orderId } from '../../model/order.ts';
import type { Submission } from '../../model/order-facets.ts';
import { draftOrder } from '../../model/order-state.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import { bailOut } from './bail-out.ts';

/** The result of a submission: the order's number in the run, or the gate's denial. */
export type Submitted =
  | { readonly kind: 'sent'; readonly number: number }
  | Extract<Submission, { kind: 'denied' }>;

/** The access of rebalances to gate, venue and account. */
interface RebalanceHost {
  now(): Millis;
  /** Returns the order that changes the position, with open orders filled, to a weight, at the newest closes. */
  towards(holding: TargetHolding): RebalanceOrder | undefined;
  /** Returns the signed position. */
  held(symbol: SecuritySymbol): Decimal;
  /** Returns whether cash pays for an order in addition to all open purchases. */
  affords(terms: OrderTerms): boolean;
  /** Judges an order at the latest prints, and sends it if approved. */
  submit(terms: OrderTerms): Submitted;
  cancel(number: number): void;
}

interface ActiveRebalance extends RebalanceRecord {
  readonly spec: RebalanceSpec;
  readonly children: Map<string, IntentId[]>;
  /** Its orders, and those that it replaces. */
  readonly orders: Map<IntentId, TrackedOrder>;
  /** Time of its next scheduled plan, and of all its timers. */
  nextPlanAt: Millis | undefined;
  timers: readonly Millis[];
}

/** An open order at the start of a rebalance. */
interface OrderBeforeRebalance {
  readonly number: number;
  readonly terms: OrderTerms;
}

/**
 * Runs a strategy's rebalance by the rules of execution/algorithms/rebalance.ts, on orders in the journal's format.
 */
export class Rebalances {
  readonly #host: RebalanceHost;
  readonly #until: Millis;
  #active: ActiveRebalance | undefined;
  #started = 0;
  #denied = 0;

  /** No timer fires after `until`. */
  constructor(host: RebalanceHost, until: Millis) {
    this.#host = host;
    this.#until = until;
  }

  /** Whether a rebalance may still send orders. */
  get isActive(): boolean {
    return this.#active !== undefined;
  }

  /** Starts a rebalance, which replaces any other; `before` are the open orders in its specification. */
  start(spec: RebalanceSpec, before: readonly OrderBeforeRebalance[]): void {
    this.#started += 1;
    const now = this.#host.now();
    const orders = before.map(({ number, terms }) => trackedOrder(intentIdOf(number), terms, { now }));
    this.#active = {
      ...{ id: algorithmId(String(this.#started)), spec, reason: '', startedAt: now, overruled: undefined },
      ...{ children: new Map(), orders: new Map(orders.map((order) => [order.intentId, order])) },
      ...{ nextPlanAt: undefined, timers: [] },
    };
    this.#runPlan();
  }

  /** Handles a complete or partial fill of an order. */
  filled(number: number, shares: number): void {
    const order = this.#active?.orders.get(intentIdOf(number));
    if (order === undefined) return;
    const executed = order.facets.executed.plus(shares);
    this.#updateOrder(
      order,
      executed.gte(order.facets.ordered) ? { executed, venue: 'FilledStatus' } : { executed },
    );
    this.#runPlan();
  }

  /** Handles the expiry or cancel of an order. */
  ended(number: number, venue: 'ExpiredStatus' | 'CanceledStatus'): void {
    const order = this.#active?.orders.get(intentIdOf(number));
    if (order === undefined) return;
    this.#updateOrder(order, { venue });
    this.#runPlan();
  }

  timerBefore(time: number): Millis | undefined {
    let first: Millis = NEVER;
    for (const at of this.#active?.timers ?? []) if (at < first) first = at;
    return first < time ? first : undefined;
  }

  fire(): void {
    const active = this.#active;
    if (active === undefined) return;
    const now = this.#host.now();
    active.timers = active.timers.filter((at) => at > now);
    if (active.nextPlanAt === now) active.nextPlanAt = undefined;
    this.#runPlan();
  }

  /**
   * Bails out if there is something to send after dividends or interest were booked, because the full engine would
   * send it when its orders start to work.
   */
  bailOutIfOrdersDue(): void {
    this.#runPlan(true);
  }

  #updateOrder(order: TrackedOrder, facets: Partial<TrackedOrder['facets']>): void {
    this.#active?.orders.set(order.intentId, { ...order, facets: { ...order.facets, ...facets } });
  }

  /** Plans again after each order, like algorithm-runner.ts. */
  #runPlan(bailsOutOnSubmit = false): void {
    const active = this.#active;
    if (active === undefined) return;
    for (let round = 0; round < maxRounds(active.spec) && this.#active === active; round += 1) {
      const actions = planRebalance(active, active.spec, {
        ...SETTLEMENT,
        now: this.#host.now(),
        order: (id) => active.orders.get(id),
        rebalanceOrder: (holding) => this.#host.towards(holding),
        held: (symbol) => this.#host.held(symbol),
        affords: (terms) => this.#host.affords(terms),
      });
      for (const action of actions) {
        if (bailsOutOnSubmit && action.kind === 'submit') bailOut('dividends or interest change a rebalance');
        this.#execute(active, action);
      }
      if (!actions.some(({ kind }) => kind === 'submit')) return;
    }
  }

  #execute(active: ActiveRebalance, action: AlgorithmAction): void {
    switch (action.kind) {
      case 'submit':
        this.#submit(active, action);
        return;
      case 'cancel': {
        const order = active.orders.get(action.intentId);
        if (order !== undefined) this.#updateOrder(order, { pending: 'cancel-acked' });
        this.#host.cancel(Number(action.intentId));
        return;
      }
      case 'wake':
        this.#setTimer(active, action.at);
        return;
      case 'end':
        if (action.alarm !== undefined) bailOut('a rebalance ends with an alarm');
        this.#active = undefined;
        return;
      default:
        bailOut(`action ${action.kind} of a rebalance`);
    }
  }

  #submit(
    { id, children, orders }: ActiveRebalance,
    { slot, terms }: Extract<AlgorithmAction, { kind: 'submit' }>,
  ): void {
    const submission = this.#host.submit(terms);
    if (submission.kind === 'denied') this.#denied += 1;
    const child =
      submission.kind === 'denied' ? intentId(`denied ${this.#denied}`) : intentIdOf(submission.number);
    const link = { algorithm: id, slot };
    orders.set(child, trackedOrder(child, terms, { now: this.#host.now(), link, submission }));
    children.set(slot, [...(children.get(slot) ?? []), child]);
  }

  /** Sets a timer by the rule of algorithm-runner.ts, where obsolete timers fire as well. */
  #setTimer(active: ActiveRebalance, at: Millis): void {
    const { nextPlanAt } = active;
    if (at > this.#until || (nextPlanAt !== undefined && nextPlanAt <= at && nextPlanAt > this.#host.now()))
      return;
    active.nextPlanAt = at;
    active.timers = [...active.timers, at];
  }
}

/** Returns an order's id for the algorithms; the strategy does not see it. */
export const intentIdOf = (number: number): IntentId => intentId(String(number));

/** Returns an order in the journal's format; without a submission, one that the venue accepted earlier. */
export function trackedOrder(
  id: IntentId,
  terms: OrderTerms,
  { now, link, submission }: { now: Millis; link?: OrderLink; submission?: Submitted },
): TrackedOrder {
  return {
    ...{ intentId: id, terms, decidedAt: now, cancelAfterMs: undefined, charged: NO_CHARGES, link },
    ...{ held: false, replacing: undefined, change: undefined },
    facets: {
      ...draftOrder(terms.quantity),
      submission: submission?.kind === 'denied' ? submission : { kind: 'acked', orderId: orderId(id) },
    },
  };
}

const NO_CHARGES: ReadonlyMap<string, Decimal> = new Map();
