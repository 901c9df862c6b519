import type { Millis } from '../../model/time.ts';
import { DOCUMENTED_ENDPOINTS } from '../../wire/documented.ts';
import type { EndpointName } from '../../wire/endpoints.ts';
import { CAPABILITIES, type Capability, endpointsOf } from '../calls/capabilities.ts';
import type { SocketSide } from '../server/push-counts.ts';
import { uniformFrom } from '../synthetic/seeded-random.ts';
import type {
  ActionFault,
  ArrivalFault,
  CallFault,
  FaultRequest,
  FaultSpec,
  FrameFault,
  PushFault,
  QuoteFault,
  ReplyFault,
} from './fault-specs.ts';
import { appliesToCall, type FaultsAt, type InjectionPoint, isAt } from './injection-points.ts';

/** An active fault, its opportunities so far, and how often it fired. The admin port calls a fault a `knob`. */
export interface FaultRecord {
  readonly knob: FaultSpec;
  readonly seen: number;
  readonly fired: number;
}

/** One firing: index and name of the fault, time by both clocks, and the affected call, push, quote or frame. */
export interface Firing {
  readonly place: number;
  readonly knob: FaultSpec['knob'];
  readonly marketTime: Millis;
  readonly machineTime: Millis;
  readonly on: string;
}

interface ArmedFault {
  readonly fault: FaultSpec;
  seen: number;
  fired: number;
}

/** Maximum number of recorded firings; older ones are only counted. */
const FIRINGS_MAX = 1_000;

/** Decides which active faults affect the next call, push or frame. Chances are derived from a seed. */
export class Faults {
  readonly #clocks: { readonly marketNow: () => Millis; readonly machineNow: () => Millis };
  readonly #lacking: ReadonlySet<Capability>;
  /** True for a venue that serves only what the source document describes. */
  readonly onlyDocumented: boolean;
  #armed: ArmedFault[] = [];
  #points: ReadonlySet<InjectionPoint> = new Set();
  #firings: Firing[] = [];
  #seed = 1;

  /** `without`: capabilities that this venue never offers. */
  constructor(
    clocks: { readonly marketNow: () => Millis; readonly machineNow: () => Millis },
    without: readonly Capability[] = [],
    onlyDocumented = false,
  ) {
    this.#clocks = clocks;
    this.#lacking = new Set(onlyDocumented ? CAPABILITIES : without);
    this.onlyDocumented = onlyDocumented;
  }

  /** Replaces the active faults, or adds to them with `keep`. */
  set({ seed, knobs, keep }: FaultRequest): void {
    if (!keep) {
      this.#armed = [];
      this.#firings = [];
    }
    this.#seed = seed;
    this.#armed.push(...knobs.map((fault) => ({ fault, seen: 0, fired: 0 })));
    const points: readonly InjectionPoint[] = [
      'arrival',
      'call',
      'action',
      'push',
      'quote',
      'frame',
      'reply',
      'without',
    ];
    this.#points = new Set(points.filter((point) => this.#armed.some(({ fault }) => isAt(fault, point))));
  }

  records(): readonly FaultRecord[] {
    return this.#armed.map(({ fault, seen, fired }) => ({ knob: fault, seen, fired }));
  }

  /** Newest last; older ones may be dropped. */
  firings(): readonly Firing[] {
    return this.#firings;
  }

  onArrival(name: EndpointName): ArrivalFault | undefined {
    return this.#first('arrival', name, (fault) => appliesToCall(fault, name));
  }

  onCall(name: EndpointName): CallFault | undefined {
    return this.#first('call', name, (fault) => appliesToCall(fault, name));
  }

  /** Returns the actions to perform right before this call is served. */
  actionsOn(name: EndpointName): readonly ActionFault[] {
    return this.#all('action', name, (fault) => fault.endpoint === name);
  }

  /** Returns the actions to perform immediately; each fires once. */
  actionsNow(): readonly ActionFault[] {
    return this.#all('action', 'POST /faults', (fault) => fault.endpoint === undefined, 1);
  }

  /** Returns the first fault that fires on this order push; undefined if none does. */
  onPush(push: { readonly on: string; readonly carriesFill: boolean }): PushFault | undefined {
    return this.#first('push', push.on, ({ only }) => only === undefined || push.carriesFill);
  }

