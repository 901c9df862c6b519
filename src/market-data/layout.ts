import { nearestName } from '../model/nearest-name.ts';
import { COLUMN_ROLES, type ColumnMap, type ColumnRole } from './column-map.ts';
import { COLUMN_NAMES, nameWithoutUnit, plainName, volumeUnit } from './column-names.ts';
import { DataError, quoted } from './data-error.ts';
import type { SourceField } from './source-row.ts';
import { type DateOrder, readSourceStamp } from './source-stamp.ts';
import { likelyEncoding } from './text-encoding.ts';

/** Layout options from the user or a known vendor format; absent ones are inferred. */
export interface LayoutOptions {
  readonly map: ColumnMap;
  readonly dates: DateOrder;
  /** False if bars have no volume, which is then 0. */
  readonly hasVolume: boolean;
  /** True to scale open, high, low and close by the adjusted close. */
  readonly adjust: boolean;
  readonly file: string;
  readonly line?: number;
}

export interface Layout {
  /** One column, or two: date and time of day. */
  readonly time: readonly number[];
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number | undefined;
  readonly adjusted: number | undefined;
  /** Shares per unit in the volume column, according to its header. */
  readonly volumeUnit: number | 'lots';
  readonly fieldCount: number;
  readonly hasHeader: boolean;
  readonly note: string;
}

/**
 * Infers the layout from the first line of a file. Throws DataError (`unknown-layout`) that names the existing and
 * the missing columns.
 */
export function layoutOf(first: readonly SourceField[], options: LayoutOptions): Layout {
  const hasHeader = !first.some(({ text }) => isFigure(text, options.dates));
  const names = first.map(({ text }) => text);
  const byRole = hasHeader ? namedColumns(names, options) : numberedColumns(names, options);
  const at = (role: ColumnRole): number | undefined => byRole.get(role)?.[0];
  const missing = COLUMN_ROLES.filter((role) => isNeeded(role, options) && at(role) === undefined);
  if (missing.length > 0) throw missingColumns(missing, names, hasHeader, options);
  const needed = (role: ColumnRole): number => at(role) ?? -1;
  const columnText = (index: number): string =>
    hasHeader ? quoted(names[index] ?? '') : `column ${index + 1}`;
  const used = COLUMN_ROLES.filter((role) => isNeeded(role, options));
  const note = used.map((role) => `${role} from ${(byRole.get(role) ?? []).map(columnText).join(' and ')}`);
  return {
    time: byRole.get('time') ?? [],
    open: needed('open'),
    high: needed('high'),
    low: needed('low'),
    close: needed('close'),
    volume: options.hasVolume ? at('volume') : undefined,
    adjusted: options.adjust ? at('adjusted') : undefined,
    volumeUnit: hasHeader ? volumeUnit(names[at('volume') ?? -1] ?? '') : 1,
    fieldCount: names.length,
    hasHeader,
    note: note.join(', '),
  };
}

function isNeeded(role: ColumnRole, { hasVolume, adjust }: LayoutOptions): boolean {
  if (role === 'volume') return hasVolume;
  return role === 'adjusted' ? adjust : true;
}

const FIGURE = /^[$+-]?[\d.,]+([eE][+-]?\d+)?$/;

function isFigure(text: string, dates: DateOrder): boolean {
  return FIGURE.test(text) || readSourceStamp(text, dates) !== undefined;
}

function namedColumns(
  names: readonly string[],
  options: LayoutOptions,
): ReadonlyMap<ColumnRole, readonly number[]> {
  const found = new Map<ColumnRole, readonly number[]>();
  const plainNames = names.map(plainName);
  const bareNames = names.map(nameWithoutUnit);
  for (const role of COLUMN_ROLES) {
    const wanted = options.map.get(role);
    const columns =
      wanted === undefined
        ? COLUMN_NAMES[role]
            .map((name) => columnsNamed(name.split('+'), plainNames) ?? columnsNamed([name], bareNames))
            .find((each) => each !== undefined)
        : mappedColumns(wanted, { names, width: names.length }, options);
    if (columns !== undefined) found.set(role, columns);
  }
  return found;
}

/** Returns the columns of these names if each occurs exactly once. */
function columnsNamed(wanted: readonly string[], names: readonly string[]): readonly number[] | undefined {
  const columns = wanted.map((name) => names.indexOf(name));
  const isClear = columns.every(
    (column, index) => column >= 0 && names.lastIndexOf(wanted[index] ?? '') === column,
  );
  return isClear ? columns : undefined;
}

/** Returns the columns that the user maps a role to, by header name or number; `+` joins two. */
function mappedColumns(wanted: string, header: Header, options: LayoutOptions): readonly number[] {
  const { names, width } = header;
  const lower = names.map((name) => name.toLowerCase());
  const whole = columnsNamed([wanted.toLowerCase()], lower);
  if (whole !== undefined) return whole;
  return wanted.split('+').map((part) => {
    const number = /^\d{1,3}$/.test(part) ? Number(part) : 0;
    const column = columnsNamed([part.trim().toLowerCase()], lower)?.[0] ?? number - 1;
    if (column >= 0 && column < width) return column;
    const nearest = nearestName(part, names);
    const has =
      names.length === 0 ? `The file has no header and ${width} columns` : `The header has ${listed(names)}`;
    throw new DataError({
      code: 'unknown-layout',
      problem: `Cannot find the column ${quoted(part)}${nearest === undefined ? '.' : `, did you mean ${quoted(nearest)}?`} ${has}`,
      advice: 'map to a name that occurs once in the header, or to a column number from 1',
      file: options.file,
      line: options.line,
      value: part,
    });
  });
}

