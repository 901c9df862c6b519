import { join } from 'node:path';
import { defaultLotSize } from '../markets/lots.ts';
import { defaultMargin } from '../markets/margin.ts';
import type { CorporateAction } from '../model/corporate-action.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Period } from '../model/period.ts';
import type { Security } from '../model/security.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis } from '../model/time.ts';
import { checkBars, FINDING_KINDS, type FindingKind } from './check.ts';
import type { ListedSplit } from './check-jumps.ts';
import { type QuoteFindingKind, quoteCheck } from './check-quotes.ts';
import { corporateActionsIn, EVENTS_FILE, repeatedActions } from './corporate-actions.ts';
import { DataError, type DataErrorCode } from './data-error.ts';
import { type BarFile, barFilesOf, quoteFilesOf, SECURITY_FILE, securityIn } from './data-folder.ts';
import { eachQuote } from './quote-file.ts';
import { FAULTS_MAX, readValidBars } from './valid-bars.ts';

/** One thing that was found. An error stops a backtest or misleads it; a warning is to be known. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly kind: FindingKind | QuoteFindingKind | DataErrorCode;
  /** Undefined when the whole file is meant. */
  readonly line: number | undefined;
  /** Stamp on that line; undefined when it could not be read. */
  readonly time: Millis | undefined;
  readonly message: string;
}

/** What was found in one file: every kind counted, the first of each kind listed, by line. */
export interface FileCheck {
  readonly symbol: SecuritySymbol;
  readonly file: string;
  readonly rows: number;
  readonly errors: number;
  readonly warnings: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}

/** What to check. */
export interface StoreCheckOptions {
  readonly dir: string;
  readonly symbols: readonly SecuritySymbol[];
  /** Only bars of this period; everything when absent. */
  readonly period?: Period | undefined;
  readonly gapMinutes?: number | undefined;
  /** What time it is: no bar can be of later. Not looked at when absent. */
  readonly now?: Millis | undefined;
}

/** Kinds that make a backtest see another past than there was. */
const ERRORS: readonly FindingKind[] = ['duplicate', 'unsorted', 'off-midnight', 'future', 'split-twice'];
const LISTED_PER_KIND = 50;
/** Line of the first bar, behind the header. */
const FIRST_LINE = 2;

/**
 * Checks the facts, the bars and the quotes of these symbols. Every line of every file is read, bad ones included; nothing
 * is thrown for what is wrong in them. Throws DataError for a symbol that is not there.
 */
export function* checkStore(options: StoreCheckOptions): Generator<FileCheck> {
  const { dir, period } = options;
  for (const symbol of options.symbols) {
    const files = barFilesOf(dir, symbol).filter((file) => period === undefined || file.period === period);
    const facts = new Tally(symbol, join(dir, symbol, SECURITY_FILE));
    const security = factsOf(dir, symbol, facts);
    if (facts.isSpoken) yield facts.result();
    const events = new Tally(symbol, join(dir, symbol, EVENTS_FILE));
    const actions = events.attempt(() => checkedActions(events, dir)) ?? [];
    if (events.isSpoken) yield events.result();
    for (const file of files) {
      const tally = new Tally(symbol, join(dir, symbol, file.name));
      tally.attempt(() => checkBarFile(tally, { file, security, actions }, options));
      yield tally.result();
    }
    for (const name of period === undefined ? quoteFilesOf(dir, symbol) : []) {
      const tally = new Tally(symbol, join(dir, symbol, name));
      tally.attempt(() => checkQuoteFile(tally, security));
      yield tally.result();
    }
  }
}

/** The facts of a symbol; where there are none, those of an ordinary share, and the tally counts it. */
function factsOf(dir: string, symbol: SecuritySymbol, tally: Tally): Security {
  const known = tally.attempt(() => securityIn(dir, symbol));
  if (known !== undefined) return known;
  if (!tally.isSpoken) {
    const message = `There is no ${SECURITY_FILE}, so nothing can run on it; checked as a share`;
    tally.add({ kind: 'bad-security', line: undefined, time: undefined, message }, 'error');
  }
  const market = marketOf(symbol);
  return {
    symbol,
    names: { en: symbol, zhCn: symbol, zhHk: symbol },
    kind: 'stock',
    board: 'unknown',
    currency: 'USD',
    lotSize: defaultLotSize(market),
    margin: defaultMargin({ market, kind: 'stock' }),
    tradable: false,
    origin: { kind: 'unknown', source: dir },
  };
}

