import { MARKET_RECORDS } from '../../markets/market-records.ts';
import { type Amount, absolute, ONE, type Ratio, ratioBetween, scale, toAmount } from '../../model/amount.ts';
import { type Decimal, decimal } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import type { Market } from '../../model/symbol.ts';
import type { MarginModel } from '../models.ts';

/** Yearly rates as fractions (0.06 is 6 %): a default and exceptions by name. */
export interface YearlyRates {
  readonly usual: Decimal;
  readonly by: Readonly<Record<string, Decimal>>;
}

/**
 * Interest and fees of an account, computed once a day at midnight of its home market, on the settled cash of each
 * currency and the market value of short positions. Each amount is rounded half up to the cent.
 */
export interface InterestModel {
  /** On negative settled cash, by currency. Like `credit`, it excludes the collateral of short positions. */
  readonly debit: YearlyRates;
  /** On positive settled cash, by currency. */
  readonly credit: YearlyRates;
  /**
   * On the collateral of short positions, by currency: their market value, less unsettled proceeds of short sales, plus
   * the unsettled cost of covering purchases. The lender holds this cash until the shares are returned; retail accounts
   * earn nothing on it.
   * @see interactivebrokers.com, "Short stock cash collateral interest"; SEC Regulation T, section 220.12 (proceeds are
   * held as collateral)
   */
  readonly rebate: YearlyRates;
  /**
   * On the market value of borrowed shares, by symbol, from settlement of the short sale to settlement of the covering
   * purchase.
   */
  readonly borrow: YearlyRates;
  /**
   * Days per year: the convention of the currency's money market (360 for USD and EUR, 365 for HKD), or a fixed number.
   */
  readonly dayCount: 'market' | 360 | 365;
}

const uniformRate = (rate: string): YearlyRates => ({ usual: decimal(rate), by: {} });

/**
 * Default rates. They are estimates, as the broker publishes no table: retail margin loans cost 5 to 9 % a year, idle
 * cash usually earns nothing, easy-to-borrow shares cost 0.3 to 3 %.
 */
export const DEFAULT_INTEREST: InterestModel = {
  debit: uniformRate('0.06'),
  credit: uniformRate('0'),
  rebate: uniformRate('0'),
  borrow: uniformRate('0.01'),
  dayCount: 'market',
};

export const NO_INTEREST: InterestModel = {
  debit: uniformRate('0'),
  credit: uniformRate('0'),
  rebate: uniformRate('0'),
  borrow: uniformRate('0'),
  dayCount: 'market',
};

/** Returns the model, or undefined if none of its rates can apply to the account, so that no day needs processing. */
export function applicableInterest(
  model: InterestModel,
  { margin, short }: { readonly margin: Pick<MarginModel, 'kind'>; readonly short: boolean },
): InterestModel | undefined {
  const owes = margin.kind === 'margin' && hasAnyRate(model.debit);
  const borrows = short && (hasAnyRate(model.borrow) || hasAnyRate(model.rebate));
  return owes || borrows || hasAnyRate(model.credit) ? model : undefined;
}

/** True if any rate is above zero. */
export function hasAnyRate({ usual, by }: YearlyRates): boolean {
  return usual.gt(0) || Object.values(by).some((rate) => rate.gt(0));
}

/** Currencies whose money market counts 365 days a year; all others count 360. */
const FULL_YEARS: ReadonlySet<Currency> = new Set(['HKD', 'GBP', 'SGD', 'AUD', 'CNY', 'CNH']);

/** Returns one day's interest on the absolute amount, at the rate of `name`, in whole cents; never negative. */
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

function dailyRate(rate: Decimal, days: number): Ratio {
  const known = DAILY_RATES.get(rate);
  if (known?.days === days) return known.ratio;
  const ratio = ratioBetween(toAmount(rate), days * ONE);
  DAILY_RATES.set(rate, { days, ratio });
  return ratio;
}

/** Returns the market whose midnight ends the account's day. */
export function homeMarket(currency: Currency): Market {
  return MARKET_RECORDS.find((record) => record.currency === currency)?.code ?? 'US';
}
