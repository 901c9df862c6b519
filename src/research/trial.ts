import { curveOf } from '../events/curve/curve-figures.ts';
import type { RunRecord } from '../events/run-record.ts';
import { utcDay } from '../model/time.ts';
import type { Estimate } from '../reports/estimate.ts';
import { performanceOf } from '../reports/performance.ts';

/** Figures of a report that a trial keeps and an objective can use; shares are fractions (0.1 is 10 %). */
export const FIGURES = [
  ...['totalReturn', 'cagr', 'sharpe', 'sortino', 'calmar', 'volatility', 'maxDrawdown'],
  ...['exposure', 'closedTrades', 'wins', 'winShare', 'averageReturn', 'finalEquity', 'dailyReturns'],
] as const satisfies readonly FigureName[];
export type FigureName =
  | 'totalReturn'
  | 'cagr'
  | 'sharpe'
  | 'sortino'
  | 'calmar'
  | 'volatility'
  | 'maxDrawdown'
  | 'exposure'
  | 'closedTrades'
  | 'wins'
  | 'winShare'
  | 'averageReturn'
  | 'finalEquity'
  | 'dailyReturns';

/** The figures of one trial; null if one cannot be computed, such as a Sharpe ratio of too few days. */
export type TrialFigures = Readonly<Record<FigureName, number | null>>;

/** Number of pieces of equal length into which the daily returns of a trial are summed. */
export const RETURN_BLOCKS = 16;

/** Moments of a trial's daily returns: sufficient for statistics of Sharpe ratios, whole and in pieces. */
export interface ReturnMoments {
  readonly count: number;
  readonly mean: number;
  /** Standard deviation (n - 1). */
  readonly deviation: number;
  /** Third standardized moment; 0 of normal returns. */
  readonly skewness: number;
  /** Fourth standardized moment, not the excess; 3 of normal returns. */
  readonly kurtosis: number;
  /** Sum and sum of squares of each of 16 consecutive pieces, one after the other. */
  readonly blocks: readonly number[];
}

/** Daily returns in a message or a file. */
export interface DailyReturns {
  /** First and last trading day, `YYYY-MM-DD`. */
  readonly from: string;
  readonly to: string;
  /** Doubles of 8 bytes, little endian, as base64. */
  readonly base64: string;
}

/** Outcome of a trial. */
export type TrialOutcome =
  | {
      readonly kind: 'done';
      readonly figures: TrialFigures;
      readonly returns: ReturnMoments | null;
      /** Daily returns, if they are kept. */
      readonly days?: DailyReturns;
      /** Result of an objective plugin; absent if the objective is an expression. */
      readonly objective?: number | null;
    }
  /** The strategy threw, did not return in time, or ended its process. */
  | { readonly kind: 'failed'; readonly message: string };

/** Extracts the results of a trial from its run. */
export function trialOutcome(
  record: RunRecord,
  { keepDays = false }: { readonly keepDays?: boolean } = {},
): Extract<TrialOutcome, { kind: 'done' }> {
  const report = performanceOf(record);
  const value = (estimate: Estimate): number | null => (estimate.kind === 'value' ? estimate.value : null);
  return {
    kind: 'done',
    figures: {
      totalReturn: value(report.totalReturn),
      cagr: value(report.cagr),
      sharpe: value(report.sharpe),
      sortino: value(report.sortino),
      calmar: value(report.calmar),
      volatility: value(report.volatility),
      maxDrawdown: report.maxDrawdown.share,
      exposure: value(report.exposure),
      closedTrades: report.closedTrades,
      wins: report.wins,
      winShare: value(report.winShare),
      averageReturn: value(report.averageReturn),
      finalEquity: report.finalEquity,
      dailyReturns: report.returns,
    },
    // Returns without a Sharpe ratio, such as those of weekly bars, have no statistics of it either.
    returns: report.sharpe.kind === 'value' ? momentsOf(dailyReturns(record)) : null,
    ...(keepDays ? { days: keptDays(record) } : {}),
  };
}

function keptDays(record: RunRecord): DailyReturns {
  const { day } = curveOf(record).daily;
  const bytes = doublesAsBytes(dailyReturns(record));
  return {
    from: day[0] ?? utcDay(record.from),
    to: day.at(-1) ?? utcDay(record.to),
    base64: Buffer.from(bytes).toString('base64'),
  };
}

/** Decodes daily returns. */
export function returnsIn({ base64 }: DailyReturns): Float64Array {
  return bytesAsDoubles(Buffer.from(base64, 'base64'));
}

/** Encodes doubles as bytes, little endian on every machine. */
export function doublesAsBytes(values: Float64Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 8));
  for (const [at, value] of values.entries()) view.setFloat64(at * 8, value, true);
  return new Uint8Array(view.buffer);
}

/** Decodes such bytes. */
export function bytesAsDoubles(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: bytes.byteLength / 8 }, (_, at) => view.getFloat64(at * 8, true));
}

/** Daily returns of a run, the first from its opening equity. */
export function dailyReturns(
  record: Pick<RunRecord, 'from' | 'initialEquity' | 'equity' | 'curve' | 'securities'>,
): Float64Array {
  const { value } = curveOf(record).daily;
  const returns = new Float64Array(value.length);
  let before = record.initialEquity;
  for (const [at, equity] of value.entries()) {
    returns[at] = equity / before - 1;
    before = equity;
  }
  return returns;
}

/** The moments of returns, whole and by piece; null if there are too few or they do not vary. */
export function momentsOf(returns: Float64Array): ReturnMoments | null {
  const count = returns.length;
  if (count < RETURN_BLOCKS) return null;
  let sum = 0;
  for (const value of returns) sum += value;
  const mean = sum / count;
  let [second, third, fourth] = [0, 0, 0];
  for (const value of returns) {
    const off = value - mean;
    second += off * off;
    third += off * off * off;
    fourth += off * off * off * off;
  }
  const variance = second / count;
  if (!(variance > 0)) return null;
  return {
    count,
    mean,
    deviation: Math.sqrt(second / (count - 1)),
    skewness: third / count / variance ** 1.5,
    kurtosis: fourth / count / variance ** 2,
    blocks: blocksOf(returns),
  };
}

function blocksOf(returns: Float64Array): readonly number[] {
  const blocks: number[] = [];
  for (let block = 0; block < RETURN_BLOCKS; block += 1) {
    let [sum, squares] = [0, 0];
    for (let at = blockStart(returns.length, block); at < blockStart(returns.length, block + 1); at += 1) {
      const value = returns[at] as number;
      sum += value;
      squares += value * value;
    }
    blocks.push(sum, squares);
  }
  return blocks;
}

/** First return of a piece. */
export function blockStart(count: number, block: number): number {
  return Math.floor((block * count) / RETURN_BLOCKS);
}
