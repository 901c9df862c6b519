import type { Decimal } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { SecurityKind } from '../model/security.ts';
import type { Market } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import type { ChargeRow } from './charge-row.ts';
import type { DayNumber } from './day-number.ts';
import type { MarketYear } from './market-year.ts';

/**
 * Everything that differs from one exchange to another. A market is one folder with such a record; `market-records.ts` lists them, and nothing
 * else names a market.
 */
export interface MarketRecord {
  /** The suffix of its symbols: `HK` for `700.HK`. */
  readonly code: Market;
  /** In English, as a title. */
  readonly name: string;
  readonly zone: MarketZone;
  /** Trading hours by the day they came into force, newest first. */
  readonly hours: readonly MarketHours[];
  readonly calendar: MarketCalendar;
  readonly ticks: MarketTicks;
  readonly lots: MarketLots;
  readonly settlement: SettlementRules;
  readonly currency: Currency;
  /** True where every security trades in `currency` and in `lots.size`, so that neither has to be stated for it. */
  readonly isUniform: boolean;
  /** The broker's name of the board on which a kind of security is usually listed. */
  readonly board: (kind: SecurityKind) => string;
  /** What the exchange, its clearing house and the state charge. */
  readonly authorityCharges: readonly ChargeRow[];
  /** What brokers of this segment usually charge in addition to a commission; absent where we know no usual fee. */
  readonly platformFee?: ChargeRow;
  /** True where the broker lends on shares of large companies, as far as its documents say. */
  readonly givesCredit: boolean;
  /** True where the broker's documents name the market among those that it takes orders for; elsewhere nothing trades with real money. */
  readonly takesOrders: boolean;
  /** Which order types the broker takes: `common` are those that it takes everywhere, `all` include the auction, enhanced and odd-lot orders of Hong Kong. */
  readonly orderTypes: 'all' | 'common';
  /** True where orders may trade before and after the regular session, according to their `outsideRth`. */
  readonly hasExtendedHours: boolean;
  /** True where a limit order that is left at the close takes part in the closing auction. */
  readonly hasClosingAuction: boolean;
  /** A company's name, for examples in messages. */
  readonly exampleName: string;
}

/** The clock on the exchange's wall. */
export interface MarketZone {
  /** IANA name. */
  readonly name: string;
  /** Milliseconds that the wall clock is ahead of UTC at an instant. */
  readonly offsetAt: (at: number) => number;
  /** The same for a minute (0 to 1440) of a local day. */
  readonly offsetOn: (day: DayNumber, minute: number) => number;
}

/** A zone without summer time. */
export function fixedZone(name: string, offsetMs: number): MarketZone {
  const offset = (): number => offsetMs;
  return { name, offsetAt: offset, offsetOn: offset };
}

/** Begin and end in minutes after local midnight; negative is the evening before. */
export type Minutes = readonly [from: number, to: number];

/** Minutes after midnight of a time of day. */
export const timeOfDay = (hours: number, minutes = 0): number => hours * 60 + minutes;

/** The hours of a market on a full day, and where a half day ends. */
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

/** The holidays of an exchange. */
export interface MarketCalendar {
  readonly year: (year: number) => MarketYear;
  /** The years of which every holiday is known, both included; outside, the rules are applied as they are. */
  readonly known: readonly [from: number, to: number];
  /** What decides about the closures that are missing outside those years, such as "decree". */
  readonly unknownBy: string;
}

/** One band of a tick ladder: from this price (included) up to the next band the step is `tick`. */
export interface TickBand {
  readonly from: Decimal;
  readonly tick: Decimal;
}

export type TickLadder = readonly TickBand[];

/** A ladder with the day it came into force. An unconfirmed row is prepared but never used. */
export interface DatedLadder {
  readonly name: string;
  readonly from: CalendarDay;
  readonly confirmed: boolean;
  readonly source: string;
  readonly ladder: TickLadder;
}

/** Price steps by kind of security, each newest first; the oldest ladder holds for all days before, too. */
export type MarketTicks = Readonly<Record<SecurityKind, readonly DatedLadder[]>>;

/** How many shares are traded at once. */
export interface MarketLots {
  /** Default number of shares per lot. */
  readonly size: number;
  /** True where orders of type ODD trade shares below a lot. */
  readonly hasOddLotMarket: boolean;
}

/** When trades settle. */
export interface SettlementRules {
  /** Settlement days after the trade by first trade date, newest first. */
  readonly cycles: readonly { readonly from: CalendarDay; readonly days: number }[];
  /** Trading days that are no settlement days, such as holidays of the banks. */
  readonly isHoliday?: (day: DayNumber) => boolean;
}
