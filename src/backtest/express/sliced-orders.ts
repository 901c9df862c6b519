import { timedSlices } from '../../engine/algorithm-specs.ts';
import type { TrackedOrder } from '../../events/bot-state.ts';
import { endedAlarm, missedSlicesAlarm } from '../../execution/algorithms/algorithm-runner.ts';
import { TRANSIENT_DENIALS } from '../../execution/algorithms/children.ts';
import type { AlgorithmAction } from '../../execution/algorithms/plan.ts';
import { planSlices, slotOf } from '../../execution/algorithms/slices.ts';
import { roundToLot } from '../../markets/lots.ts';
import {
  type AlgorithmId,
  algorithmId,
  type MissedSlices,
  type Slice,
  type SlicesSpec,
} from '../../model/algorithm.ts';
import { doubleOfDecimal } from '../../model/amount.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Alarm } from '../../model/notice.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { type IntentId, intentId, isTerminalStatus, type OrderTerms, type Side } from '../../model/order.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import { bailOut } from './bail-out.ts';
import type { OpenOrder } from './open-order.ts';
import { intentIdOf, type Submitted, trackedOrder } from './rebalances.ts';
import type { SupportedSlices } from './supported-draft.ts';

/** A slice that the gate has judged, and its outcome. */
interface SliceOrder {
  readonly id: IntentId;
  readonly slot: string;
  readonly quantity: number;
  readonly decidedAt: Millis;
  readonly submission: Submitted;
  executed: number;
  venue: TrackedOrder['facets']['venue'] | undefined;
}

/** Input of the slicing algorithm: the slices in the journal's format. */
interface SlicesPlan {
  readonly spec: SlicesSpec;
  readonly orders: Map<IntentId, TrackedOrder>;
  readonly children: Map<string, IntentId[]>;
}

/** Time of a sliced order's next step; at equal times timers fire in the order in which they were set. */
interface SliceTimer {
  readonly at: Millis;
  readonly sequence: number;
}

/** An order that is sent in slices at set times: a TWAP or VWAP. */
export interface SlicedOrder {
  /** Its number in the run, from 1. */
  readonly number: number;
  readonly place: number;
  /** Terms of each slice. */
  readonly side: OpenOrder['side'];
  readonly type: OpenOrder['type'];
  readonly level: number;
  /** Whether it was decided at a timer of the strategy. */
  readonly isFromTimer: boolean;
  readonly startedAt: Millis;
  readonly style: SlicesSpec['style'];
  /** True if it began with no more than was held. */
  readonly closes: boolean;
  readonly slices: readonly Slice[];
  /** Sum of its slices, in shares. */
  readonly total: number;
  /** Index of the next slice, while all are sent on time. */
  next: number;
  readonly sliceOrders: SliceOrder[];
  /** Set when a slice was not sent on time; the algorithm's plan then controls the order. */
  followsPlan: boolean;
  plan: SlicesPlan | undefined;
  /** Until then its plan has no action unless one of its orders changes. */
  idleUntil: number;
  /** Time of its next scheduled step, and of all its timers. */
  nextStepAt: Millis | undefined;
  timers: readonly SliceTimer[];
}

/** The access of sliced orders to gate and venue. */
export interface SlicesHost {
  now(): Millis;
  /** Judges a slice at the latest prints, and sends it if approved. */
  submit(sliced: SlicedOrder, quantity: number): Submitted;
  termsOf(sliced: SlicedOrder, quantity: Decimal): OrderTerms;
  lotSizeOf(place: number): number;
  /** Signed shares held. */
  heldOf(place: number): number;
  /** Shares of open orders on a side. */
  openOf(place: number, side: OpenOrder['side']): number;
}

/** The sliced orders of a run, by the rules of execution/algorithms/slices.ts. */
export class SlicedOrders {
  readonly alarms: Alarm[] = [];
  #active: SlicedOrder[] = [];
  #count = 0;
  #timerCount = 0;
  readonly #host: SlicesHost;
  readonly #until: Millis;
  readonly #missed: MissedSlices | undefined;

  /** No timer fires after `until`. */
  constructor(host: SlicesHost, until: Millis, missed: MissedSlices | undefined) {
    this.#host = host;
    this.#until = until;
    this.#missed = missed;
  }

  get isActive(): boolean {
    return this.#active.length > 0;
  }

