import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dayOf } from '../markets/sessions.ts';
import { plural } from '../model/plural.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { millis } from '../model/time.ts';
import { nameWithoutUnit } from './column-names.ts';
import { corporateActionsIn, EVENTS_FILE } from './corporate-actions.ts';
import { DataError } from './data-error.ts';
import { type ImportedBar, type RowRules, readDividend, readSplit } from './import-row.ts';
import type { SourceRow } from './source-row.ts';

/** Vendors' names of dividend and split columns. All payments of a day are added up to one dividend. */
const MONEY = new Set(['dividends', 'dividend', 'capitalgains', 'divcash', 'dividendamount', 'exdividend']);
const SPLITS = new Set(['stocksplits', 'splitfactor', 'splitcoefficient', 'splitratio']);
const ADJUSTED = /^(adjclose|adjustedclose|closeadj)$/;

interface FoundEvent {
  readonly bar: ImportedBar;
  readonly money: number;
  readonly ratio: number;
  readonly before: ImportedBar | undefined;
  after: ImportedBar | undefined;
}

export interface EventsOutcome {
  /** The new text of `events.csv`; undefined if nothing is new. */
  readonly text: string | undefined;
  readonly notes: readonly string[];
}

export interface EventImportOptions {
  readonly events?: boolean | undefined;
  readonly adjust?: boolean | undefined;
}

export class EventColumns {
  readonly #rules: RowRules;
  readonly #options: EventImportOptions;
  #columns:
    | {
        readonly names: readonly string[];
        readonly money: readonly number[];
        readonly split: number;
        readonly isRaw: boolean;
      }
    | undefined;
  #last: ImportedBar | undefined;
  readonly #found: FoundEvent[] = [];

  constructor(rules: RowRules, options: EventImportOptions) {
    this.#rules = rules;
    this.#options = options;
  }

  header(row: SourceRow | undefined): void {
    if (row?.kind !== 'row') return;
    const names = row.fields.map(({ text }) => nameWithoutUnit(text));
    const money = names.flatMap((name, index) => (MONEY.has(name) ? [index] : []));
    const split = names.findIndex((name) => SPLITS.has(name));
    if (money.length === 0 && split < 0) return;
    this.#columns = {
      names: row.fields.map(({ text }) => text),
      money,
      split,
      isRaw: names.some((name) => ADJUSTED.test(name)),
    };
  }

  /** Collects the events of a bar's row. Throws DataError for an unreadable event if events were requested. */
  bar(bar: ImportedBar, row: SourceRow): void {
    const columns = this.#columns;
    if (columns === undefined || row.kind !== 'row') return;
    const figure = (index: number, read: typeof readSplit): number => {
      const field = { name: columns.names[index] ?? '', ...(row.fields[index] ?? { text: '', column: 1 }) };
      return this.#read(() => read(field, row.line, this.#rules));
    };
    const money = columns.money.reduce((sum, index) => sum + figure(index, readDividend), 0);
    const ratio = columns.split < 0 ? 0 : figure(columns.split, readSplit);
    const latest = this.#found.at(-1);
    if (latest !== undefined && latest.bar === this.#last) latest.after = bar;
    const isSplit = ratio > 0 && ratio !== 1;
    if (money > 0 || isSplit)
      this.#found.push({ bar, money, ratio: isSplit ? ratio : 1, before: this.#last, after: undefined });
    this.#last = bar;
  }

  /** Unreadable events stop an import only if events were requested. */
  #read(read: () => number): number {
    try {
      return read();
    } catch (error) {
      if (this.#options.events === true || !(error instanceof DataError)) throw error;
      return 0;
    }
  }

  /**
   * Merges the file's events into the known ones; a known day and kind is kept. Includes splits only if prices move
   * by them, and dividends only if the file has adjusted and unadjusted closes: otherwise prices may include them
   * already.
   */
  outcome(dir: string, symbol: SecuritySymbol): EventsOutcome {
    const { events, adjust } = this.#options;
    if (events === true && this.#columns === undefined)
      return {
        text: undefined,
        notes: [`no known column of dividends or splits: ${EVENTS_FILE} is unchanged`],
      };
    const found = this.#found;
    const paid = found.filter(({ money }) => money > 0);
    const splits = found.filter(({ ratio }) => ratio !== 1);
    if (paid.length + splits.length === 0) return { text: undefined, notes: [] };
    const counted = `${plural(paid.length, 'dividend')} and ${plural(splits.length, 'split')}`;
    if (events !== true)
      return {
        text: undefined,
        notes: [`${counted} in columns of the file, not imported: --events writes them to ${EVENTS_FILE}`],
      };
    const visibleSplits = splits.filter(movesPrices);
    const isRaw = this.#columns?.isRaw === true && adjust !== true;
    const day = ({ bar }: FoundEvent): string => dayOf(marketOf(symbol), millis(bar.time));
    const lines = [
      ...visibleSplits.map((each) => `${day(each)},split,${plain(each.ratio)}`),
      ...(isRaw ? paid.map((each) => `${day(each)},dividend,${plain(each.money)}`) : []),
    ];
    const { text, added } = merged(dir, symbol, lines);
    const hidden = splits.length - visibleSplits.length;
    const notes = [
      `${counted} in columns of the file, ${added} new in ${EVENTS_FILE}`,
      ...(hidden > 0
        ? [
            `${plural(hidden, 'split')} omitted: prices do not move on these days, so they are already adjusted`,
          ]
        : []),
      ...(isRaw || paid.length === 0
        ? []
        : [
            `${plural(paid.length, 'dividend')} omitted: prices may already include them unless the file has adjusted and unadjusted closes (yfinance: auto_adjust=False)`,
          ]),
    ];
    return { text: added === 0 ? undefined : text, notes };
  }
}

/** True if the price move is nearer to the split than to zero. */
function movesPrices({ bar, before, after, ratio }: FoundEvent): boolean {
  const [older] = [before, after].filter((each) => each !== undefined && each.time < bar.time);
  if (older === undefined) return false;
  const moved = Math.log((bar.figures[0] ?? Number.NaN) / (older.figures[3] ?? Number.NaN));
  return Math.abs(moved + Math.log(ratio)) < Math.abs(moved);
}

function plain(value: number): string {
  return String(Number(value.toFixed(9)));
}

function merged(dir: string, symbol: SecuritySymbol, lines: readonly string[]) {
  const known = new Set(corporateActionsIn(dir, symbol).map(({ exDay, kind }) => `${exDay},${kind}`));
  const fresh = lines.filter((line) => !known.has(line.split(',', 2).join(',')));
  const path = join(dir, symbol, EVENTS_FILE);
  const [header = '', ...old] = existsSync(path)
    ? readFileSync(path, 'utf8')
        .split(/\r?\n/)
        .filter((line) => line !== '')
    : ['ex_date,type,value'];
  const all = [...old, ...fresh].sort();
  return { text: `${[header, ...all].join('\n')}\n`, added: fresh.length };
}
