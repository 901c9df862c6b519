import type { Market } from '../model/symbol.ts';
import { HONG_KONG } from './hk/hong-kong.ts';
import type { MarketRecord } from './market-record.ts';
import { SINGAPORE } from './sg/singapore.ts';
import { UNITED_STATES } from './us/united-states.ts';

/** The markets that we know. To add one, write its record and list it here. */
export const MARKET_RECORDS: readonly MarketRecord[] = [HONG_KONG, UNITED_STATES, SINGAPORE];

const BY_CODE: ReadonlyMap<Market, MarketRecord> = new Map(
  MARKET_RECORDS.map((record) => [record.code, record]),
);

/** What we know of a market; undefined for a suffix without a record, whose market is open whenever it has a bar. */
export function marketRecord(market: Market): MarketRecord | undefined {
  return BY_CODE.get(market);
}

/** Markets that the broker takes orders for, as a list for messages: "HK and US". */
export function orderMarketsText(): string {
  return MARKET_RECORDS.filter(({ takesOrders }) => takesOrders)
    .map(({ code }) => code)
    .join(' and ');
}

/** True for markets whose sessions and holidays we carry. */
export function hasTable(market: Market): boolean {
  return BY_CODE.has(market);
}
