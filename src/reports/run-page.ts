import { curveOf } from '../events/curve/curve-figures.ts';
import type { DrawnBar, KeptPrices, RunRecord } from '../events/run-record.ts';
import type { BookedFill } from '../model/fill.ts';
import { plural } from '../model/plural.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { buyAndHold } from './buy-and-hold.ts';
import { costsOf } from './costs.ts';
import { curveStatistics, type RollingFigures } from './curve-statistics.ts';
import { downsample, joinedBars } from './downsample.ts';
import { type DrawnIndicator, drawnIndicators, INDICATORS_MAX } from './drawn-indicators.ts';
import { excursionsIn } from './excursions.ts';
import { type Report, reportJson } from './json.ts';
import { monthlyReturns } from './monthly.ts';
import { isMixedOrigin, originOf } from './origin.ts';
import { performanceOf, tradesIn } from './performance.ts';
import type { PriceHistory } from './price-history.ts';
import { type PriceLevel, priceLevels } from './price-levels.ts';
import { type Mark, priceMarks } from './price-marks.ts';
import { profitOf, profitRows } from './profit.ts';

/** Name and version of the saved format; later versions only add fields. */
export const PAGE_SCHEMA = 'sluice.run/1';

/** Maximum number of drawn points; a report states what it left out. */
export const POINTS_MAX = 1_800;
export const BARS_MAX = 900;
const CHARTS_MAX = 6;
export const TRADES_MAX = 5_000;

/** Source of a run, so that it can be repeated. */
export interface RunSource {
  /** The strategy YAML and the files that it extends, as read, with the account number removed. */
  readonly yaml: string;
  /** Options of the command that changed the config, such as `--param fast=5`; absent if there were none. */
  readonly options?: readonly string[];
  /** SHA-256 of the text, and of the code: strategies, risk rules and fill model with every imported file. */
  readonly yamlSha256: string;
  readonly strategySha256: string;
  readonly sluice: string;
  readonly node: string;
}

/** A price chart to draw. */
export interface PriceChart {
  readonly symbol: SecuritySymbol;
  readonly currency: string;
  /** Period of the bars before joining; absent in runs saved by earlier versions. */
  readonly period?: string;
  readonly bars: readonly DrawnBar[];
  readonly marks: readonly Mark[];
  /** Stops and targets of brackets while they worked; absent in runs saved by earlier versions. */
  readonly levels?: readonly PriceLevel[];
  /**
   * Series of the strategy, over the prices or below them; absent in runs saved by earlier versions and if not known.
   */
  readonly indicators?: readonly DrawnIndicator[];
  /** Number of series that are left out, because there are too many to tell apart. */
  readonly indicatorsOmitted?: number;
  /** Always 0: fills are joined, none is left out. Earlier versions kept the first thousand. */
  readonly marksOmitted: number;
  /** What is missing from the bars, one sentence without a full stop; absent if they cover the whole run. */
  readonly note?: string;
}

/** Lines over time of equal length: epoch ms, the account's currency, shares as fractions. */
export interface CurveLines {
  readonly time: readonly number[];
  readonly equity: readonly number[];
  /** Null if it is not known. */
  readonly hold: readonly (number | null)[];
  /** Present and true if `hold` includes dividends. */
  readonly holdHasDividends?: boolean;
  readonly drawdown: readonly number[];
  readonly exposure: readonly number[];
}

/** Returns of one year as fractions; null outside the run, or if the period started without equity. */
export interface MonthRow {
  readonly year: number;
  readonly months: readonly (number | null)[];
  readonly total: number | null;
}

/** Trading costs in one currency; amounts are decimal text. */
export interface CostRow {
  readonly currency: string;
  readonly gross: string;
  readonly charges: readonly { readonly code: string; readonly name: string; readonly amount: string }[];
  readonly fees: string;
  readonly net: string;
}

/** State of an unfinished run, from its journal. */
export interface Unfinished {
  readonly state: 'running' | 'killed' | 'ended';
  /** The newest known market time, ISO 8601, and the number of the newest record. */
  readonly until: string;
  readonly record: number;
  /** What is missing or differs, one sentence without a full stop each. */
  readonly missing: readonly string[];
}

/**
 * A finished run, ready for display and comparison: the JSON report and its lines, thinned to what a page can show.
 */