  /** Plans the slices of a sized order, and sends the first if it is due. */
  start(
    { place, side, type, level, quantity }: OpenOrder,
    draft: SupportedSlices,
    { lotSize, isFromTimer }: { readonly lotSize: number; readonly isFromTimer: boolean },
  ): void {
    const slices = timedSlices(new Decimal(quantity), draft, lotSize);
    if (slices === undefined || slices.length === 0) bailOut('invalid slices');
    this.#count += 1;
    const closes = this.#closable({ place, side }) >= quantity;
    const isAlike = (sliced: SlicedOrder): boolean => sliced.place === place && sliced.side === side;
    // The full engine leaves the shares of older orders to them.
    if (closes && (this.#host.openOf(place, side) > 0 || this.#active.some(isAlike)))
      bailOut('an order in parts that closes what others leave');
    const sliced: SlicedOrder = {
      ...{ number: this.#count, place, side, type, level, isFromTimer, style: draft.style, closes, slices },
      ...{
        startedAt: this.#host.now(),
        total: slices.reduce((sum, slice) => sum + doubleOfDecimal(slice.quantity), 0),
        next: 0,
        sliceOrders: [],
        followsPlan: false,
        plan: undefined,
        idleUntil: 0,
      },
      ...{ nextStepAt: undefined, timers: [] },
    };
    this.#active.push(sliced);
    this.#step(sliced);
  }

  /** Returns the first timer before a time; undefined if there is none. */
  firstTimer(time: number): { readonly sliced: SlicedOrder; readonly at: Millis } | undefined {
    let found: SlicedOrder | undefined;
    let first: SliceTimer | undefined;
    for (const sliced of this.#active)
      for (const timer of sliced.timers) {
        if (timer.at >= time) continue;
        const isFirst =
          first === undefined ||
          timer.at < first.at ||
          (timer.at === first.at && timer.sequence < first.sequence);
        if (isFirst) [found, first] = [sliced, timer];
      }
    return found === undefined || first === undefined ? undefined : { sliced: found, at: first.at };
  }

  /** Fires the first timer of an order at the current time. */
  fire(sliced: SlicedOrder): void {
    const now = this.#host.now();
    const fired = sliced.timers.findIndex(({ at }) => at === now);
    sliced.timers = sliced.timers.filter((_, index) => index !== fired);
    if (sliced.nextStepAt === now) sliced.nextStepAt = undefined;
    this.#step(sliced);
  }

  /**
   * Steps each sliced order of a symbol after an event of any order in that symbol; slices that are due are sent
   * before their timers fire.
   */
  stepSymbol(place: number): void {
    for (const sliced of [...this.#active]) if (sliced.place === place) this.#step(sliced);
  }

  /** Handles a fill or the end of a slice. */
  updateSlice(order: OpenOrder, shares: number, venue?: TrackedOrder['facets']['venue']): void {
    const sliced = this.#active.find(({ number }) => number === order.sliceOf);
    const part = sliced?.sliceOrders.find(
      ({ submission }) => submission.kind === 'sent' && submission.number === order.number,
    );
    if (sliced === undefined || part === undefined) return;
    sliced.idleUntil = 0;
    part.executed += shares;
    part.venue = part.executed >= part.quantity ? 'FilledStatus' : (venue ?? part.venue);
    if (sliced.plan !== undefined) this.#updatePlan(sliced, sliced.plan, part);
  }

  isDue(place: number, at: number): boolean {
    return this.#active.some(
      (sliced) => sliced.place === place && sliced.timers.some((timer) => timer.at <= at),
    );
  }

  has(place: number): boolean {
    return this.#active.some((sliced) => sliced.place === place);
  }

  /** Shares that orders of a side can close; negative in the other direction. */
  #closable({ place, side }: Pick<SlicedOrder, 'place' | 'side'>): number {
    return -side * this.#host.heldOf(place);
  }

  /** Bails out if others closed a part of the position of an order that closes, which then follows what is left. */
  #bailOutIfPositionClosed(sliced: SlicedOrder, wanted: number): void {
    const open = sliced.sliceOrders.reduce(
      (sum, { submission, venue, quantity, executed }) =>
        submission.kind === 'sent' && (venue === undefined || venue === 'none' || !isTerminalStatus(venue))
          ? sum + quantity - executed
          : sum,
      0,
    );
    const closable = this.#closable(sliced);
    // The full engine ends it then, whatever is bought later.
    const isClosed =
      closable <= 0 && sliced.sliceOrders.reduce((sum, { executed }) => sum + executed, 0) < sliced.total;
    if (isClosed || open + wanted > closable) bailOut('other orders close the position of a sliced order');
  }

  #step(sliced: SlicedOrder): void {
    if (sliced.closes) this.#bailOutIfPositionClosed(sliced, 0);
    const { slices, next, startedAt, idleUntil } = sliced;
    const now = this.#host.now();
    if (now < idleUntil) return;
    const slice = slices[next];
    const at = slice === undefined ? now : startedAt + slice.afterMs;
    if (sliced.followsPlan || slice === undefined || at < now) this.#followPlan(sliced);
    else if (at > now) this.#setTimer(sliced, millis(at));
    else {
      this.#submit(sliced, slotOf(next), doubleOfDecimal(slice.quantity));
      const later = slices[next + 1];
      sliced.next = next + 1;
      if (later !== undefined) this.#setTimer(sliced, millis(startedAt + later.afterMs));
      // The last slice of one that closes still follows the position.
      else if (!sliced.followsPlan && !sliced.closes) this.#end(sliced);
    }
  }

  #submit(sliced: SlicedOrder, slot: string, quantity: number): void {
    if (sliced.closes) this.#bailOutIfPositionClosed(sliced, quantity);
    const submission = this.#host.submit(sliced, quantity);
    const { sliceOrders, plan } = sliced;
    const id =
      submission.kind === 'sent' ? intentIdOf(submission.number) : intentId(`denied ${sliceOrders.length}`);
    const decidedAt = this.#host.now();
    const part: SliceOrder = { id, slot, quantity, decidedAt, submission, executed: 0, venue: undefined };
    sliceOrders.push(part);
    if (plan !== undefined) this.#updatePlan(sliced, plan, part);
    if (submission.kind === 'denied' && TRANSIENT_DENIALS.has(submission.rule)) sliced.followsPlan = true;
  }

  #end(ended: SlicedOrder): void {
    this.#active = this.#active.filter((sliced) => sliced !== ended);
  }

