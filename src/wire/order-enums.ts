import type { OrderTerms, OrderType, OutsideRth, Side, TimeInForce, VenueStatus } from '../model/order.ts';
import { ORDER_TYPES, VENUE_STATUSES } from '../model/order.ts';

/** Words of orders on the wire and their model values. An unknown word reads as undefined. */

export type WireSide = 'Buy' | 'Sell';
export type WireTimeInForce = 'Day' | 'GTC' | 'GTD';
export type WireOutsideRth = 'RTH_ONLY' | 'ANY_TIME' | 'OVERNIGHT';

/**
 * Whether a conditional order has triggered: a hint, the status decides.
 * @see https://open.longbridge.com/docs, "Trade definition"
 */
const TRIGGER_STATUSES = ['NOT_USED', 'ACTIVE', 'RELEASED', 'DEACTIVE'] as const;
export type TriggerStatus = (typeof TRIGGER_STATUSES)[number];

const SIDES: Readonly<Record<Side, WireSide>> = { buy: 'Buy', sell: 'Sell' };

const TIMES: Readonly<Record<TimeInForce, WireTimeInForce>> = { day: 'Day', gtc: 'GTC', gtd: 'GTD' };

const SESSIONS: Readonly<Record<OutsideRth, WireOutsideRth>> = {
  'rth-only': 'RTH_ONLY',
  'any-time': 'ANY_TIME',
  overnight: 'OVERNIGHT',
};

export const writeSide = (side: Side): WireSide => SIDES[side];
export const writeTimeInForce = (time: TimeInForce): WireTimeInForce => TIMES[time];
export const writeOutsideRth = (session: OutsideRth): WireOutsideRth => SESSIONS[session];

export const readSide = (text: string): Side | undefined => keyOf(SIDES, text);
export const readTimeInForce = (text: string): TimeInForce | undefined => keyOf(TIMES, text);
export const readOutsideRth = (text: string): OutsideRth | undefined => keyOf(SESSIONS, text);

export function readOrderType(text: string): OrderType | undefined {
  return ORDER_TYPES.find((each) => each === text);
}

export function readVenueStatus(text: string): VenueStatus | undefined {
  return VENUE_STATUSES.find((each) => each === text);
}

/** Returns an order's `tag`: `Normal` for a day order, otherwise `Gtc`. */
export function orderTag(terms: OrderTerms): string {
  return terms.timeInForce === 'day' ? 'Normal' : 'Gtc';
}

/** True for either spelling of the long-term tag. */
export function isLongTermTag(text: string): boolean {
  return text === 'GTC' || text === 'Gtc';
}

function keyOf<Key extends string>(texts: Readonly<Record<Key, string>>, text: string): Key | undefined {
  for (const key of Object.keys(texts) as Key[]) if (texts[key] === text) return key;
  return undefined;
}
