import { hasTable } from '../markets/market-records.ts';
import type { BarColumns } from '../model/bar.ts';
import type { Security } from '../model/security.ts';
import { marketOf } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import { future, shifted } from './check-clock.ts';
import { offTicks } from './check-figures.ts';
import { type ListedSplit, oddMoves } from './check-jumps.ts';
import { closesOnly, fractionalVolumes, repeated, tradesWholeShares, zeroVolumes } from './check-still.ts';
import { badDays, gaps, misplaced, overlapping, sparse } from './check-times.ts';

/** What may be wrong with bars that parse. None of it stops a run; all of it should be known before one is believed. */
export const FINDING_KINDS = [
  'duplicate',
  'unsorted',
  'period',
  'off-midnight',
  'future',
  'shifted',
  'closed-day',
  'out-of-session',
  'gap',
  'off-tick',
  'split',
  'split-twice',
  'scale',
  'outlier',
  'repeated',
  'closes-only',
  'zero-volume',
  'fractional-volume',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** One thing that was found, at a line of the file that the bars came from. */
export interface BarFinding {
  readonly kind: FindingKind;
  readonly line: number;
  /** Stamp of the bar on that line. */
  readonly time: Millis;
  readonly message: string;
}

/** What is meant by in order. */
export interface CheckOptions {
  /** Line of the first bar; 2 when absent, behind the header. */
  readonly firstLine?: number;
  /** What time it is, beyond which no bar can be; not looked at when absent. */
  readonly now?: Millis;
  /** The splits of the symbol's events file; when absent or empty, each jump that looks like one is suspected. */
  readonly splits?: readonly ListedSplit[];
  /** True when prices were adjusted for splits or dividends, and so are on no tick. */
  readonly adjusted?: boolean;
  /** True when bars of extended hours and auctions belong there. */
  readonly extendedHours?: boolean;
  /** Silence in an open market from which on it is a gap, in minutes; 5 when absent. A minute without a trade has no bar. */
  readonly gapMinutes?: number;
  /** The most findings of one kind that are listed; 50 when absent. All are counted. */
  readonly findingsPerKind?: number;
}

/** All that was found: every kind counted, the first of each kind listed, by line. */
export interface BarCheck {
  readonly rows: number;
  readonly counts: Readonly<Record<FindingKind, number>>;
  readonly findings: readonly BarFinding[];
}

const FIRST_LINE = 2;
/** Silence in an open market from which on it is a gap, in minutes. */
export const GAP_MINUTES = 5;
const FINDINGS_PER_KIND = 50;

/**
 * Looks through bars for what a backtest would believe and should not: stamps out of order, farther apart or closer than the period, off
 * the exchange's midnight or sessions, on closed days or in the future, gaps, prices off the tick ladder of their day, jumps that look like
 * splits, other units or bad prints, bars that repeat each other, and those without volume. Gaps, sessions, closed days and ticks are known
 * for markets with a table (HK, US) only; an index has no ticks.
 */
export function checkBars(columns: BarColumns, security: Security, options: CheckOptions = {}): BarCheck {
  const atMost = options.findingsPerKind ?? FINDINGS_PER_KIND;
  const firstLine = options.firstLine ?? FIRST_LINE;
  const counts = Object.fromEntries(FINDING_KINDS.map((kind) => [kind, 0])) as Record<FindingKind, number>;
  const findings: BarFinding[] = [];
  for (const { kind, row, message } of allRemarks(columns, security, options)) {
    counts[kind]++;
    if (counts[kind] > atMost) continue;
    findings.push({ kind, line: row + firstLine, time: columns.time[row] as Millis, message });
  }
  findings.sort((a, b) => a.line - b.line);
  return { rows: columns.length, counts, findings };
}

/** True when the tick ladder of a security is known: its market has a table, and it is no index. */
export function hasTicks({ symbol, kind }: Security): boolean {
  return kind !== 'index' && hasTable(marketOf(symbol));
}

/** A finding before its row is a line. */
export interface Remark {
  readonly kind: FindingKind;
  readonly row: number;
  readonly message: string;
}

function* allRemarks(columns: BarColumns, security: Security, options: CheckOptions): Generator<Remark> {
  yield* misplaced(columns);
  yield* sparse(columns);
  yield* overlapping(columns);
  if (options.now !== undefined) yield* future(columns, options.now);
  if (options.extendedHours !== true) yield* shifted(columns);
  yield* badDays(columns, options.extendedHours ?? false);
  yield* gaps(columns, options.gapMinutes ?? GAP_MINUTES);
  if (hasTicks(security) && options.adjusted !== true) yield* offTicks(columns, security);
  yield* oddMoves(columns, { splits: options.splits ?? [], adjusted: options.adjusted ?? false });
  yield* repeated(columns);
  yield* closesOnly(columns);
  yield* zeroVolumes(columns);
  if (tradesWholeShares(security) && options.adjusted !== true) yield* fractionalVolumes(columns);
}
