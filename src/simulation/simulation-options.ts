import type { ChargeSchedule } from '../markets/charges.ts';
import type { BarColumns } from '../model/bar.ts';
import type { CorporateAction } from '../model/corporate-action.ts';
import type { FxSeries } from '../model/dated-rates.ts';
import type { Decimal } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { Security } from '../model/security.ts';
import type { Millis } from '../model/time.ts';
import type { InterestModel } from './books/interest.ts';
import type { BidAskColumns } from './market/bid-ask.ts';
import type { BookModel } from './matching/quoted-book.ts';
import type { FillModel, LatencyModel, MarginModel } from './models.ts';

/** An account at the start of the simulation. */
export interface OpeningAccount {
  readonly id: string;
  /** Currency of its sums. */
  readonly currency: Currency;
  readonly cash: Readonly<Record<Currency, Decimal>>;
  /** Rates by pair: `USDHKD: 7.80` means that one USD is worth 7.80 HKD. */
  readonly fx: Readonly<Record<string, Decimal>>;
  /** Rates that change, each in place of its pair's figure from its first instant on; none when absent. */
  readonly fxSeries?: readonly FxSeries[];
  /** Whether it may sell what it does not hold. */
  readonly short?: boolean;
}

/** The models that make one venue differ from another; all of them are settings, none is a mode. */
export interface SimulationModels {
  readonly fills: FillModel;
  readonly charges: ChargeSchedule;
  readonly latency: LatencyModel;
  readonly margin: MarginModel;
  /** What money costs by the day; absent: nothing. */
  readonly interest?: InterestModel | undefined;
}

/** All inputs of a simulation; equal options and equal calls give equal answers, to the digit. */
export interface SimulationOptions {
  readonly securities: readonly Security[];
  /** One period per symbol, ascending; bars that opened before `start` are the past that quotes begin with. */
  readonly bars: readonly BarColumns[];
  readonly start: Millis;
  /** Dividends and splits of the securities, in any order; none when absent. */
  readonly corporateActions?: readonly CorporateAction[];
  /** Best bid and ask, where they are known; without them there is one price, the last. */
  readonly bidAsk?: readonly BidAskColumns[];
  /** The book around the last price; without one, orders meet the last price itself, with all their quantity. */
  readonly book?: BookModel;
  /**
   * Milliseconds for which each status on the way to another one (WaitToNew, WaitToCancel, PendingReplaceStatus and so on) is
   * shown; the request arrives two of them later. Absent: none is shown.
   * @see https://open.longbridge.com/docs, "Trade definition"; ADR 0019
   */
  readonly inBetweenMs?: number;
  /**
   * Whether the market never closes and days end at the exchange's midnight: orders expire then. Absent: by its sessions, or never
   * where `hours` is `bars`.
   */
  readonly roundTheClock?: boolean;
  /** Trades between every two prints, in equal steps; none when absent. Needs `quotes`. */
  readonly tradesBetween?: number;
  readonly accounts: readonly OpeningAccount[];
  /**
   * True: every print is a step that yields a quote event. False: `nextPrintAt` names only prints that can touch a live
   * order, and no quote events come. Orders fare the same either way.
   */
  readonly quotes: boolean;
  readonly models: SimulationModels;
  /** Feeds whatever chance a model takes (latency). */
  readonly seed: number;
}
