import type { Millis } from '../../model/time.ts';
import { DOCUMENTED_ENDPOINTS } from '../../wire/documented.ts';
import type { EndpointName } from '../../wire/endpoints.ts';
import { CAPABILITIES, type Capability, endpointsOf } from '../calls/capabilities.ts';
import type { SocketSide } from '../server/push-counts.ts';
import { chanceOf } from '../synthetic/seeded-random.ts';
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
import { type FaultsAt, type InjectionPoint, isAboutCall, isAt } from './injection-points.ts';

/** A fault that is on, how many chances it has had, and how often it fired. The admin port calls a fault a `knob`. */
export interface FaultRecord {
  readonly knob: FaultSpec;
  readonly seen: number;
  readonly fired: number;
}

/** One firing: the fault (its place in the list and its name), when by both clocks, and on what. */
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

/** Firings that are remembered; older ones are only counted. */
const FIRINGS_MAX = 1_000;

/** Faults on demand: which faults are on, and what they do to the next call, push or frame. Chance comes from a seed. */
export class Faults {
  readonly #clocks: { readonly marketNow: () => Millis; readonly machineNow: () => Millis };
  readonly #lacking: ReadonlySet<Capability>;
  /** True for a venue that serves what the source document describes and nothing else. */
  readonly onlyDocumented: boolean;
  #armed: ArmedFault[] = [];
  #points: ReadonlySet<InjectionPoint> = new Set();
  #firings: Firing[] = [];
  #seed = 1;

  /** `without`: what this venue never offers, whatever the faults say. */
  constructor(
    clocks: { readonly marketNow: () => Millis; readonly machineNow: () => Millis },
    without: readonly Capability[] = [],
    onlyDocumented = false,
  ) {
    this.#clocks = clocks;
    this.#lacking = new Set(onlyDocumented ? CAPABILITIES : without);
    this.onlyDocumented = onlyDocumented;
  }

  /** Puts these faults in the place of those before, or behind them; none switches all faults off. */
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

  /** What is on, and how often it fired. */
  records(): readonly FaultRecord[] {
    return this.#armed.map(({ fault, seen, fired }) => ({ knob: fault, seen, fired }));
  }

  /** The newest firings, the newest last. */
  firings(): readonly Firing[] {
    return this.#firings;
  }

  /** The fault that stops a request from being read, if one fires. */
  onArrival(name: EndpointName): ArrivalFault | undefined {
    return this.#first('arrival', name, (fault) => isAboutCall(fault, name));
  }

  /** The first fault that fires on this call; undefined for a call that goes right. */
  onCall(name: EndpointName): CallFault | undefined {
    return this.#first('call', name, (fault) => isAboutCall(fault, name));
  }

  /** What happens right before this call is served. */
  actionsOn(name: EndpointName): readonly ActionFault[] {
    return this.#all('action', name, (fault) => fault.endpoint === name);
  }

  /** What happens at once; each of these fires a single time. */
  actionsNow(): readonly ActionFault[] {
    return this.#all('action', 'POST /faults', (fault) => fault.endpoint === undefined, 1);
  }

  /** The first fault that fires on this order push; undefined for one that goes right. */
  onPush(push: { readonly on: string; readonly carriesFill: boolean }): PushFault | undefined {
    return this.#first('push', push.on, ({ only }) => only === undefined || push.carriesFill);
  }

  /** All faults that fire on this quote. */
  onQuote(symbol: string): readonly QuoteFault[] {
    return this.#all('quote', symbol, (fault) => fault.symbol === undefined || fault.symbol === symbol);
  }

  /** True when quotes of this symbol are frozen for all readers; counts nothing. */
  isFrozen(symbol: string): boolean {
    return this.#armed.some(
      ({ fault, fired }) =>
        fault.knob === 'venue.freeze' && fault.pulls && fired > 0 && (fault.symbol ?? symbol) === symbol,
    );
  }

  /** The first fault that fires on this frame. */
  onFrame(side: SocketSide, kind: 'response' | 'push'): FrameFault | undefined {
    return this.#first('frame', `${side} ${kind}`, (fault) => {
      if (fault.knob === 'venue.reqid' && kind !== 'response') return false;
      const { side: wanted = side } = fault;
      return wanted === side && (!('kind' in fault) || fault.kind === undefined || fault.kind === kind);
    });
  }

  /** The first fault of that name that fires on an answer. */
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

  /** True while the venue does not offer this. */
  lacks(capability: Capability): boolean {
    if (this.#lacking.has(capability)) return true;
    if (!this.#points.has('without')) return false;
    return this.#armed.some(({ fault }) => fault.knob === 'venue.without' && fault.capability === capability);
  }

  /** True when the venue does not have this endpoint, since it lacks what it is for. */
  lacksEndpoint(name: EndpointName): boolean {
    if (this.onlyDocumented && !DOCUMENTED_ENDPOINTS.has(name)) return true;
    const wanting = this.#armed.flatMap(({ fault }) =>
      fault.knob === 'venue.without' ? [fault.capability] : [],
    );
    return [...this.#lacking, ...wanting].some((capability) => endpointsOf(capability).includes(name));
  }

  /** A number from 0 up to 1 that the seed and this text stand for. */
  chance(text: string): number {
    return chanceOf(`${this.#seed}|${text}`);
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
