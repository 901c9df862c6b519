import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { barSpan } from '../markets/bar-span.ts';
import { findGaps, type Gap } from '../markets/coverage.ts';
import { hasTable } from '../markets/market-records.ts';
import { midnightOf } from '../markets/sessions.ts';
import type { Bar } from '../model/bar.ts';
import { intradayMs, type Period } from '../model/period.ts';
import { type Market, marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { addDays, type CalendarDay, MINUTE_MS, type Millis, millis } from '../model/time.ts';
import type { HistoryRequest } from '../ports/quote-feed.ts';
import { AtomicFile } from './atomic-file.ts';
import { GAP_MINUTES } from './check.ts';
import { DataError } from './data-error.ts';
import { SECURITY_FILE, safeSymbol } from './data-folder.ts';
import { type DownloadPlan, PartialDownload } from './partial-download.ts';
import { type KnownFacts, plannedFacts, type SecurityDraft } from './security-draft.ts';

export interface DownloadRequest {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  readonly from: CalendarDay;
  /** Last day; if undefined, the last day of an earlier attempt, otherwise `today`. */
  readonly to: CalendarDay | undefined;
  readonly today: CalendarDay;
  readonly dir: string;
  /** Name of the venue: an attempt is resumed only at the venue where it began. */
  readonly venue: string;
  readonly history: (request: HistoryRequest) => Promise<readonly Bar[]>;
  /** Requests the facts of the security; called only if the data folder has none. */
  readonly facts: () => Promise<KnownFacts | undefined>;
  readonly draft: SecurityDraft;
  readonly replace: boolean;
  readonly interrupted: AbortSignal;
  /** Market time: bars that close later are not expected. */
  readonly now: Millis;
  /** False if the venue may end before `now` although `to` is undefined, as one that replays history does. */
  readonly expectsNewest: boolean;
  /** Open minutes without a bar that count as missing; default 5. A minute without a trade has no bar. */
  readonly gapMinutes?: number | undefined;
  /** Called after each page with the number of bars so far and the oldest stamp. */
  readonly onPage?: (rows: number, oldest: Millis) => void;
}

/** Result of a download; the next attempt resumes an interrupted one. */
export type DownloadOutcome = DownloadedSeries | InterruptedDownload;

export interface InterruptedDownload {
  readonly kind: 'interrupted';
  readonly path: string;
  readonly rows: number;
}

export interface DownloadedSeries {
  readonly kind: 'done';
  readonly path: string;
  readonly rows: number;
  readonly resumedFrom: number;
  /** Stamps of the first and the last bar, epoch milliseconds. */
  readonly first: number;
  readonly last: number;
  /** True if the market's calendar is known, so that gaps can be found. */
  readonly isVerified: boolean;
  /** Gaps in the requested days, ascending. */
  readonly missing: readonly Pick<Gap, 'days' | 'parts'>[];
  /** Stamps for which the venue returned two different bars; the one with the greater volume is stored. */
  readonly conflicts: readonly number[];
}

/** Bars per request. @see docs/wire-protocol.md, "The sockets" */
const BARS_PER_PAGE = 1_000;

/**
 * Downloads the history of a symbol page by page, newest first, into a temporary file that replaces the bar file when
 * complete. A later attempt with the same plan resumes an interrupted one. Throws DataError and the venue's errors.
 */
export async function downloadBars(request: DownloadRequest): Promise<DownloadOutcome> {
  const { symbol, period, dir, replace } = request;
  const folder = join(dir, safeSymbol(symbol, dir));
  const path = join(folder, `${period}.csv`);
  for (const name of [path, `${path}.gz`])
    if (existsSync(name) && !(replace && name === path)) throw alreadyExists(name);
  const facts = await plannedFacts(request, request.facts);
  mkdirSync(folder, { recursive: true });
  if (!lstatSync(folder).isDirectory()) throw alreadyExists(folder);
  const partialPath = join(folder, `.${period}.csv.partial`);
  const partial = new PartialDownload(partialPath, { file: partialPath, symbol, period });
  const plan = beginOrResume(partial, request);
  const resumedFrom = partial.rows;
  const conflicts: number[] = [];
  const isWhole = await fetchAll(partial, plan, { ...request, onConflict: (time) => conflicts.push(time) });
  if (!isWhole) return { kind: 'interrupted', path: partialPath, rows: partial.rows };
  if (partial.rows === 0) {
    partial.discard();
    throw noBarsError(request, folder);
  }
  if (facts !== undefined) writeWhole(join(folder, SECURITY_FILE), (file) => file.write(facts.text));
  const stamps = writeWhole(path, (file) => partial.writeTo(file));
  partial.discard();
  const [first, last] = [stamps[0] as number, stamps.at(-1) as number];
  const found = { path, rows: partial.rows, resumedFrom, first, last, conflicts };
  return { kind: 'done', ...found, ...missingIn(stamps, plan, request) };
}

function missingIn(
  stamps: Float64Array,
  plan: DownloadPlan,
  { symbol, period, to, today, now, expectsNewest, gapMinutes = GAP_MINUTES }: DownloadRequest,
): Pick<DownloadedSeries, 'isVerified' | 'missing'> {
  const market = marketOf(symbol);
  const running = barSpan(market, period, now)?.open ?? now;
  // Without a last day, days after the end of an earlier attempt are missing, too.
  const wanted = to === undefined ? Math.max(plan.to, endOf(market, today)) : plan.to;
  const end = to === undefined && !expectsNewest ? (stamps.at(-1) ?? plan.from) : Math.min(wanted, running);
  const leastMs = Math.max(intradayMs(period) ?? 0, gapMinutes * MINUTE_MS);
  const found = [...findGaps({ symbol, period, stamps, from: plan.from, to: end, leastMs })];
  return { isVerified: hasTable(market), missing: found.map(({ days, parts }) => ({ days, parts })) };
}

function endOf(market: Market, day: CalendarDay): number {
  return midnightOf(market, addDays(day, 1));
}

/** Resumes an earlier attempt with the same plan, otherwise starts a new one. */
function beginOrResume(partial: PartialDownload, request: DownloadRequest): DownloadPlan {
  const { symbol, period, venue, from, to, today } = request;
  const market = marketOf(symbol);
  const earlier = partial.plan();
  const plan: DownloadPlan = {
    symbol,
    period,
    from: midnightOf(market, from),
    to: to === undefined ? (earlier?.to ?? endOf(market, today)) : endOf(market, to),
    venue,
  };
  const isSame =
    earlier !== undefined &&
    earlier.symbol === plan.symbol &&
    earlier.period === plan.period &&
    earlier.from === plan.from &&
    earlier.to === plan.to &&
    earlier.venue === plan.venue;
  if (isSame) {
    partial.resume();
    return plan;
  }
  const fresh = to === undefined ? { ...plan, to: endOf(market, today) } : plan;
  partial.begin(fresh);
  return fresh;
}

/** Returns true if nothing older is left to fetch, false if the user interrupted. */
async function fetchAll(
  partial: PartialDownload,
  plan: DownloadPlan,
  request: DownloadRequest & Pick<Required<HistoryRequest>, 'onConflict'>,
): Promise<boolean> {
  const { symbol, period, history, interrupted, onPage, onConflict } = request;
  while (partial.oldest === undefined || partial.oldest > plan.from) {
    if (interrupted.aborted) return false;
    const before = millis(partial.oldest ?? plan.to);
    const bars = await history({ symbol, period, before, count: BARS_PER_PAGE, onConflict });
    const wanted = bars.filter(({ time }) => time >= plan.from && time < before);
    if (wanted.length > 0) partial.add(wanted);
    if (wanted.length < bars.length || bars.length === 0) return true;
    onPage?.(partial.rows, millis(partial.oldest ?? plan.from));
  }
  return true;
}

function writeWhole<T>(path: string, write: (file: AtomicFile) => T): T {
  const file = new AtomicFile(path, { gzip: false });
  try {
    const written = write(file);
    file.finish();
    return written;
  } finally {
    file.abort();
  }
}

function alreadyExists(path: string): DataError {
  return new DataError({
    code: 'exists',
    problem: 'Cannot download: the file exists already',
    advice: 'use --replace to replace the existing series, or remove it',
    file: path,
  });
}

function noBarsError({ symbol, period, from }: DownloadRequest, folder: string): DataError {
  return new DataError({
    code: 'empty-file',
    problem: `Cannot download ${period} bars of ${symbol} since ${from}: the venue has none`,
    advice: 'choose other days or another period',
    file: folder,
  });
}