export interface RunPage {
  readonly schema: typeof PAGE_SCHEMA;
  readonly report: Report;
  /** Empty if prices of several origins are mixed. */
  readonly curve: CurveLines;
  /**
   * Equity of buy and hold on each day of `report.equity`, null if not known. Empty like `curve`; absent in runs
   * saved by earlier versions.
   */
  readonly dailyHold?: readonly (number | null)[];
  readonly months: readonly MonthRow[];
  readonly costs: readonly CostRow[];
  /**
   * Profit by bookings, to the cent, the change last; empty if not known, absent in runs saved by earlier versions.
   */
  readonly explained?: readonly { readonly words: string; readonly amount: string }[];
  /**
   * For each trade of the report, how far the price moved against it and in its favour, as fractions; null without
   * bars. Absent in runs saved by earlier versions.
   */
  readonly excursions?: readonly (readonly [adverse: number, favourable: number] | null)[];
  /** Absent in runs saved by earlier versions; null for runs that are too short. */
  readonly rolling?: RollingFigures | null;
  readonly charts: readonly PriceChart[];
  readonly chartsOmitted: number;
  /**
   * Why series of strategies are missing or may differ, one sentence without a full stop each; absent if they are
   * complete.
   */
  readonly seriesNotes?: readonly string[];
  readonly source: RunSource;
  /** Absent in a run that ended normally. */
  readonly unfinished?: Unfinished;
}

/** Creates the saved form of a run. The same run gives the same page. */
export function runPage(
  record: RunRecord,
  histories: readonly PriceHistory[],
  source: RunSource,
  seriesNotes: readonly string[] = [],
): RunPage {
  const { initialEquity, securities, fills } = record;
  const bySymbol = Map.groupBy(fills, (fill) => fill.symbol);
  const fillsOf = (symbol: SecuritySymbol): readonly BookedFill[] => bySymbol.get(symbol) ?? [];
  const active = histories.toSorted(
    (a, b) => fillsOf(b.columns.symbol).length - fillsOf(a.columns.symbol).length,
  );
  // Bars that a bot kept of a run without a file of them are drawn; nothing is computed of a part of a run.
  const kept = (record.keptPrices ?? []).toSorted(
    (a, b) => fillsOf(b.symbol).length - fillsOf(a.symbol).length,
  );
  const levels = priceLevels(record);
  const currencies = new Map(securities.map((security) => [security.symbol, security.currency]));
  const drawnOver = (symbol: SecuritySymbol): DrawnOver => ({
    fills: fillsOf(symbol),
    levels: levels.get(symbol) ?? [],
    currency: currencies.get(symbol) ?? '',
  });
  const notes = kept.some(({ indicators }) => indicators === null)
    ? [...seriesNotes, SERIES_NOT_TOLD]
    : seriesNotes;
  const isMixed = isMixedOrigin(originOf(securities));
  return {
    schema: PAGE_SCHEMA,
    // Figures against a benchmark and resampling need every day; a century is some 25,000, 1 MB of JSON that no page embeds.
    report: reportJson(record, { rows: TRADES_MAX, days: Number.POSITIVE_INFINITY }),
    curve: isMixed ? NO_LINES : curveLines(record, histories),
    dailyHold: isMixed ? [] : dailyHold(record, histories),
    months: monthlyReturns(initialEquity, curveOf(record).daily).map(({ year, months, total }) => ({
      year,
      months: months.map((share) => share ?? null),
      total: total ?? null,
    })),
    costs: costsOf(fills, tradesIn(record)).map(({ currency, gross, charges, fees, net }) => ({
      currency,
      gross: gross.toString(),
      charges: charges.map(({ code, name, amount }) => ({ code, name, amount: amount.toString() })),
      fees: fees.toString(),
      net: net.toString(),
    })),
    explained: explainedRows(record),
    excursions: excursionRows(record, histories),
    rolling: drawnRolling(curveStatistics(record.initialEquity, curveOf(record).daily).rolling),
    charts: [
      ...active.slice(0, CHARTS_MAX).map((history) => priceChart(history, drawnOver(history.columns.symbol))),
      ...kept.slice(0, CHARTS_MAX).map((prices) => keptChart(prices, drawnOver(prices.symbol))),
    ],
    chartsOmitted: Math.max(0, active.length - CHARTS_MAX) + Math.max(0, kept.length - CHARTS_MAX),
    ...(notes.length === 0 ? {} : { seriesNotes: notes }),
    source,
  };
}

function explainedRows(record: RunRecord): NonNullable<RunPage['explained']> {
  const figures = performanceOf(record);
  const profit = profitOf(record, figures);
  if (profit === undefined) return [];
  return profitRows(profit, figures).map(({ words, amount }) => ({ words, amount: amount.toFixed(2) }));
}

