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
import { type IntentId, intentId, type OrderTerms } from '../../model/order.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import { bailOut } from './bail-out.ts';
import type { OpenOrder } from './open-order.ts';
import { idOf, type Submitted, trackedOrder } from './rebalances.ts';
import type { SupportedSlices } from './supported-draft.ts';

/** A part that the gate has judged, and what became of it. */
interface Part {
  readonly id: IntentId;
  readonly slot: string;
  readonly quantity: number;
  readonly decidedAt: Millis;
  readonly submission: Submitted;
  executed: number;
  venue: TrackedOrder['facets']['venue'] | undefined;
}

/** What the plan of an order in parts is given: its parts as the journal has them. */
interface SlicesPlan {
  readonly spec: SlicesSpec;
  readonly orders: Map<IntentId, TrackedOrder>;
  readonly children: Map<string, IntentId[]>;
}

/** When an order in parts has its next turn; one that was set earlier fires earlier. */
interface SliceTimer {
  readonly at: Millis;
  readonly turn: number;
}

/** An order that is sent in parts at their times: a TWAP or VWAP. */
export interface SlicedOrder {
  /** Its number among those of the run, from 1 on. */
  readonly number: number;
  readonly place: number;
  /** Terms of each part. */
  readonly side: OpenOrder['side'];
  readonly type: OpenOrder['type'];
  readonly level: number;
  /** Whether it was decided at a timer of the strategy. */
  readonly isTimed: boolean;
  readonly startedAt: Millis;
  readonly style: SlicesSpec['style'];
  readonly slices: readonly Slice[];
  /** The part that is sent next, while each is sent in its time. */
  next: number;
  readonly parts: Part[];
  /** Set once one was not: it then continues by the plan of its algorithm. */
  isPlanned: boolean;
  plan: SlicesPlan | undefined;
  /** Until then its plan would want nothing, if none of its orders changes. */
  restsUntil: number;
  /** When it has a turn if nothing else happens, and when timers of it fire. */
  wakesAt: Millis | undefined;
  timers: readonly SliceTimer[];
}

/** What orders in parts need of the gate and the venue. */
export interface SlicesHost {
  now(): Millis;
  /** Has the gate judge a part by the latest prints, and sends it if it is approved. */
  submit(sliced: SlicedOrder, quantity: number): Submitted;
  /** The whole order as the journal has it. */
  termsOf(sliced: SlicedOrder, quantity: Decimal): OrderTerms;
  lotSizeOf(place: number): number;
}

/** The orders of a run that are sent in parts, by the rules of execution/algorithms/slices.ts, each part at its time or not at all. */
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

  /** Whether parts are still to be sent. */
  get any(): boolean {
    return this.#active.length > 0;
  }

  /** Plans the parts of an order that was sized, and sends the first if it is due. */
  start(
    { place, side, type, level, quantity }: OpenOrder,
    draft: SupportedSlices,
    { lotSize, isTimed }: { readonly lotSize: number; readonly isTimed: boolean },
  ): void {
    const slices = timedSlices(new Decimal(quantity), draft, lotSize);
    if (slices === undefined || slices.length === 0) bailOut('an order in parts that make no sense');
    this.#count += 1;
    const sliced: SlicedOrder = {
      ...{ number: this.#count, place, side, type, level, isTimed, style: draft.style, slices },
      ...{
        startedAt: this.#host.now(),
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

  /** The timer that fires first before an instant; undefined where there is none. */
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

  /** The first timer of an order fires now. */
  fire(sliced: SlicedOrder): void {
    const now = this.#host.now();
    const fired = sliced.timers.findIndex(({ at }) => at === now);
    sliced.timers = sliced.timers.filter((_, index) => index !== fired);
    if (sliced.wakesAt === now) sliced.wakesAt = undefined;
    this.#step(sliced);
  }

  /** Gives each order of a symbol its turn after an event of any order of that symbol: what is due is sent before its timer fires. */
  stepAll(place: number): void {
    for (const sliced of [...this.#active]) if (sliced.place === place) this.#step(sliced);
  }

  /** Shares of a part were filled, or it ended with its day. */
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

  /** Whether a part of a symbol is due at an instant. */
  isDue(place: number, at: number): boolean {
    return this.#active.some(
      (sliced) => sliced.place === place && sliced.timers.some((timer) => timer.at <= at),
    );
  }

  /** Whether parts of a symbol are still to be sent. */
  has(place: number): boolean {
    return this.#active.some((sliced) => sliced.place === place);
  }

  #step(sliced: SlicedOrder): void {
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
      else if (!sliced.isPlanned) this.#end(sliced);
    }
  }

  #submit(sliced: SlicedOrder, slot: string, quantity: number): void {
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

  /** Asks its plan what it wants, and does that. */
  #follow(sliced: SlicedOrder): void {
    sliced.isPlanned = true;
    const { spec, orders, children } = this.#planOf(sliced);
    const { startedAt, place } = sliced;
    const actions = planSlices(
      {
        ...{ id: idOfSliced(sliced), startedAt, reason: '', overruled: undefined, children },
        withdrawn: NONE,
      },
      spec,
      {
        ...{ now: this.#host.now(), order: (id) => orders.get(id), hasCalls: () => true, killed: false },
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
    const missed = omitUndefined({ missed: this.#missed });
    const plan: SlicesPlan = {
      spec: { kind: 'slices', style, order: terms, slices, pace: 'time', ...missed },
      orders: new Map(),
      children: new Map(),
    };
    sliced.plan = plan;
    for (const part of parts) this.#track(sliced, plan, part);
    return plan;
  }

  /** Gives a plan what is known of a part now. */
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

  /** Sets a timer by the rule of algorithm-runner.ts: a timer that is no longer needed fires as well. Of several at one instant the first counts. */
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
