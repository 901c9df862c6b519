import type { Market } from '../model/symbol.ts';
import { HONG_KONG } from './hk/hong-kong.ts';
import type { MarketRecord } from './market-record.ts';
import { SINGAPORE } from './sg/singapore.ts';
import { UNITED_STATES } from './us/united-states.ts';

/** All markets with a record. To add one, write its record and list it here. */
export const MARKET_RECORDS: readonly MarketRecord[] = [HONG_KONG, UNITED_STATES, SINGAPORE];

const BY_CODE: ReadonlyMap<Market, MarketRecord> = new Map(
  MARKET_RECORDS.map((record) => [record.code, record]),
);

/** Returns a market's record; undefined for other suffixes, whose markets are open at every bar. */
export function marketRecord(market: Market): MarketRecord | undefined {
  return BY_CODE.get(market);
}

/** Returns the markets that accept orders, as a list for messages: "HK and US". */
export function orderMarketsText(): string {
  return MARKET_RECORDS.filter(({ takesOrders }) => takesOrders)
    .map(({ code }) => code)
    .join(' and ');
}

/** True for markets with known sessions and holidays. */
export function hasTable(market: Market): boolean {
  return BY_CODE.has(market);
}
