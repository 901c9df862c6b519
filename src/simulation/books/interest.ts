import { MARKET_RECORDS } from '../../markets/market-records.ts';
import { type Amount, absolute, ONE, type Ratio, ratioBetween, scale, toAmount } from '../../model/amount.ts';
import { type Decimal, decimal } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import type { Market } from '../../model/symbol.ts';
import type { MarginModel } from '../models.ts';

/** Rates as shares a year (0.06 is 6 %): one for all, and others by name. */
export interface YearlyRates {
  readonly usual: Decimal;
  readonly by: Readonly<Record<string, Decimal>>;
}

/**
 * What an account pays on what it owes and gets on what it has. Reckoned once a day, at midnight of the account's home market, on the
 * settled cash of each currency and on the market value of what is sold short; each amount is rounded half up to the cent.
 */
export interface InterestModel {
  /** On settled cash below zero, by currency; the collateral of short positions is not counted, here and for `credit`. */
  readonly debit: YearlyRates;
  /** On settled cash above zero, by currency. */
  readonly credit: YearlyRates;
  /**
   * On the collateral of short positions, by currency: their last price less the unsettled proceeds of short sales, and
   * after a purchase to cover the cost of that purchase until it settles. The lender of the shares keeps this cash until the
   * shares are returned. Retail accounts earn nothing on it.
   * @see interactivebrokers.com, "Short stock cash collateral interest"; SEC Regulation T, section 220.12 (proceeds are held as collateral)
   */
  readonly rebate: YearlyRates;
  /** On the last price of borrowed shares, by symbol, from the settlement of their sale until that of the purchase which covers it. */
  readonly borrow: YearlyRates;
  /** Days of a year: as the money market of the currency counts them (360 for USD and EUR, 365 for HKD), or always so many. */
  readonly dayCount: 'market' | 360 | 365;
}

const flat = (rate: string): YearlyRates => ({ usual: decimal(rate), by: {} });

/**
 * The defaults are estimates, as the broker publishes no table that we could carry. Retail margin loans of the segment cost 5 to 9 % a
 * year, idle cash earns nothing by default, shares that are easy to borrow cost 0.3 to 3 %.
 */
export const DEFAULT_INTEREST: InterestModel = {
  debit: flat('0.06'),
  credit: flat('0'),
  rebate: flat('0'),
  borrow: flat('0.01'),
  dayCount: 'market',
};

/** Money costs nothing, as research programs reckon. */
export const NO_INTEREST: InterestModel = {
  debit: flat('0'),
  credit: flat('0'),
  rebate: flat('0'),
  borrow: flat('0'),
  dayCount: 'market',
};

/** The part of a model that an account can come to feel; undefined where that is none of it, and no day needs to be looked at. */
export function applicableInterest(
  model: InterestModel,
  { margin, short }: { readonly margin: Pick<MarginModel, 'kind'>; readonly short: boolean },
): InterestModel | undefined {
  const owes = margin.kind === 'margin' && isAsked(model.debit);
  const borrows = short && (isAsked(model.borrow) || isAsked(model.rebate));
  return owes || borrows || isAsked(model.credit) ? model : undefined;
}

/** Whether any of the rates is above zero. */
export function isAsked({ usual, by }: YearlyRates): boolean {
  return usual.gt(0) || Object.values(by).some((rate) => rate.gt(0));
}

/** Currencies whose money market counts 365 days; the others count 360. */
const FULL_YEARS: ReadonlySet<Currency> = new Set(['HKD', 'GBP', 'SGD', 'AUD', 'CNY', 'CNH']);

/** One day's interest on an amount: what is owed or held, at the rate of its name; never below zero, in whole cents. */
export function dailyInterest(
  amount: Amount,
  rates: YearlyRates,
  {
    name,
    currency,
    dayCount,
  }: { readonly name: string; readonly currency: Currency } & Pick<InterestModel, 'dayCount'>,
): Amount {
  const rate = rates.by[name] ?? rates.usual;
  if (rate.isZero() || amount === 0) return 0;
  const days = dayCount === 'market' ? (FULL_YEARS.has(currency) ? 365 : 360) : dayCount;
  return scale(absolute(amount), dailyRate(rate, days), 'half-up', 2);
}

const DAILY_RATES = new WeakMap<Decimal, { readonly days: number; readonly ratio: Ratio }>();

/** A rate a year as the ratio for one of its days. */
function dailyRate(rate: Decimal, days: number): Ratio {
  const known = DAILY_RATES.get(rate);
  if (known?.days === days) return known.ratio;
  const ratio = ratioBetween(toAmount(rate), days * ONE);
  DAILY_RATES.set(rate, { days, ratio });
  return ratio;
}

/** The market whose midnight ends an account's day. */
export function homeMarket(currency: Currency): Market {
  return MARKET_RECORDS.find((record) => record.currency === currency)?.code ?? 'US';
}
