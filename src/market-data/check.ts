import { hasTable } from '../markets/market-records.ts';
import type { BarColumns } from '../model/bar.ts';
import type { Security } from '../model/security.ts';
import { marketOf } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import { findJumps, type ListedSplit } from './check-jumps.ts';
import { findFuture, findShifted } from './check-session-shift.ts';
import {
  findClosesOnly,
  findFractionalVolume,
  findRepeated,
  findZeroVolume,
  tradesWholeShares,
} from './check-stale-bars.ts';
import { findOffTick } from './check-ticks.ts';
import {
  findLongerPeriod,
  findMissingBars,
  findOutOfSession,
  findOverlapping,
  findUnsorted,
} from './check-times.ts';

/** Problems of bars that parse. None of them stops a run, but each may falsify its result. */
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

/** One finding, at a line of the file that the bars came from. */
export interface BarFinding {
  readonly kind: FindingKind;
  readonly line: number;
  readonly time: Millis;
  readonly message: string;
}

export interface CheckOptions {
  /** Line of the first bar; default 2, after the header. */
  readonly firstLine?: number;
  /** Current time, after which no bar can open; not checked if absent. */
  readonly now?: Millis;
  /** Splits of the symbol's events file; if absent or empty, every jump that looks like a split is reported. */
  readonly splits?: readonly ListedSplit[];
  /** True if prices are adjusted for splits or dividends, and therefore off the tick. */
  readonly adjusted?: boolean;
  /** True if bars of extended hours and auctions are expected. */
  readonly extendedHours?: boolean;
  /** Minutes without a bar in an open market that count as a gap; default 5. A minute without a trade has no bar. */
  readonly gapMinutes?: number;
  /** Maximum number of listed findings per kind; default 50. All are counted. */
  readonly findingsPerKind?: number;
}

/** All findings: each kind is counted, the first of each kind are listed by line. */
export interface BarCheck {
  readonly rows: number;
  readonly counts: Readonly<Record<FindingKind, number>>;
  readonly findings: readonly BarFinding[];
}

const FIRST_LINE = 2;
export const GAP_MINUTES = 5;
const FINDINGS_PER_KIND = 50;

/**
 * Finds bars that would mislead a backtest; `FINDING_KINDS` lists the kinds. Gaps, sessions, closed days and ticks
 * are checked only for markets with a table (HK, US); an index has no ticks.
 */
export function checkBars(columns: BarColumns, security: Security, options: CheckOptions = {}): BarCheck {
  const atMost = options.findingsPerKind ?? FINDINGS_PER_KIND;
  const firstLine = options.firstLine ?? FIRST_LINE;
  const counts = Object.fromEntries(FINDING_KINDS.map((kind) => [kind, 0])) as Record<FindingKind, number>;
  const findings: BarFinding[] = [];
  for (const { kind, row, message } of findAll(columns, security, options)) {
    counts[kind]++;
    if (counts[kind] > atMost) continue;
    findings.push({ kind, line: row + firstLine, time: columns.time[row] as Millis, message });
  }
  findings.sort((a, b) => a.line - b.line);
  return { rows: columns.length, counts, findings };
}

/** True if the tick ladder of a security is known: its market has a table, and it is not an index. */
export function hasTicks({ symbol, kind }: Security): boolean {
  return kind !== 'index' && hasTable(marketOf(symbol));
}

export interface RowFinding {
  readonly kind: FindingKind;
  readonly row: number;
  readonly message: string;
}

function* findAll(columns: BarColumns, security: Security, options: CheckOptions): Generator<RowFinding> {
  yield* findUnsorted(columns);
  yield* findLongerPeriod(columns);
  yield* findOverlapping(columns);
  if (options.now !== undefined) yield* findFuture(columns, options.now);
  if (options.extendedHours !== true) yield* findShifted(columns);
  yield* findOutOfSession(columns, options.extendedHours ?? false);
  yield* findMissingBars(columns, options.gapMinutes ?? GAP_MINUTES);
  if (hasTicks(security) && options.adjusted !== true) yield* findOffTick(columns, security);
  yield* findJumps(columns, { splits: options.splits ?? [], adjusted: options.adjusted ?? false });
  yield* findRepeated(columns);
  yield* findClosesOnly(columns);
  yield* findZeroVolume(columns);
  if (tradesWholeShares(security) && options.adjusted !== true) yield* findFractionalVolume(columns);
}
