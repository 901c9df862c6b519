import type { Market } from '../model/symbol.ts';
import { DAY_MS, MINUTE_MS, type Millis, millis } from '../model/time.ts';
import type { DayNumber } from './day-number.ts';
import { fixedZone, type MarketZone } from './market-record.ts';
import { marketRecord } from './market-records.ts';

const UTC = fixedZone('UTC', 0);

function zoneOf(market: Market): MarketZone {
  return marketRecord(market)?.zone ?? UTC;
}

/** Returns the IANA zone in which a market's days are counted; UTC for a market without a record. */
export function zoneName(market: Market): string {
  return zoneOf(market).name;
}

/** Returns the exchange's local day at an instant. */
export function localDay(market: Market, at: number): DayNumber {
  return Math.floor((at + zoneOf(market).offsetAt(at)) / DAY_MS);
}

/** Returns the instant of a local minute (0 to 1440) of an exchange's day. */
export function instantOf(market: Market, day: DayNumber, minute: number): Millis {
  const wall = day * DAY_MS + minute * MINUTE_MS;
  return millis(wall - zoneOf(market).offsetOn(day, minute));
}
