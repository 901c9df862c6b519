import type { Portfolio } from '../../events/portfolio.ts';
import { dayEnds } from '../../markets/sessions.ts';
import { decimalOfDouble, doubleOfDecimal } from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import type { Resumed } from '../../model/gate.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { MINUTE_MS, type Millis, millis, NEVER, SECOND_MS } from '../../model/time.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import { dayProfit, dayStart } from './day-profit.ts';
import type { FactSources } from './fact-sources.ts';

/** Share of a limit at which a rough look has it judged exactly: estimates may be off by what fees and rounding make. */
export const NEAR = 0.98;
/** How often losses are judged that stay near a limit, or beyond one that does not kill: each time costs calls, of which there are few. */
const AGAIN_AFTER_MS = 5 * SECOND_MS;
/** How often losses are judged exactly while equity is not known here: a price or an exchange rate is missing. */
const BLIND_EVERY_MS = MINUTE_MS;

/**
 * Checks equity between orders with estimates: a suspicious value is then checked exactly. What a day began with is computed once a day;
 * each look after that costs a division.
 */
export function createLossWatch(
  sources: FactSources,
  {
    symbols,
    priceOf,
  }: {
    readonly symbols: readonly SecuritySymbol[];
    /** The price at which the estimates of equity mark a position; NaN where there is none. */
    readonly priceOf: (symbol: SecuritySymbol) => number;
  },
  limits: Pick<RiskLimits, 'maxDailyLoss' | 'maxDrawdown'>,
) {
  const { state, broker } = sources;
  let { maxDailyLoss, maxDrawdown } = limits;
  let [dayLimit, fallLimit] = [maxDailyLoss.toNumber(), maxDrawdown.toNumber()];
  const markets = [...new Set(symbols.map(marketOf))];
  let began = Number.NaN;
  let until: Millis = millis(0);
  let resumed: Resumed | undefined;
  let looked: Portfolio | undefined;
  let blindSince: Millis | undefined;
  /** Equity at the quotes where a look begins a day and that is less than the estimate: a gap since the last close shows there alone. */
  let least = Number.NaN;
  let judged: { readonly at: Millis; readonly isBeyond: boolean } | undefined;

  /**
   * Equity that losses of the day are counted from. NaN while a price is missing that the day's profit needs: it is worked out at
   * the next look then, as equity by now may have lost much of the day's beginning already.
   */
  function dayBegan(equity: number, now: Millis): number {
    const begins = now >= until || resumed !== state.gate.resumed;
    if (!begins && !Number.isNaN(began)) return began;
    if (begins) {
      until = millis(Math.min(NEVER, ...markets.map((market) => dayEnds(market, now))));
      resumed = state.gate.resumed;
      judged = undefined;
    }
    const again = resumed;
    const isToday = again !== undefined && symbols.every((symbol) => again.at >= dayStart(symbol, now));
    // At other prices than those of the estimate it would be that of another equity.
    const profit = dayProfit(sources, priceNow)?.toNumber() ?? Number.NaN;
    const atQuotes = equity + (dayProfit(sources)?.toNumber() ?? Number.NaN) - profit;
    if (atQuotes < equity) least = atQuotes;
    began = (isToday ? again.equity?.toNumber() : undefined) ?? equity - profit;
    return began;
  }

  function priceNow(symbol: SecuritySymbol): Price | undefined {
    const price = priceOf(symbol);
    return Number.isNaN(price) ? undefined : decimalOfDouble(price);
  }

  /** Without an estimate of equity, the venue's figure is read once a minute instead. */
  function isTimeToAsk(): boolean {
    const now = sources.now();
    if (blindSince !== undefined && now - blindSince < BLIND_EVERY_MS) return false;
    blindSince = now;
    return true;
  }

  function isTimeToJudge(isBeyond: boolean): boolean {
    if (broker.facts.pushComplete) return true;
    const at = sources.now();
    const isWorse = isBeyond && judged?.isBeyond !== true;
    if (judged !== undefined && !isWorse && at - judged.at < AGAIN_AFTER_MS) return false;
    judged = { at, isBeyond };
    return true;
  }

  /** Limits may be tightened while the bot runs. */
  function readLimits(): void {
    if (limits.maxDailyLoss === maxDailyLoss && limits.maxDrawdown === maxDrawdown) return;
    ({ maxDailyLoss, maxDrawdown } = limits);
    [dayLimit, fallLimit] = [maxDailyLoss.toNumber(), maxDrawdown.toNumber()];
    judged = undefined;
  }

  return {
    /**
     * Whether the account's equity, as an estimate in its currency, is beyond a loss limit or close to it, and has to be judged.
     * Where judging queries the venue this is true as it comes close, as it goes beyond, and otherwise every `AGAIN_AFTER_MS`.
     */
    isNearLossLimit(equity: number): boolean {
      readLimits();
      const { portfolio } = state;
      const isStill = portfolio.holdings.size === 0 && looked === portfolio;
      looked = portfolio;
      if (isStill) return false;
      if (Number.isNaN(equity)) return isTimeToAsk();
      blindSince = undefined;
      least = equity;
      const day = dayBegan(equity, sources.now());
      const peak = state.gate.peakEquity === undefined ? equity : doubleOfDecimal(state.gate.peakEquity);
      const isNear = day - least > day * dayLimit * NEAR || peak - least > peak * fallLimit * NEAR;
      if (!isNear) return false;
      return isTimeToJudge(day - least >= day * dayLimit || peak - least >= peak * fallLimit);
    },
  };
}
