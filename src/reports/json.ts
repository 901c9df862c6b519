import { curveOf } from '../events/curve/curve-figures.ts';
import type { RunRecord } from '../events/run-record.ts';
import { unreturnedTexts } from '../events/unreturned-drafts.ts';
import type { Security } from '../model/security.ts';
import { DAY_MS } from '../model/time.ts';
import { curveStatistics, type DayReturn } from './curve-statistics.ts';
import { denialsOf } from './denials.ts';
import type { Estimate } from './estimate.ts';
import { type ExitReason, exitReasonsOf } from './exit-reasons.ts';
import { type Performance, performanceOf } from './performance.ts';
import { profitOf } from './profit.ts';
import { rejectionsOf } from './rejections.ts';
import { stoppedOf, stopsOf } from './stopped.ts';
import { strategyJson } from './strategy-figures.ts';
import { lastPriceOf, symbolJson, symbolProfits, unrealizedOf } from './symbol-profits.ts';
import type { CurrencyFigures } from './trade-figures.ts';
import { tradeStatistics } from './trade-statistics.ts';
import type { OpenTrade, RoundTrip } from './trades.ts';

/** Name and version of the format; later versions only add fields. */
export const REPORT_SCHEMA = 'sluice.report/1';
/** Maximum number of rows of each list in a report; `omitted` counts the rest. */
export const ROWS_MAX = 10_000;

/** The JSON form of a finished run. */
export type Report = ReturnType<typeof reportJson>;

/**
 * Formats a finished run as JSON: keys in a fixed order, times as ISO 8601 UTC, money as decimal text, shares as
 * fractions, a statistic that cannot be computed as null with its reason under `undefined`. Equity is the last of
 * each trading day. Lists have at most `rows` entries, equity at most `days`.
 */
export function reportJson(
  record: RunRecord,
  { rows = ROWS_MAX, days = rows }: { readonly rows?: number; readonly days?: number } = {},
) {
  const figures = performanceOf(record);
  const daily = curveOf(record).daily;
  const equity = daily.time.map((at, index) => [instant(at), daily.value[index] ?? null]);
  const { closed, open } = figures.trades;
  const exitOf = exitReasonsOf(record);
  return {
    schema: REPORT_SCHEMA,
    mode: record.mode,
    strategy: record.strategy,
    config: record.config,
    from: instant(record.from),
    to: instant(record.to),
    currency: record.currency,
    securities: record.securities.map(securityJson),
    figures: figuresJson(figures),
    undefined: reasons(figures),
    money: figures.money.map(moneyJson),
    explained: explainedJson(record, figures),
    symbols: symbolProfits(record, figures).map(symbolJson),
    strategies: strategyJson(record),
    flow: { ...record.flow },
    stopped: stoppedJson(record),
    stops: stopsJson(record),
    denials: denialsOf(record).map(({ firstAt, ...denial }) => ({
      ...denial,
      firstAt: instant(firstAt),
    })),
    rejections: rejectionsOf(record).map(({ firstAt, ...rejection }) => ({
      ...rejection,
      firstAt: instant(firstAt),
    })),
    unreturned: unreturnedTexts(record.unreturned ?? []),
    leftOut: (record.leftOut ?? []).map(({ firstAt, ...leftOut }) => ({
      ...leftOut,
      firstAt: instant(firstAt),
    })),
    statistics: statisticsJson(record, closed),
    trades: closed.slice(0, rows).map((trade) => tradeJson(trade, exitOf(trade))),
    open: open.slice(0, rows).map((trade) => openJson(trade, record)),
    equity: equity.slice(-days),
    omitted: {
      trades: Math.max(0, closed.length - rows),
      open: Math.max(0, open.length - rows),
      equity: Math.max(0, equity.length - days),
    },
    assumptions: [...record.assumptions],
    journal: record.journal ?? null,
  };
}

/**
 * Profit by entries: unrounded amounts, and the venue's trial balance if known; null if the opening books are known
 * only in part.
 */
function explainedJson(record: RunRecord, figures: Performance) {
  const profit = profitOf(record, figures);
  if (profit === undefined) return null;
  const { currency, parts, change, unexplained } = profit;
  return {
    currency,
    parts: parts.map(({ kind, amount }) => ({ kind, amount: amount.toString() })),
    change: change.toString(),
    unexplained: unexplained.toString(),
    books: record.bounds?.books?.map((each) => ({ ...each, amount: each.amount.toString() })) ?? null,
  };
}

/**
 * When and why the gate stopped opening orders, and the config line that would have allowed them; null if it did not
 * stop.
 */
function stoppedJson(record: RunRecord) {
  const stopped = stoppedOf(record);
  if (stopped === undefined) return null;
  const { since, line, ...rest } = stopped;
  return { since: instant(since), ...rest, line: line ?? null };
}