interface Header {
  readonly names: readonly string[];
  readonly width: number;
}

/**
 * Assigns columns of a file without a header: stamp (or date and time), open, high, low, close, volume in this order.
 */
function numberedColumns(
  names: readonly string[],
  options: LayoutOptions,
): ReadonlyMap<ColumnRole, readonly number[]> {
  const found = new Map<ColumnRole, readonly number[]>();
  const day = readSourceStamp(names[0] ?? '', options.dates);
  const both = readSourceStamp(`${names[0]} ${names[1]}`, options.dates);
  const isSplit = day?.kind === 'wall' && !day.hasClock && both?.kind === 'wall' && both.hasClock;
  const time = isSplit && names.length > 5 && !isOpenNoClock(names) ? [0, 1] : [0];
  const guessed: readonly ColumnRole[] = ['open', 'high', 'low', 'close', 'volume'];
  found.set('time', time);
  for (const [index, role] of guessed.entries()) {
    const column = time.length + index;
    if (column < names.length) found.set(role, [column]);
  }
  for (const [role, wanted] of options.map)
    found.set(role, mappedColumns(wanted, { names: [], width: names.length }, options));
  return found;
}

/** `1015` may be a time or a price. It is a price if a valid bar begins with it and none begins after it. */
function isOpenNoClock([, clock = '', ...more]: readonly string[]): boolean {
  return /^\d+$/.test(clock) && isBar([clock, ...more]) && !isBar(more);
}

function isBar(figures: readonly string[]): boolean {
  const [open = Number.NaN, high = Number.NaN, low = Number.NaN, close = Number.NaN] = figures.map((text) =>
    Number(text.replace(',', '.')),
  );
  return high >= Math.max(open, close) && low <= Math.min(open, close);
}

function missingColumns(
  missing: readonly ColumnRole[],
  names: readonly string[],
  hasHeader: boolean,
  { file, map, line }: LayoutOptions,
): DataError {
  const has = hasHeader
    ? `The header has ${listed(names)}`
    : `The file has no header and ${names.length} columns`;
  const prices = (['open', 'high', 'low', 'close'] as const).filter((role) => !missing.includes(role));
  const isText = !names.some((name) => name.includes('\ufffd'));
  if (isText && hasHeader && !missing.includes('time') && prices.length === 0 && map.size === 0)
    throw noPrices(names, file, line);
  const example = missing.map((role) => `${role}=${quoted('...')}`).join(',');
  const twice = hasHeader ? repeatedNames(missing, names) : undefined;
  const others = missing.includes('volume') ? ', or use --no-volume if there is no volume' : '';
  return new DataError({
    code: 'unknown-layout',
    problem: `Cannot determine which column is ${missing.join(', ')}${map.size === 0 ? '' : ' in addition to those mapped'}. ${has}`,
    advice: !isText
      ? `the file is not UTF-8 text: ${encodingAdvice(file)}, or map columns by number: --map ${missing.map((role) => `${role}=...`).join(',')}`
      : twice === undefined
        ? `map them: --map ${example}${others}`
        : `${quoted(twice.name)} occurs ${twice.columns.length} times, map it by number: --map ${twice.role}=${twice.columns[0]}`,
    file,
    line,
    value: names.join(','),
  });
}

function encodingAdvice(file: string): string {
  const encoding = likelyEncoding(file);
  return encoding === undefined
    ? 'state its encoding (--encoding gbk, big5 or windows-1252)'
    : `it looks like ${encoding}, use --encoding ${encoding}`;
}

/** Returns the error for a table without known price columns, such as closes with one column per symbol. */
function noPrices(names: readonly string[], file: string, line: number | undefined): DataError {
  const [, first = ''] = names;
  const all = ['open', 'high', 'low', 'close'].map((role) => `${role}=${quoted(first)}`).join(',');
  return new DataError({
    code: 'unknown-layout',
    problem: `Cannot read bars from the file: besides a stamp it has ${listed(names.slice(1))}, none of which is a known name of open, high, low or close`,
    advice: `map them: --map open="...",high="...",low="...",close="..."; or, if a column is the close of a symbol, make bars of that column alone: --map ${all} --no-volume`,
    file,
    line,
    value: names.join(','),
  });
}

/** Finds a known column that is unusable because it occurs more than once; columns count from 1. */
function repeatedNames(
  missing: readonly ColumnRole[],
  names: readonly string[],
): { readonly role: ColumnRole; readonly name: string; readonly columns: readonly number[] } | undefined {
  const plainNames = names.map(plainName);
  for (const role of missing) {
    for (const wanted of COLUMN_NAMES[role]) {
      const columns = plainNames.flatMap((name, index) => (name === wanted ? [index + 1] : []));
      if (columns.length > 1) return { role, name: names[(columns[0] ?? 1) - 1] ?? '', columns };
    }
  }
  return undefined;
}

const NAMES_SHOWN = 20;

function listed(names: readonly string[]): string {
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  return `${names.slice(0, NAMES_SHOWN).map(quoted).join(', ')}${more}`;
}
