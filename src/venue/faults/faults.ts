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

/** A knob that is on, how many chances it has had, and how often it fired. */
export interface FaultRecord {
  readonly knob: FaultSpec;
  readonly seen: number;
  readonly fired: number;
}

/** One firing: which knob (its place in the list), when by both clocks, and on what. */
export interface Firing {
  readonly place: number;
  readonly knob: FaultSpec['knob'];
  readonly marketTime: Millis;
  readonly machineTime: Millis;
  readonly on: string;
}

interface ArmedFault {
  readonly knob: FaultSpec;
  seen: number;
  fired: number;
}

/** Firings that are remembered; older ones are only counted. */
const FIRINGS_MAX = 1_000;

/** Faults on demand: which knobs are on, and what they do to the next call, push or frame. Chance comes from a seed. */
export class Faults {
  readonly #clocks: { readonly marketNow: () => Millis; readonly machineNow: () => Millis };
  readonly #lacking: ReadonlySet<Capability>;
  /** True for a venue that serves what the source document describes and nothing else. */
  readonly onlyDocumented: boolean;
  #knobs: ArmedFault[] = [];
  #points: ReadonlySet<InjectionPoint> = new Set();
  #firings: Firing[] = [];
  #seed = 1;

  /** `without`: what this venue never offers, whatever the knobs say. */
  constructor(
    clocks: { readonly marketNow: () => Millis; readonly machineNow: () => Millis },
    without: readonly Capability[] = [],
    onlyDocumented = false,
  ) {
    this.#clocks = clocks;
    this.#lacking = new Set(onlyDocumented ? CAPABILITIES : without);
    this.onlyDocumented = onlyDocumented;
  }

  /** Puts these knobs in the place of those before, or behind them; none switches all faults off. */
  set({ seed, knobs, keep }: FaultRequest): void {
    if (!keep) {
      this.#knobs = [];
      this.#firings = [];
    }
    this.#seed = seed;
    this.#knobs.push(...knobs.map((knob) => ({ knob, seen: 0, fired: 0 })));
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
    this.#points = new Set(points.filter((point) => this.#knobs.some(({ knob }) => isAt(knob, point))));
  }

  /** What is on, and how often it fired. */
  records(): readonly FaultRecord[] {
    return this.#knobs.map((each) => ({ ...each }));
  }

  /** The newest firings, the newest last. */
  firings(): readonly Firing[] {
    return this.#firings;
  }

  /** The knob that stops a request from being read, if one fires. */
  onArrival(name: EndpointName): ArrivalFault | undefined {
    return this.#first('arrival', name, (knob) => isAboutCall(knob, name));
  }

  /** The first knob that fires on this call; undefined for a call that goes right. */
  onCall(name: EndpointName): CallFault | undefined {
    return this.#first('call', name, (knob) => isAboutCall(knob, name));
  }

  /** What happens right before this call is served. */
  actionsOn(name: EndpointName): readonly ActionFault[] {
    return this.#all('action', name, (knob) => knob.endpoint === name);
  }

  /** What happens at once; each of these fires a single time. */
  actionsNow(): readonly ActionFault[] {
    return this.#all('action', 'POST /faults', (knob) => knob.endpoint === undefined, 1);
  }

  /** The first knob that fires on this order push; undefined for one that goes right. */
  onPush(push: { readonly on: string; readonly carriesFill: boolean }): PushFault | undefined {
    return this.#first('push', push.on, ({ only }) => only === undefined || push.carriesFill);
  }

  /** All knobs that fire on this quote. */
  onQuote(symbol: string): readonly QuoteFault[] {
    return this.#all('quote', symbol, (knob) => knob.symbol === undefined || knob.symbol === symbol);
  }

  /** True when quotes of this symbol are frozen for all readers; counts nothing. */
  isFrozen(symbol: string): boolean {
    return this.#knobs.some(
      ({ knob, fired }) =>
        knob.knob === 'venue.freeze' && knob.pulls && fired > 0 && (knob.symbol ?? symbol) === symbol,
    );
  }

  /** The first knob that fires on this frame. */
  onFrame(side: SocketSide, kind: 'response' | 'push'): FrameFault | undefined {
    return this.#first('frame', `${side} ${kind}`, (knob) => {
      if (knob.knob === 'venue.reqid' && kind !== 'response') return false;
      const { side: wanted = side } = knob;
      return wanted === side && (!('kind' in knob) || knob.kind === undefined || knob.kind === kind);
    });
  }

  /** The first knob of that name that fires on an answer. */
  onReply<Name extends ReplyFault['knob']>(
    name: Name,
    on: { readonly side?: SocketSide; readonly symbol?: string },
  ): Extract<ReplyFault, { knob: Name }> | undefined {
    return this.#first('reply', on.symbol ?? name, (knob): knob is Extract<ReplyFault, { knob: Name }> => {
      if (knob.knob !== name) return false;
      if ('symbol' in knob && knob.symbol !== undefined && knob.symbol !== on.symbol) return false;
      return !('side' in knob) || knob.side === undefined || knob.side === on.side;
    });
  }

  /** True while the venue does not offer this. */
  lacks(capability: Capability): boolean {
    if (this.#lacking.has(capability)) return true;
    if (!this.#points.has('without')) return false;
    return this.#knobs.some(({ knob }) => knob.knob === 'venue.without' && knob.capability === capability);
  }

  /** True when the venue does not have this endpoint, since it lacks what it is for. */
  lacksEndpoint(name: EndpointName): boolean {
    if (this.onlyDocumented && !DOCUMENTED_ENDPOINTS.has(name)) return true;
    const wanting = this.#knobs.flatMap(({ knob }) =>
      knob.knob === 'venue.without' ? [knob.capability] : [],
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
    about: ((knob: FaultsAt[At]) => boolean) | ((knob: FaultsAt[At]) => knob is Found),
  ): Found | undefined {
    if (!this.#points.has(point)) return undefined;
    for (const each of this.#knobs) {
      const { knob } = each;
      if (isAt(knob, point) && about(knob) && this.#fires(each, on)) return knob as FaultsAt[At] as Found;
    }
    return undefined;
  }

  #all<At extends InjectionPoint>(
    point: At,
    on: string,
    about: (knob: FaultsAt[At]) => boolean,
    times?: number,
  ): readonly FaultsAt[At][] {
    if (!this.#points.has(point)) return [];
    return this.#knobs.flatMap((each) => {
      const { knob } = each;
      if (!isAt(knob, point) || !about(knob) || !this.#fires(each, on, times)) return [];
      return [knob];
    });
  }

  #fires(each: ArmedFault, on: string, most = Number.POSITIVE_INFINITY): boolean {
    if (each.knob.knob === 'venue.without') return false;
    const { skip, times, chance } = each.knob;
    each.seen += 1;
    if (each.seen <= skip || each.fired >= Math.min(times ?? most, most)) return false;
    const place = this.#knobs.indexOf(each);
    if (this.chance(`${place}|${each.seen}`) >= chance) return false;
    each.fired += 1;
    const { marketNow, machineNow } = this.#clocks;
    const when = { marketTime: marketNow(), machineTime: machineNow() };
    this.#firings.push({ place, knob: each.knob.knob, ...when, on });
    if (this.#firings.length > 2 * FIRINGS_MAX) this.#firings = this.#firings.slice(-FIRINGS_MAX);
    return true;
  }
}
