import type { Portfolio } from '../../events/portfolio.ts';
import type { LastSplit } from '../../events/records/split-record.ts';
import { dayEnds } from '../../markets/sessions.ts';
import { decimalOfDouble, doubleOfDecimal } from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import type { Resumed } from '../../model/gate.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { MINUTE_MS, type Millis, millis, NEVER, SECOND_MS } from '../../model/time.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import { dayProfit, dayStart } from './day-profit.ts';
import type { FactSources } from './fact-sources.ts';

/** Share of a limit from which losses are checked exactly: estimates may be off by fees and rounding. */
export const NEAR_LIMIT_SHARE = 0.98;
/**
 * Interval of exact checks while losses stay near a limit or beyond one that does not kill; each costs scarce API
 * calls.
 */
const RECHECK_MS = 5 * SECOND_MS;
/** Interval of exact checks while equity cannot be estimated because a price or rate is missing. */
const UNPRICED_CHECK_MS = MINUTE_MS;

/**
 * Creates a check of the loss limits between orders. It uses estimates, and requests an exact check near a limit. The
 * equity at the day's start is computed once a day, so each further check is cheap.
 */
export function createLossWatch(
  sources: FactSources,
  {
    symbols,
    priceOf,
  }: {
    readonly symbols: readonly SecuritySymbol[];
    /** Price at which the estimated equity values a position; NaN if there is none. */
    readonly priceOf: (symbol: SecuritySymbol) => number;
  },
  limits: Pick<RiskLimits, 'maxDailyLoss' | 'maxDrawdown'>,
) {
  const { state, broker } = sources;
  let { maxDailyLoss, maxDrawdown } = limits;
  let [dayLimit, drawdownLimit] = [maxDailyLoss.toNumber(), maxDrawdown.toNumber()];
  const markets = [...new Set(symbols.map(marketOf))];
  let dayStartEquity = Number.NaN;
  let dayEndsAt: Millis = millis(0);
  let resumed: Resumed | undefined;
  let splits: readonly LastSplit[] = [];
  let lastPortfolio: Portfolio | undefined;
  let unpricedSince: Millis | undefined;
  /**
   * Equity compared with the limits: the estimate, or in the first check of a day the equity at quotes if lower,
   * because a gap since the last close shows only there.
   */
  let lowestEquity = Number.NaN;
  let lastCheck: { readonly at: Millis; readonly isBeyond: boolean } | undefined;

  /**
   * Returns the equity from which losses of the day count. NaN while the day's profit lacks a price; the next check
   * then recomputes it, because current equity may already contain a loss.
   */
  function equityAtDayStart(equity: number, now: Millis): number {
    const begins = now >= dayEndsAt || resumed !== state.gate.resumed || isSplit();
    if (!begins && !Number.isNaN(dayStartEquity)) return dayStartEquity;
    if (begins) {
      dayEndsAt = millis(Math.min(NEVER, ...markets.map((market) => dayEnds(market, now))));
      resumed = state.gate.resumed;
      lastCheck = undefined;
    }
    const again = resumed;
    const isToday = again !== undefined && symbols.every((symbol) => again.at >= dayStart(symbol, now));
    // Use the prices of the estimate; other prices would refer to another equity.
    const profit = dayProfit(sources, priceNow)?.toNumber() ?? Number.NaN;
    const atQuotes = equity + (dayProfit(sources)?.toNumber() ?? Number.NaN) - profit;
    if (atQuotes < equity) lowestEquity = atQuotes;
    dayStartEquity = (isToday ? again.equity?.toNumber() : undefined) ?? equity - profit;
    return dayStartEquity;
  }

  /** True after a split was booked: until then, old shares were valued at the price of new ones. */
  function isSplit(): boolean {
    if (state.splits.size === 0) return false;
    const before = splits;
    splits = [...state.splits.values()];
    return splits.length !== before.length || splits.some((each, place) => each !== before[place]);
  }

  function priceNow(symbol: SecuritySymbol): Price | undefined {
    const price = priceOf(symbol);
    return Number.isNaN(price) ? undefined : decimalOfDouble(price);
  }

  /** Without an estimate of equity, true once a minute, to read the venue's figure instead. */
  function isUnpricedCheckDue(): boolean {
    const now = sources.now();
    if (unpricedSince !== undefined && now - unpricedSince < UNPRICED_CHECK_MS) return false;
    unpricedSince = now;
    return true;
  }

  function isCheckDue(isBeyond: boolean): boolean {
    if (broker.facts.pushComplete) return true;
    const at = sources.now();
    const isWorse = isBeyond && lastCheck?.isBeyond !== true;
    if (lastCheck !== undefined && !isWorse && at - lastCheck.at < RECHECK_MS) return false;
    lastCheck = { at, isBeyond };
    return true;
  }

  /** Rereads the limits, which may be tightened while the bot runs. */
  function readLimits(): void {
    if (limits.maxDailyLoss === maxDailyLoss && limits.maxDrawdown === maxDrawdown) return;
    ({ maxDailyLoss, maxDrawdown } = limits);
    [dayLimit, drawdownLimit] = [maxDailyLoss.toNumber(), maxDrawdown.toNumber()];
    lastCheck = undefined;
  }

  return {
    /**
     * Whether the estimated equity, in the account's currency, is close to a loss limit or beyond it and needs an
     * exact check. If a check queries the venue: true on approach, on breach, and otherwise every `AGAIN_AFTER_MS`.
     */
    isNearLossLimit(equity: number): boolean {
      readLimits();
      const { portfolio } = state;
      const isUnchanged = portfolio.holdings.size === 0 && lastPortfolio === portfolio;
      lastPortfolio = portfolio;
      if (isUnchanged) return false;
      if (Number.isNaN(equity)) return isUnpricedCheckDue();
      unpricedSince = undefined;
      lowestEquity = equity;
      const day = equityAtDayStart(equity, sources.now());
      const peak = state.gate.peakEquity === undefined ? equity : doubleOfDecimal(state.gate.peakEquity);
      const isNear =
        day - lowestEquity > day * dayLimit * NEAR_LIMIT_SHARE ||
        peak - lowestEquity > peak * drawdownLimit * NEAR_LIMIT_SHARE;
      if (!isNear) return false;
      return isCheckDue(day - lowestEquity >= day * dayLimit || peak - lowestEquity >= peak * drawdownLimit);
    },
  };
}