function excursionRows(
  record: RunRecord,
  histories: readonly PriceHistory[],
): NonNullable<RunPage['excursions']> {
  const excursionOf = excursionsIn(histories);
  return performanceOf(record)
    .trades.closed.slice(0, TRADES_MAX)
    .map((trade) => {
      const found = excursionOf(trade);
      return found === undefined ? null : [figures(5)(found.adverse), figures(5)(found.favourable)];
    });
}

/** Rolling figures thinned to what a page can show. */
export function drawnRolling(rolling: RollingFigures | null): RollingFigures | null {
  if (rolling === null) return null;
  const indices = downsample(Float64Array.from(rolling.volatility), POINTS_MAX);
  const at = <T>(values: readonly T[]): readonly T[] => indices.map((index) => values[index] as T);
  return {
    window: rolling.window,
    time: at(rolling.time),
    sharpe: at(rolling.sharpe).map((value) => (value === null ? null : figures(4)(value))),
    volatility: at(rolling.volatility).map(figures(4)),
  };
}

const NO_LINES: CurveLines = { time: [], equity: [], hold: [], drawdown: [], exposure: [] };

function curveLines({ equity, initialEquity }: RunRecord, histories: readonly PriceHistory[]): CurveLines {
  const indices = downsample(equity.value, POINTS_MAX);
  const fallen = drawdowns(initialEquity, equity.value);
  const at = (values: Float64Array): readonly number[] => indices.map((index) => values[index] as number);
  return {
    time: at(equity.time),
    equity: at(equity.value).map(figures(9)),
    hold: buyAndHold(equity, indices, initialEquity, histories).map(knownAmount),
    ...(histories.some(({ paidAt }) => paidAt !== undefined) ? { holdHasDividends: true } : {}),
    drawdown: at(fallen).map(figures(5)),
    exposure: at(equity.exposure).map(figures(5)),
  };
}

function dailyHold(record: RunRecord, histories: readonly PriceHistory[]): readonly (number | null)[] {
  const time = Float64Array.from(curveOf(record).daily.time);
  return buyAndHold({ time }, [...time.keys()], record.initialEquity, histories).map(knownAmount);
}

function knownAmount(value: number): number | null {
  return Number.isFinite(value) ? figures(9)(value) : null;
}

function drawdowns(initial: number, value: Float64Array): Float64Array {
  let peak = initial;
  return value.map((now) => {
    peak = Math.max(peak, now);
    return peak > 0 ? 1 - now / peak : 0;
  });
}

/** Significant figures that can be distinguished on a chart. */
function figures(count: number): (value: number) => number {
  return (value) => Number(value.toPrecision(count));
}

/** What is drawn over the bars of a symbol. */
interface DrawnOver {
  readonly fills: readonly BookedFill[];
  readonly levels: readonly PriceLevel[];
  readonly currency: string;
}

const SERIES_NOT_TOLD = 'series are missing: a strategy was at work or had failed when the run ended';

/** The chart of the newest bars of a symbol that a bot kept; fills and exits of earlier ones are not on it. */
function keptChart(
  { symbol, period, bars, indicators }: KeptPrices,
  { fills, levels, currency }: DrawnOver,
): PriceChart {
  const from = bars[0]?.[0] ?? Number.POSITIVE_INFINITY;
  const later = fills.filter(({ time }) => time >= from);
  const earlier = fills.length - later.length;
  const left =
    earlier === 0
      ? ''
      : `, so that ${plural(earlier, 'earlier fill')} of it ${earlier === 1 ? 'is' : 'are'} not marked`;
  return {
    symbol,
    currency,
    period,
    bars,
    marks: priceMarks(later, bars),
    levels: levels.filter(([, to]) => to >= from),
    ...(indicators === null || indicators.length === 0
      ? {}
      : {
          indicators: indicators.slice(0, INDICATORS_MAX),
          indicatorsOmitted: Math.max(0, indicators.length - INDICATORS_MAX),
        }),
    marksOmitted: 0,
    note: `${symbol} has the newest ${plural(bars.length, 'bar')} that the bot kept, as a journal has none${left}`,
  };
}

function priceChart(
  { columns, firstBar, indicators = [] }: PriceHistory,
  { fills, levels, currency }: DrawnOver,
): PriceChart {
  const bars = joinedBars(columns, firstBar, BARS_MAX);
  const drawn = drawnIndicators({ columns, firstBar, indicators }, BARS_MAX);
  return {
    symbol: columns.symbol,
    currency,
    period: columns.period,
    bars,
    marks: priceMarks(fills, bars),
    levels,
    ...(indicators.length === 0
      ? {}
      : { indicators: drawn, indicatorsOmitted: indicators.length - drawn.length }),
    marksOmitted: 0,
  };
}