/** Dividends and splits of the events file; the tally counts those that are listed twice. */
function checkedActions(tally: Tally, dir: string): readonly CorporateAction[] {
  const actions = corporateActionsIn(dir, tally.symbol);
  tally.rows = actions.length;
  for (const { line, message } of repeatedActions(dir, tally.symbol)) {
    tally.add({ kind: 'duplicate', line, time: undefined, message }, 'error');
  }
  return actions;
}

interface CheckedSeries {
  readonly file: BarFile;
  readonly security: Security;
  readonly actions: readonly CorporateAction[];
}

/** Series of which it is known whether prices move by splits: plain ones and those of extended hours do, `adj` do not. */
const VARIANTS_KNOWN: readonly (string | undefined)[] = [undefined, 'ext', 'adj'];

function checkBarFile(
  tally: Tally,
  { file, security, actions }: CheckedSeries,
  options: StoreCheckOptions,
): void {
  const { symbol } = security;
  const { columns, lineOf, faults, isWhole } = readValidBars(tally.file, {
    file: tally.file,
    symbol,
    period: file.period,
  });
  for (const fault of faults) tally.fault(fault);
  if (!isWhole) {
    const message = `${FAULTS_MAX} lines are bad, the rest was not read`;
    tally.add({ kind: 'too-many-bad-rows', line: faults.at(-1)?.line, time: undefined, message }, 'error');
  }
  tally.rows = columns.length;
  const { counts, findings } = checkBars(columns, security, {
    adjusted: file.variant === 'adj',
    extendedHours: file.variant === 'ext',
    splits: VARIANTS_KNOWN.includes(file.variant) ? splitsOf(actions) : [],
    findingsPerKind: LISTED_PER_KIND,
    ...omitUndefined({ now: options.now, gapMinutes: options.gapMinutes }),
  });
  for (const { kind, line, time, message } of findings) {
    tally.add({ kind, line: lineOf(line - FIRST_LINE), time, message }, severityOf(kind));
  }
  for (const kind of FINDING_KINDS) tally.more(kind, counts[kind] - LISTED_PER_KIND, severityOf(kind));
}

function splitsOf(actions: readonly CorporateAction[]): readonly ListedSplit[] {
  return actions.flatMap((action) =>
    action.kind === 'split' ? [{ exDay: action.exDay, ratio: action.ratio.toNumber() }] : [],
  );
}

function checkQuoteFile(tally: Tally, security: Security): void {
  const check = quoteCheck(security);
  const source = { file: tally.file, symbol: security.symbol, period: '1m' as const };
  eachQuote(tally.file, source, {
    onFault: (fault) => tally.fault(fault),
    onQuote(quote) {
      tally.rows++;
      const { line } = quote;
      for (const { kind, message } of check(quote))
        tally.add({ kind, line, time: millis(quote.time), message }, 'warning');
    },
  });
}

function severityOf(kind: FindingKind): Finding['severity'] {
  return ERRORS.includes(kind) ? 'error' : 'warning';
}

/** Counts what is found in one file and keeps the first of each kind. */
class Tally {
  readonly symbol: SecuritySymbol;
  readonly file: string;
  rows = 0;
  readonly #counts = new Map<Finding['kind'], number>();
  readonly #total = { error: 0, warning: 0 };
  readonly #findings: Finding[] = [];

  constructor(symbol: SecuritySymbol, file: string) {
    this.symbol = symbol;
    this.file = file;
  }

  get isSpoken(): boolean {
    return this.#counts.size > 0;
  }

  add(finding: Omit<Finding, 'severity'>, severity: Finding['severity']): void {
    this.more(finding.kind, 1, severity);
    if ((this.#counts.get(finding.kind) ?? 0) <= LISTED_PER_KIND)
      this.#findings.push({ severity, ...finding });
  }

  /** Counts findings that are not listed; nothing when there are none. */
  more(kind: Finding['kind'], count: number, severity: Finding['severity']): void {
    if (count <= 0) return;
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
    this.#total[severity] += count;
  }

  fault({ code, line, message }: DataError): void {
    this.add({ kind: code, line, time: undefined, message: message.split('\n', 1)[0] ?? '' }, 'error');
  }

  /** Does what may find the whole file unreadable; that is a finding too. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      this.fault(error);
      return undefined;
    }
  }

  result(): FileCheck {
    return {
      symbol: this.symbol,
      file: this.file,
      rows: this.rows,
      errors: this.#total.error,
      warnings: this.#total.warning,
      counts: Object.fromEntries(this.#counts),
      findings: this.#findings.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)),
    };
  }
}
