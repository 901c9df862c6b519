import type { EndpointName } from '../wire/endpoints.ts';
import type { CallKnob, FaultKnob, FaultRequest, PushKnob } from './fault-knobs.ts';
import { chanceOf } from './seeded-chance.ts';

/** A knob that is on, how many calls it has looked at, and how often it fired. */
export interface KnobRecord {
  readonly knob: FaultKnob;
  readonly seen: number;
  readonly fired: number;
}

interface Knob {
  readonly knob: FaultKnob;
  seen: number;
  fired: number;
}

/** Endpoints that a knob is about when it names none. */
const NATURAL: Partial<Record<FaultKnob['knob'], readonly EndpointName[]>> = {
  'venue.cancelLie': ['cancelOrder'],
  'venue.numericId': ['submitOrder'],
  'venue.listLag': ['todayOrders'],
  'venue.emptyList': ['todayOrders'],
};

/** Faults on demand: which knobs are on, and what they do to the next call or push. Chance comes from a seed. */
export class Faults {
  #knobs: readonly Knob[] = [];
  #seed = 1;

  /** Puts these knobs in the place of those before; none switches all faults off. */
  set({ seed, knobs }: FaultRequest): void {
    this.#seed = seed;
    this.#knobs = knobs.map((knob) => ({ knob, seen: 0, fired: 0 }));
  }

  /** What is on, and how often it fired. */
  records(): readonly KnobRecord[] {
    return this.#knobs.map((each) => ({ ...each }));
  }

  /** The first knob that fires on this call; undefined for a call that goes right. */
  onCall(name: EndpointName): CallKnob | undefined {
    for (const each of this.#knobs) {
      const { knob } = each;
      if (isPushKnob(knob)) continue;
      const about = knob.endpoint === undefined ? NATURAL[knob.knob] : [knob.endpoint];
      if (about?.includes(name) !== false && this.#fires(each)) return knob;
    }
    return undefined;
  }

  /** The first knob that fires on this order push; undefined for one that goes right. */
  onPush(): PushKnob | undefined {
    for (const each of this.#knobs) {
      if (isPushKnob(each.knob) && this.#fires(each)) return each.knob;
    }
    return undefined;
  }

  #fires(each: Knob): boolean {
    const { skip, times, chance } = each.knob;
    each.seen += 1;
    if (each.seen <= skip || each.fired >= (times ?? Number.POSITIVE_INFINITY)) return false;
    const place = this.#knobs.indexOf(each);
    if (chanceOf(`${this.#seed}|${place}|${each.seen}`) >= chance) return false;
    each.fired += 1;
    return true;
  }
}

function isPushKnob(knob: FaultKnob): knob is PushKnob {
  return knob.knob.startsWith('venue.push.');
}
