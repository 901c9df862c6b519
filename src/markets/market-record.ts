import type { Decimal } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { SecurityKind } from '../model/security.ts';
import type { Market } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import type { ChargeRow } from './charge-row.ts';
import type { DayNumber } from './day-number.ts';
import type { MarketYear } from './market-year.ts';

/**
 * Everything in which exchanges differ. A market is one folder with such a record, listed in `market-records.ts`; no
 * other code names a market.
 */
export interface MarketRecord {
  /** Suffix of its symbols: `HK` for `700.HK`. */
  readonly code: Market;
  /** English title. */
  readonly name: string;
  readonly zone: MarketZone;
  /** Trading hours by effective date, newest first. */
  readonly hours: readonly MarketHours[];
  readonly calendar: MarketCalendar;
  readonly ticks: MarketTicks;
  readonly lots: MarketLots;
  readonly settlement: SettlementRules;
  readonly currency: Currency;
  /** True if all securities trade in `currency` and `lots.size`, so that neither has to be given per security. */
  readonly isUniform: boolean;
  /** Returns the broker's board name for a kind of security. */
  readonly board: (kind: SecurityKind) => string;
  /** Exchange, clearing and government charges. */
  readonly authorityCharges: readonly ChargeRow[];
  /** Typical fee of brokers of this segment besides a commission; absent if none is known. */
  readonly platformFee?: ChargeRow;
  /** True if the broker lends on shares of large companies, according to its documents. */
  readonly givesCredit: boolean;
  /** True if the broker's documents list the market for orders; otherwise nothing trades there with real money. */
  readonly takesOrders: boolean;
  /**
   * Order types that the broker accepts: `common` are accepted everywhere; `all` adds the auction, enhanced and odd-lot
   * orders of Hong Kong.
   */
  readonly orderTypes: 'all' | 'common';
  /** True if orders may trade before and after the regular session, by their `outsideRth`. */
  readonly hasExtendedHours: boolean;
  /** True if limit orders open at the close take part in the closing auction. */
  readonly hasClosingAuction: boolean;
  /** A company's name, for examples in messages. */
  readonly exampleName: string;
}

export interface MarketZone {
  /** IANA name. */
  readonly name: string;
  /** Returns the offset of local time from UTC at an instant, in milliseconds. */
  readonly offsetAt: (at: number) => number;
  /** Like `offsetAt`, for a minute (0 to 1440) of a local day. */
  readonly offsetOn: (day: DayNumber, minute: number) => number;
}

/** Returns a zone without summer time. */
export function fixedZone(name: string, offsetMs: number): MarketZone {
  const offset = (): number => offsetMs;
  return { name, offsetAt: offset, offsetOn: offset };
}

/** Begin and end in minutes after local midnight; negative minutes are on the previous evening. */
export type Minutes = readonly [from: number, to: number];

export const timeOfDay = (hours: number, minutes = 0): number => hours * 60 + minutes;

/** Trading hours of full days and planned half days, from a date on. */
export interface MarketHours {
  readonly from: CalendarDay;
  readonly regular: readonly Minutes[];
  /** Regular pieces of a day that ends early. */
  readonly morning: readonly Minutes[];
  readonly pre?: Minutes;
  readonly post?: Minutes;
  readonly morningPost?: Minutes;
  readonly overnight?: Minutes;
  readonly openingAuction?: Minutes;
  readonly closingAuction?: Minutes;
  readonly morningClosingAuction?: Minutes;
}

export interface MarketCalendar {
  readonly year: (year: number) => MarketYear;
  /** Years whose holidays are all known, inclusive; other years follow the rules alone. */
  readonly known: readonly [from: number, to: number];
  /** Source of the closures missing outside those years, such as "decree". */
  readonly unknownBy: string;
}

/** One band of a tick ladder: `tick` applies from this price, inclusive, up to the next band. */
export interface TickBand {
  readonly from: Decimal;
  readonly tick: Decimal;
}

export type TickLadder = readonly TickBand[];

/** A tick ladder with its effective date. An unconfirmed ladder is never used. */
export interface DatedLadder {
  readonly name: string;
  readonly from: CalendarDay;
  readonly confirmed: boolean;
  readonly source: string;
  readonly ladder: TickLadder;
}

/** Tick ladders by kind of security, newest first; the oldest also applies to earlier days. */
export type MarketTicks = Readonly<Record<SecurityKind, readonly DatedLadder[]>>;

export interface MarketLots {
  readonly size: number;
  /** True if ODD orders trade shares below a lot. */
  readonly hasOddLotMarket: boolean;
}

export interface SettlementRules {
  /** Settlement days after the trade, by first trade date, newest first. */
  readonly cycles: readonly { readonly from: CalendarDay; readonly days: number }[];
  /** True for trading days that are not settlement days, such as bank holidays. */
  readonly isHoliday?: (day: DayNumber) => boolean;
}