  onQuote(symbol: string): readonly QuoteFault[] {
    return this.#all('quote', symbol, (fault) => fault.symbol === undefined || fault.symbol === symbol);
  }

  /** True if quotes of this symbol are frozen, for pulls too; counts nothing. */
  isFrozen(symbol: string): boolean {
    return this.#armed.some(
      ({ fault, fired }) =>
        fault.knob === 'venue.freeze' && fault.pulls && fired > 0 && (fault.symbol ?? symbol) === symbol,
    );
  }

  onFrame(side: SocketSide, kind: 'response' | 'push'): FrameFault | undefined {
    return this.#first('frame', `${side} ${kind}`, (fault) => {
      if (fault.knob === 'venue.reqid' && kind !== 'response') return false;
      const { side: wanted = side } = fault;
      return wanted === side && (!('kind' in fault) || fault.kind === undefined || fault.kind === kind);
    });
  }

  /** Returns the first fault of that name that fires on an answer. */
  onReply<Name extends ReplyFault['knob']>(
    name: Name,
    on: { readonly side?: SocketSide; readonly symbol?: string },
  ): Extract<ReplyFault, { knob: Name }> | undefined {
    return this.#first('reply', on.symbol ?? name, (fault): fault is Extract<ReplyFault, { knob: Name }> => {
      if (fault.knob !== name) return false;
      if ('symbol' in fault && fault.symbol !== undefined && fault.symbol !== on.symbol) return false;
      return !('side' in fault) || fault.side === undefined || fault.side === on.side;
    });
  }

  lacks(capability: Capability): boolean {
    if (this.#lacking.has(capability)) return true;
    if (!this.#points.has('without')) return false;
    return this.#armed.some(({ fault }) => fault.knob === 'venue.without' && fault.capability === capability);
  }

  lacksEndpoint(name: EndpointName): boolean {
    if (this.onlyDocumented && !DOCUMENTED_ENDPOINTS.has(name)) return true;
    const wanting = this.#armed.flatMap(({ fault }) =>
      fault.knob === 'venue.without' ? [fault.capability] : [],
    );
    return [...this.#lacking, ...wanting].some((capability) => endpointsOf(capability).includes(name));
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive) derived from the seed and a text. */
  chance(text: string): number {
    return uniformFrom(`${this.#seed}|${text}`);
  }

  #first<At extends InjectionPoint, Found extends FaultsAt[At]>(
    point: At,
    on: string,
    about: ((fault: FaultsAt[At]) => boolean) | ((fault: FaultsAt[At]) => fault is Found),
  ): Found | undefined {
    if (!this.#points.has(point)) return undefined;
    for (const each of this.#armed) {
      const { fault } = each;
      if (isAt(fault, point) && about(fault) && this.#fires(each, on)) return fault as FaultsAt[At] as Found;
    }
    return undefined;
  }

  #all<At extends InjectionPoint>(
    point: At,
    on: string,
    about: (fault: FaultsAt[At]) => boolean,
    times?: number,
  ): readonly FaultsAt[At][] {
    if (!this.#points.has(point)) return [];
    return this.#armed.flatMap((each) => {
      const { fault } = each;
      if (!isAt(fault, point) || !about(fault) || !this.#fires(each, on, times)) return [];
      return [fault];
    });
  }

  #fires(each: ArmedFault, on: string, most = Number.POSITIVE_INFINITY): boolean {
    if (each.fault.knob === 'venue.without') return false;
    const { skip, times, chance } = each.fault;
    each.seen += 1;
    if (each.seen <= skip || each.fired >= Math.min(times ?? most, most)) return false;
    const place = this.#armed.indexOf(each);
    if (this.chance(`${place}|${each.seen}`) >= chance) return false;
    each.fired += 1;
    const { marketNow, machineNow } = this.#clocks;
    const when = { marketTime: marketNow(), machineTime: machineNow() };
    this.#firings.push({ place, knob: each.fault.knob, ...when, on });
    if (this.#firings.length > 2 * FIRINGS_MAX) this.#firings = this.#firings.slice(-FIRINGS_MAX);
    return true;
  }
}
