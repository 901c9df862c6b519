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

export interface OpeningAccount {
  readonly id: string;
  /** Base currency of the account. */
  readonly currency: Currency;
  readonly cash: Readonly<Record<Currency, Decimal>>;
  /** Rates by pair: `USDHKD: 7.80` means that one USD is worth 7.80 HKD. */
  readonly fx: Readonly<Record<string, Decimal>>;
  /** Changing rates; each series replaces its pair's `fx` rate from its first instant on. */
  readonly fxSeries?: readonly FxSeries[];
  /** True if the account may sell short. */
  readonly short?: boolean;
}

/** The models in which venues differ. All are settings; none is a mode. */
export interface SimulationModels {
  readonly fills: FillModel;
  readonly charges: ChargeSchedule;
  readonly latency: LatencyModel;
  readonly margin: MarginModel;
  /** Daily interest and borrow fees; none if absent. */
  readonly interest?: InterestModel | undefined;
}

/** All inputs of a simulation; equal options and equal calls give identical results. */
export interface SimulationOptions {
  readonly securities: readonly Security[];
  /** One period per symbol, ascending; bars that opened before `start` are history. */
  readonly bars: readonly BarColumns[];
  readonly start: Millis;
  readonly corporateActions?: readonly CorporateAction[];
  /** Best bid and ask if known; otherwise the last price is the only price. */
  readonly bidAsk?: readonly BidAskColumns[];
  /** The order book around the last price; without one, orders match the last price in full. */
  readonly book?: BookModel;
  /**
   * Milliseconds for which each transitional status (WaitToNew, WaitToCancel, PendingReplaceStatus and so on) is
   * reported; requests arrive later by two of them. Absent: none is reported.
   * @see https://open.longbridge.com/docs, "Trade definition"; ADR 0019
   */
  readonly inBetweenMs?: number;
  /**
   * True if the market never closes and orders expire at the exchange's midnight. Otherwise they expire by its
   * sessions, or never if `hours` is `bars`.
   */
  readonly roundTheClock?: boolean;
  /** Trades between every two prints, in equal steps; none if absent. Needs `quotes`. */
  readonly tradesBetween?: number;
  readonly accounts: readonly OpeningAccount[];
  /**
   * True: every print is a step with a quote event. False: `nextPrintAt` covers only prints that can touch an open
   * order, and there are no quote events. Orders execute identically either way.
   */
  readonly quotes: boolean;
  readonly models: SimulationModels;
  /** Seeds the random draws of models (latency). */
  readonly seed: number;
}