  /** Executes the actions of its plan. */
  #followPlan(sliced: SlicedOrder): void {
    sliced.followsPlan = true;
    const { spec, orders, children } = this.#planOf(sliced);
    const { startedAt, place } = sliced;
    const position = (side: Side): Decimal =>
      new Decimal(this.#host.heldOf(place)).times(side === 'buy' ? 1 : -1);
    const actions = planSlices(
      {
        ...{ id: idOfSliced(sliced), startedAt, reason: '', overruled: undefined, children },
        withdrawn: NO_INTENTS,
      },
      spec,
      {
        ...{ now: this.#host.now(), order: (id) => orders.get(id), hasCalls: () => true, killed: false },
        position,
        closable: position,
        wholeLots: (quantity) => roundToLot(quantity, this.#host.lotSizeOf(place)),
      },
    );
    const [first] = actions;
    if (first === undefined) sliced.idleUntil = NEVER;
    else sliced.idleUntil = first.kind === 'wake' ? first.at : 0;
    for (const action of actions) this.#execute(sliced, action);
  }

  #planOf(sliced: SlicedOrder): SlicesPlan {
    if (sliced.plan !== undefined) return sliced.plan;
    const { slices, style, sliceOrders } = sliced;
    const total = slices.reduce((sum, { quantity }) => sum.plus(quantity), ZERO);
    const terms = this.#host.termsOf(sliced, total);
    const closes = sliced.closes ? ({ closes: true } as const) : {};
    const missed = omitUndefined({ missed: this.#missed });
    const plan: SlicesPlan = {
      spec: { kind: 'slices', style, order: terms, slices, pace: 'time', ...closes, ...missed },
      orders: new Map(),
      children: new Map(),
    };
    sliced.plan = plan;
    for (const part of sliceOrders) this.#updatePlan(sliced, plan, part);
    return plan;
  }

  /** Updates a plan with the current state of a slice. */
  #updatePlan(sliced: SlicedOrder, { orders, children }: SlicesPlan, part: SliceOrder): void {
    const { id, slot, quantity, decidedAt, submission, executed, venue } = part;
    const terms = this.#host.termsOf(sliced, new Decimal(quantity));
    const link = { algorithm: idOfSliced(sliced), slot };
    const order = trackedOrder(id, terms, { now: decidedAt, link, submission });
    const facets = { ...order.facets, executed: new Decimal(executed), ...omitUndefined({ venue }) };
    if (!orders.has(id)) children.set(slot, [...(children.get(slot) ?? []), id]);
    orders.set(id, { ...order, facets });
  }

  #execute(sliced: SlicedOrder, action: AlgorithmAction): void {
    const now = this.#host.now();
    switch (action.kind) {
      case 'submit': {
        const { slot, terms, missed } = action;
        if (missed !== undefined) this.alarms.push(missedSlicesAlarm(missed, terms.symbol, now));
        this.#submit(sliced, slot, terms.quantity.toNumber());
        return;
      }
      case 'wake':
        this.#setTimer(sliced, action.at);
        return;
      case 'end':
        if (action.alarm !== undefined) this.alarms.push(endedAlarm(action.alarm, 'slices', action.why, now));
        this.#end(sliced);
        return;
      default:
        bailOut(`action ${action.kind} of a sliced order`);
    }
  }

  /**
   * Sets a timer by the rule of algorithm-runner.ts, where obsolete timers fire as well. Of several at one time the
   * first counts.
   */
  #setTimer(sliced: SlicedOrder, at: Millis): void {
    const { nextStepAt } = sliced;
    if (at > this.#until || (nextStepAt !== undefined && nextStepAt <= at && nextStepAt > this.#host.now()))
      return;
    sliced.nextStepAt = at;
    if (sliced.timers.some((timer) => timer.at === at)) return;
    this.#timerCount += 1;
    sliced.timers = [...sliced.timers, { at, sequence: this.#timerCount }];
  }
}

const NO_INTENTS: ReadonlySet<IntentId> = new Set();

function idOfSliced({ number }: SlicedOrder): AlgorithmId {
  return algorithmId(String(number));
}
