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
import { idOf, type Submitted, trackedOrder } from './rebalances.ts';
import type { SupportedSlices } from './supported-draft.ts';

/** A slice that the gate has judged, and its outcome. */
interface Part {
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
  readonly turn: number;
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
  readonly isTimed: boolean;
  readonly startedAt: Millis;
  readonly style: SlicesSpec['style'];
  /** True if it began with no more than was held. */
  readonly closes: boolean;
  readonly slices: readonly Slice[];
  /** Sum of its slices, in shares. */
  readonly total: number;
  /** Index of the next slice, while all are sent on time. */
  next: number;
  readonly parts: Part[];
  /** Set when a slice was not sent on time; the algorithm's plan then controls the order. */
  isPlanned: boolean;
  plan: SlicesPlan | undefined;
  /** Until then its plan has no action unless one of its orders changes. */
  restsUntil: number;
  /** Time of its next scheduled step, and of all its timers. */
  wakesAt: Millis | undefined;
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
  #turns = 0;
  readonly #host: SlicesHost;
  readonly #until: Millis;
  readonly #missed: MissedSlices | undefined;

  /** No timer fires after `until`. */
  constructor(host: SlicesHost, until: Millis, missed: MissedSlices | undefined) {
    this.#host = host;
    this.#until = until;
    this.#missed = missed;
  }

  get any(): boolean {
    return this.#active.length > 0;
  }

