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

/** One finding. An error stops or falsifies a backtest; a warning needs a look. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly kind: FindingKind | QuoteFindingKind | DataErrorCode;
  /** Undefined if the finding concerns the whole file. */
  readonly line: number | undefined;
  /** Stamp on that line; undefined if it could not be read. */
  readonly time: Millis | undefined;
  readonly message: string;
}

/** Findings of one file: all are counted, the first of each kind are listed by line. */
export interface FileCheck {
  readonly symbol: SecuritySymbol;
  readonly file: string;
  readonly rows: number;
  readonly errors: number;
  readonly warnings: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}

export interface StoreCheckOptions {
  readonly dir: string;
  readonly symbols: readonly SecuritySymbol[];
  /** Checks only bars of this period; everything if absent. */
  readonly period?: Period | undefined;
  readonly gapMinutes?: number | undefined;
  /** Current time, for finding bars of the future; not checked if absent. */
  readonly now?: Millis | undefined;
}

/** Kinds that show a backtest a false past. */
const ERRORS: readonly FindingKind[] = ['duplicate', 'unsorted', 'off-midnight', 'future', 'split-twice'];
const LISTED_PER_KIND = 50;
const FIRST_LINE = 2;

/**
 * Checks the facts, corporate actions, bars and quotes of symbols. Reads every file to its end and reports bad lines
 * as findings. Throws DataError for a missing symbol.
 */
export function* checkStore(options: StoreCheckOptions): Generator<FileCheck> {
  const { dir, period } = options;
  for (const symbol of options.symbols) {
    const files = barFilesOf(dir, symbol).filter((file) => period === undefined || file.period === period);
    const facts = new FindingList(symbol, join(dir, symbol, SECURITY_FILE));
    const security = factsOf(dir, symbol, facts);
    if (facts.hasFindings) yield facts.result();
    const events = new FindingList(symbol, join(dir, symbol, EVENTS_FILE));
    const actions = events.attempt(() => checkedActions(events, dir)) ?? [];
    if (events.hasFindings) yield events.result();
    for (const file of files) {
      const findingList = new FindingList(symbol, join(dir, symbol, file.name));
      findingList.attempt(() => checkBarFile(findingList, { file, security, actions }, options));
      yield findingList.result();
    }
    for (const name of period === undefined ? quoteFilesOf(dir, symbol) : []) {
      const findingList = new FindingList(symbol, join(dir, symbol, name));
      findingList.attempt(() => checkQuoteFile(findingList, security));
      yield findingList.result();
    }
  }
}

/** Returns the facts of a symbol; without a facts file records a finding and returns those of an ordinary share. */
function factsOf(dir: string, symbol: SecuritySymbol, findingList: FindingList): Security {
  const known = findingList.attempt(() => securityIn(dir, symbol));
  if (known !== undefined) return known;
  if (!findingList.hasFindings) {
    const message = `There is no ${SECURITY_FILE}, so no strategy can trade it; checked as a share`;
    findingList.add({ kind: 'bad-security', line: undefined, time: undefined, message }, 'error');
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

/** Returns the corporate actions of the events file; records those listed twice as findings. */
function checkedActions(findingList: FindingList, dir: string): readonly CorporateAction[] {
  const actions = corporateActionsIn(dir, findingList.symbol);
  findingList.rows = actions.length;
  for (const { line, message } of repeatedActions(dir, findingList.symbol)) {
    findingList.add({ kind: 'duplicate', line, time: undefined, message }, 'error');
  }
  return actions;
}

interface CheckedSeries {
  readonly file: BarFile;
  readonly security: Security;
  readonly actions: readonly CorporateAction[];
}

/**
 * Variants for which it is known whether splits move prices: they do in plain and extended-hours series, not in
 * `adj`.
 */
const VARIANTS_KNOWN: readonly (string | undefined)[] = [undefined, 'ext', 'adj'];

function checkBarFile(
  findingList: FindingList,
  { file, security, actions }: CheckedSeries,
  options: StoreCheckOptions,
): void {
  const { symbol } = security;
  const { columns, lineOf, faults, isWhole } = readValidBars(findingList.file, {
    file: findingList.file,
    symbol,
    period: file.period,
  });
  for (const fault of faults) findingList.fault(fault);
  if (!isWhole) {
    const message = `${FAULTS_MAX} lines are invalid; the remaining lines were not read`;
    findingList.add(
      { kind: 'too-many-bad-rows', line: faults.at(-1)?.line, time: undefined, message },
      'error',
    );
  }
  findingList.rows = columns.length;
  const { counts, findings } = checkBars(columns, security, {
    adjusted: file.variant === 'adj',
    extendedHours: file.variant === 'ext',
    splits: VARIANTS_KNOWN.includes(file.variant) ? splitsOf(actions) : [],
    findingsPerKind: LISTED_PER_KIND,
    ...omitUndefined({ now: options.now, gapMinutes: options.gapMinutes }),
  });
  for (const { kind, line, time, message } of findings) {
    findingList.add({ kind, line: lineOf(line - FIRST_LINE), time, message }, severityOf(kind));
  }
  for (const kind of FINDING_KINDS) findingList.count(kind, counts[kind] - LISTED_PER_KIND, severityOf(kind));
}

function splitsOf(actions: readonly CorporateAction[]): readonly ListedSplit[] {
  return actions.flatMap((action) =>
    action.kind === 'split' ? [{ exDay: action.exDay, ratio: action.ratio.toNumber() }] : [],
  );
}

function checkQuoteFile(findingList: FindingList, security: Security): void {
  const check = quoteCheck(security);
  const source = { file: findingList.file, symbol: security.symbol, period: '1m' as const };
  eachQuote(findingList.file, source, {
    onFault: (fault) => findingList.fault(fault),
    onQuote(quote) {
      findingList.rows++;
      const { line } = quote;
      for (const { kind, message } of check(quote))
        findingList.add({ kind, line, time: millis(quote.time), message }, 'warning');
    },
  });
}

function severityOf(kind: FindingKind): Finding['severity'] {
  return ERRORS.includes(kind) ? 'error' : 'warning';
}

/** Counts the findings of one file and keeps the first of each kind. */
class FindingList {
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

  get hasFindings(): boolean {
    return this.#counts.size > 0;
  }

  add(finding: Omit<Finding, 'severity'>, severity: Finding['severity']): void {
    this.count(finding.kind, 1, severity);
    if ((this.#counts.get(finding.kind) ?? 0) <= LISTED_PER_KIND)
      this.#findings.push({ severity, ...finding });
  }

  count(kind: Finding['kind'], count: number, severity: Finding['severity']): void {
    if (count <= 0) return;
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
    this.#total[severity] += count;
  }

  fault({ code, line, message }: DataError): void {
    this.add({ kind: code, line, time: undefined, message: message.split('\n', 1)[0] ?? '' }, 'error');
  }

  /** Runs `work` and records a DataError as a finding; returns undefined in that case. */
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
