import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { midnightOf } from '../markets/sessions.ts';
import type { Bar } from '../model/bar.ts';
import type { Period } from '../model/period.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { addDays, type CalendarDay, type Millis, millis } from '../model/time.ts';
import type { HistoryRequest } from '../ports/quote-feed.ts';
import { AtomicFile } from './atomic-file.ts';
import { DataError } from './data-error.ts';
import { SECURITY_FILE, safeSymbol } from './data-folder.ts';
import { type DownloadPlan, PartialDownload } from './partial-download.ts';
import { type KnownFacts, plannedFacts, type SecurityDraft } from './security-draft.ts';

/** What to fetch, from whom, and where to put it. */
export interface DownloadRequest {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  readonly from: CalendarDay;
  /** Last day; undefined: what an earlier attempt was after, else `today`. */
  readonly to: CalendarDay | undefined;
  readonly today: CalendarDay;
  readonly dir: string;
  /** Name of the venue: an attempt is gone on with only at the venue it began at. */
  readonly venue: string;
  /** The port's history, within the venue's limits. */
  readonly history: (request: HistoryRequest) => Promise<readonly Bar[]>;
  /** What the venue says the security is; asked only when nobody knows. */
  readonly facts: () => Promise<KnownFacts | undefined>;
  readonly draft: SecurityDraft;
  readonly replace: boolean;
  readonly interrupted: AbortSignal;
  /** Hears after each page how many bars there are, and the stamp of the oldest. */
  readonly onPage?: (rows: number, oldest: Millis) => void;
}

/** What came of a download; an interrupted one is gone on with next time. */
export type DownloadOutcome =
  | { readonly kind: 'done'; readonly path: string; readonly rows: number; readonly resumedFrom: number }
  | { readonly kind: 'interrupted'; readonly path: string; readonly rows: number };

/** Bars of one question. @see reference: socket protocol, section 7.9 */
const BARS_PER_PAGE = 1_000;

/**
 * Fetches the history of a symbol page by page, newest first, into a file beside its place; when it is whole it is put in
 * its place. Cut off at any time, the next attempt with the same plan goes on behind the last page. Throws DataError, and
 * what the venue answers.
 */
export async function downloadBars(request: DownloadRequest): Promise<DownloadOutcome> {
  const { symbol, period, dir, replace } = request;
  const folder = join(dir, safeSymbol(symbol, dir));
  const path = join(folder, `${period}.csv`);
  for (const name of [path, `${path}.gz`])
    if (existsSync(name) && !(replace && name === path)) throw taken(name);
  const facts = await plannedFacts(request, request.facts);
  mkdirSync(folder, { recursive: true });
  if (!lstatSync(folder).isDirectory()) throw taken(folder);
  const partialPath = join(folder, `.${period}.csv.partial`);
  const partial = new PartialDownload(partialPath, { file: partialPath, symbol, period });
  const plan = begun(partial, request);
  const resumedFrom = partial.rows;
  const isWhole = await fetchAll(partial, plan, request);
  if (!isWhole) return { kind: 'interrupted', path: partialPath, rows: partial.rows };
  if (partial.rows === 0) {
    partial.discard();
    throw nothingThere(request, folder);
  }
  if (facts !== undefined) writeWhole(join(folder, SECURITY_FILE), (file) => file.write(facts));
  writeWhole(path, (file) => partial.writeTo(file));
  partial.discard();
  return { kind: 'done', path, rows: partial.rows, resumedFrom };
}

/** Goes on with an earlier attempt that was after the same, else begins anew. */
function begun(partial: PartialDownload, request: DownloadRequest): DownloadPlan {
  const { symbol, period, venue, from, to, today } = request;
  const market = marketOf(symbol);
  const earlier = partial.plan();
  const end = (day: CalendarDay): number => midnightOf(market, addDays(day, 1));
  const plan: DownloadPlan = {
    symbol,
    period,
    from: midnightOf(market, from),
    to: to === undefined ? (earlier?.to ?? end(today)) : end(to),
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
  const fresh = to === undefined ? { ...plan, to: end(today) } : plan;
  partial.begin(fresh);
  return fresh;
}

/** True when there is nothing older to fetch, false when somebody interrupted. */
async function fetchAll(
  partial: PartialDownload,
  plan: DownloadPlan,
  request: DownloadRequest,
): Promise<boolean> {
  const { symbol, period, history, interrupted, onPage } = request;
  while (partial.oldest === undefined || partial.oldest > plan.from) {
    if (interrupted.aborted) return false;
    const before = millis(partial.oldest ?? plan.to);
    const bars = await history({ symbol, period, before, count: BARS_PER_PAGE });
    const wanted = bars.filter(({ time }) => time >= plan.from && time < before);
    if (wanted.length > 0) partial.add(wanted);
    if (wanted.length < bars.length || bars.length === 0) return true;
    onPage?.(partial.rows, millis(partial.oldest ?? plan.from));
  }
  return true;
}

function writeWhole(path: string, write: (file: AtomicFile) => void): void {
  const file = new AtomicFile(path, { gzip: false });
  try {
    write(file);
    file.finish();
  } finally {
    file.abandon();
  }
}

function taken(path: string): DataError {
  return new DataError({
    code: 'exists',
    problem: 'Cannot download: there is something in its place already',
    advice: 'say --replace to put new bars in the place of a series that is there, or remove it',
    file: path,
  });
}

function nothingThere({ symbol, period, from }: DownloadRequest, folder: string): DataError {
  return new DataError({
    code: 'empty-file',
    problem: `Cannot download ${period} bars of ${symbol} since ${from}: the venue has none`,
    advice: 'ask for other days or another period',
    file: folder,
  });
}