/** How often each rule stopped the gate of a backtest that a simulated operator resumed. */
function stopsJson(record: RunRecord) {
  return stopsOf(record).map(({ firstAt, line, ...rest }) => ({
    ...rest,
    firstAt: instant(firstAt),
    line: line ?? null,
  }));
}

function estimatesOf(figures: Performance): Readonly<Record<string, Estimate>> {
  const { totalReturn, cagr, sharpe, sortino, calmar, volatility, exposure, winShare, averageReturn } =
    figures;
  return { totalReturn, cagr, sharpe, sortino, calmar, volatility, exposure, winShare, averageReturn };
}

function figuresJson(figures: Performance) {
  const drawdown = figures.maxDrawdown;
  return {
    initialEquity: figures.initialEquity,
    finalEquity: figures.finalEquity,
    totalReturn: figure(figures.totalReturn),
    cagr: figure(figures.cagr),
    sharpe: figure(figures.sharpe),
    volatility: figure(figures.volatility),
    exposure: figure(figures.exposure),
    winShare: figure(figures.winShare),
    averageReturn: figure(figures.averageReturn),
    maxDrawdown: {
      share: drawdown.share,
      peakAt: instant(drawdown.peakAt),
      troughAt: instant(drawdown.troughAt),
      recoveredAt: drawdown.recoveredAt === undefined ? null : instant(drawdown.recoveredAt),
      durationMs: drawdown.durationMs,
    },
    dailyReturns: figures.returns,
    closedTrades: figures.closedTrades,
    openTrades: figures.trades.open.length,
    ...(figures.trades.uncounted === 0 ? {} : { uncountedTrades: figures.trades.uncounted }),
    wins: figures.wins,
    sortino: figure(figures.sortino),
    calmar: figure(figures.calmar),
  };
}

function reasons(figures: Performance): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(estimatesOf(figures)).flatMap(([name, value]) =>
      value.kind === 'undefined' ? [[name, value.reason]] : [],
    ),
  );
}

function figure(value: Estimate): number | null {
  return value.kind === 'value' ? value.value : null;
}

function instant(at: number): string {
  return new Date(at).toISOString();
}

function securityJson(security: Security) {
  const { symbol, kind, currency, tradable, origin } = security;
  return { symbol, name: security.names.en, kind, currency, tradable, origin: { ...origin } };
}

function moneyJson(money: CurrencyFigures) {
  return {
    currency: money.currency,
    fees: money.fees.toString(),
    turnover: money.turnover.toString(),
    profit: money.profit.toString(),
    averageProfit: money.averageProfit?.toString() ?? null,
    profitFactor: figure(money.profitFactor),
  };
}

/** Further statistics; times as ISO 8601 UTC, shares as fractions, null if there is none. */
function statisticsJson(record: RunRecord, closed: readonly RoundTrip[]) {
  const { daily, drawdowns } = curveOf(record);
  const { bestDay, worstDay, histogram } = curveStatistics(record.initialEquity, daily);
  const day = (found: DayReturn | null) => found && { day: found.day, return: found.share };
  return {
    trades: tradeStatistics(closed),
    drawdowns: drawdowns.map(({ peakAt, troughAt, recoveredAt, share, durationMs }) => ({
      peakAt: instant(peakAt),
      troughAt: instant(troughAt),
      recoveredAt: recoveredAt === undefined ? null : instant(recoveredAt),
      share,
      days: Math.round(durationMs / DAY_MS),
    })),
    bestDay: day(bestDay),
    worstDay: day(worstDay),
    histogram,
  };
}

function tradeJson(trade: RoundTrip, exit: ExitReason) {
  return {
    symbol: trade.symbol,
    currency: trade.currency,
    direction: trade.direction,
    openedAt: instant(trade.openedAt),
    closedAt: instant(trade.closedAt),
    quantity: trade.quantity.toString(),
    entryPrice: trade.entryPrice.toString(),
    exitPrice: trade.exitPrice.toString(),
    fees: trade.fees.toString(),
    profit: trade.profit.toString(),
    return: trade.returnShare,
    durationMs: trade.closedAt - trade.openedAt,
    exit,
  };
}

function openJson(trade: OpenTrade, record: RunRecord) {
  return {
    symbol: trade.symbol,
    currency: trade.currency,
    direction: trade.direction,
    openedAt: instant(trade.openedAt),
    quantity: trade.quantity.toString(),
    averageCost: trade.averageCost?.toString() ?? null,
    fees: trade.fees.toString(),
    realized: trade.realized.toString(),
    price: lastPriceOf(trade, record)?.toString() ?? null,
    unrealized: unrealizedOf(trade, record)?.toString() ?? null,
  };
}