  /** Plans the slices of a sized order, and sends the first if it is due. */
  start(
    { place, side, type, level, quantity }: OpenOrder,
    draft: SupportedSlices,
    { lotSize, isTimed }: { readonly lotSize: number; readonly isTimed: boolean },
  ): void {
    const slices = timedSlices(new Decimal(quantity), draft, lotSize);
    if (slices === undefined || slices.length === 0) bailOut('an order in parts that make no sense');
    this.#count += 1;
    const closes = this.#closable({ place, side }) >= quantity;
    const isAlike = (sliced: SlicedOrder): boolean => sliced.place === place && sliced.side === side;
    // The full engine leaves the shares of older orders to them.
    if (closes && (this.#host.openOf(place, side) > 0 || this.#active.some(isAlike)))
      bailOut('an order in parts that closes what others leave');
    const sliced: SlicedOrder = {
      ...{ number: this.#count, place, side, type, level, isTimed, style: draft.style, closes, slices },
      ...{
        startedAt: this.#host.now(),
        total: slices.reduce((sum, slice) => sum + doubleOfDecimal(slice.quantity), 0),
        next: 0,
        parts: [],
        isPlanned: false,
        plan: undefined,
        restsUntil: 0,
      },
      ...{ wakesAt: undefined, timers: [] },
    };
    this.#active.push(sliced);
    this.#step(sliced);
  }

  /** Returns the first timer before a time; undefined if there is none. */
  firstBefore(time: number): { readonly sliced: SlicedOrder; readonly at: Millis } | undefined {
    let found: SlicedOrder | undefined;
    let first: SliceTimer | undefined;
    for (const sliced of this.#active)
      for (const timer of sliced.timers) {
        if (timer.at >= time) continue;
        const isFirst =
          first === undefined || timer.at < first.at || (timer.at === first.at && timer.turn < first.turn);
        if (isFirst) [found, first] = [sliced, timer];
      }
    return found === undefined || first === undefined ? undefined : { sliced: found, at: first.at };
  }

  /** Fires the first timer of an order at the current time. */
  fire(sliced: SlicedOrder): void {
    const now = this.#host.now();
    const fired = sliced.timers.findIndex(({ at }) => at === now);
    sliced.timers = sliced.timers.filter((_, index) => index !== fired);
    if (sliced.wakesAt === now) sliced.wakesAt = undefined;
    this.#step(sliced);
  }

  /**
   * Steps each sliced order of a symbol after an event of any order in that symbol; slices that are due are sent
   * before their timers fire.
   */
  stepAll(place: number): void {
    for (const sliced of [...this.#active]) if (sliced.place === place) this.#step(sliced);
  }

  /** Handles a fill or the end of a slice. */
  changed(order: OpenOrder, shares: number, venue?: TrackedOrder['facets']['venue']): void {
    const sliced = this.#active.find(({ number }) => number === order.sliced);
    const part = sliced?.parts.find(
      ({ submission }) => submission.kind === 'sent' && submission.number === order.number,
    );
    if (sliced === undefined || part === undefined) return;
    sliced.restsUntil = 0;
    part.executed += shares;
    part.venue = part.executed >= part.quantity ? 'FilledStatus' : (venue ?? part.venue);
    if (sliced.plan !== undefined) this.#track(sliced, sliced.plan, part);
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
  #demandPosition(sliced: SlicedOrder, wanted: number): void {
    const open = sliced.parts.reduce(
      (sum, { submission, venue, quantity, executed }) =>
        submission.kind === 'sent' && (venue === undefined || venue === 'none' || !isTerminalStatus(venue))
          ? sum + quantity - executed
          : sum,
      0,
    );
    const closable = this.#closable(sliced);
    // The full engine ends it then, whatever is bought later.
    const isClosed =
      closable <= 0 && sliced.parts.reduce((sum, { executed }) => sum + executed, 0) < sliced.total;
    if (isClosed || open + wanted > closable) bailOut('an order in parts whose position others close');
  }

  #step(sliced: SlicedOrder): void {
    if (sliced.closes) this.#demandPosition(sliced, 0);
    const { slices, next, startedAt, restsUntil } = sliced;
    const now = this.#host.now();
    if (now < restsUntil) return;
    const slice = slices[next];
    const at = slice === undefined ? now : startedAt + slice.afterMs;
    if (sliced.isPlanned || slice === undefined || at < now) this.#follow(sliced);
    else if (at > now) this.#wake(sliced, millis(at));
    else {
      this.#submit(sliced, slotOf(next), doubleOfDecimal(slice.quantity));
      const later = slices[next + 1];
      sliced.next = next + 1;
      if (later !== undefined) this.#wake(sliced, millis(startedAt + later.afterMs));
      // The last slice of one that closes still follows the position.
      else if (!sliced.isPlanned && !sliced.closes) this.#end(sliced);
    }
  }

  #submit(sliced: SlicedOrder, slot: string, quantity: number): void {
    if (sliced.closes) this.#demandPosition(sliced, quantity);
    const submission = this.#host.submit(sliced, quantity);
    const { parts, plan } = sliced;
    const id = submission.kind === 'sent' ? idOf(submission.number) : intentId(`denied ${parts.length}`);
    const decidedAt = this.#host.now();
    const part: Part = { id, slot, quantity, decidedAt, submission, executed: 0, venue: undefined };
    parts.push(part);
    if (plan !== undefined) this.#track(sliced, plan, part);
    if (submission.kind === 'denied' && TRANSIENT_DENIALS.has(submission.rule)) sliced.isPlanned = true;
  }

  #end(ended: SlicedOrder): void {
    this.#active = this.#active.filter((sliced) => sliced !== ended);
  }

  /** Executes the actions of its plan. */
  #follow(sliced: SlicedOrder): void {
    sliced.isPlanned = true;
    const { spec, orders, children } = this.#planOf(sliced);
    const { startedAt, place } = sliced;
    const position = (side: Side): Decimal =>
      new Decimal(this.#host.heldOf(place)).times(side === 'buy' ? 1 : -1);
    const actions = planSlices(
      {
        ...{ id: idOfSliced(sliced), startedAt, reason: '', overruled: undefined, children },
        withdrawn: NONE,
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
    if (first === undefined) sliced.restsUntil = NEVER;
    else sliced.restsUntil = first.kind === 'wake' ? first.at : 0;
    for (const action of actions) this.#fulfil(sliced, action);
  }

  #planOf(sliced: SlicedOrder): SlicesPlan {
    if (sliced.plan !== undefined) return sliced.plan;
    const { slices, style, parts } = sliced;
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
    for (const part of parts) this.#track(sliced, plan, part);
    return plan;
  }

  /** Updates a plan with the current state of a slice. */
  #track(sliced: SlicedOrder, { orders, children }: SlicesPlan, part: Part): void {
    const { id, slot, quantity, decidedAt, submission, executed, venue } = part;
    const terms = this.#host.termsOf(sliced, new Decimal(quantity));
    const link = { algorithm: idOfSliced(sliced), slot };
    const order = trackedOrder(id, terms, { now: decidedAt, link, submission });
    const facets = { ...order.facets, executed: new Decimal(executed), ...omitUndefined({ venue }) };
    if (!orders.has(id)) children.set(slot, [...(children.get(slot) ?? []), id]);
    orders.set(id, { ...order, facets });
  }

  #fulfil(sliced: SlicedOrder, action: AlgorithmAction): void {
    const now = this.#host.now();
    switch (action.kind) {
      case 'submit': {
        const { slot, terms, missed } = action;
        if (missed !== undefined) this.alarms.push(missedSlicesAlarm(missed, terms.symbol, now));
        this.#submit(sliced, slot, terms.quantity.toNumber());
        return;
      }
      case 'wake':
        this.#wake(sliced, action.at);
        return;
      case 'end':
        if (action.alarm !== undefined) this.alarms.push(endedAlarm(action.alarm, 'slices', action.why, now));
        this.#end(sliced);
        return;
      default:
        bailOut(`an action of kind ${action.kind} of an order in parts`);
    }
  }

  /**
   * Sets a timer by the rule of algorithm-runner.ts, where obsolete timers fire as well. Of several at one time the
   * first counts.
   */
  #wake(sliced: SlicedOrder, at: Millis): void {
    const { wakesAt } = sliced;
    if (at > this.#until || (wakesAt !== undefined && wakesAt <= at && wakesAt > this.#host.now())) return;
    sliced.wakesAt = at;
    if (sliced.timers.some((timer) => timer.at === at)) return;
    this.#turns += 1;
    sliced.timers = [...sliced.timers, { at, turn: this.#turns }];
  }
}

const NONE: ReadonlySet<IntentId> = new Set();

function idOfSliced({ number }: SlicedOrder): AlgorithmId {
  return algorithmId(String(number));
}
