import { parseColumnMap } from './column-map.ts';
import { COLUMN_NAMES, plainName } from './column-names.ts';
import { DataError, quoted } from './data-error.ts';
import type { SourceField } from './source-row.ts';

/** Roles of a column in a file of trades or quotes. Sizes of quotes are optional. */
const TICK_ROLES = {
  trades: ['time', 'price', 'size'],
  quotes: ['time', 'bid', 'bidSize', 'ask', 'askSize'],
} as const;
export type TickKind = keyof typeof TICK_ROLES;
export type TickRole = (typeof TICK_ROLES)[TickKind][number];

export interface TickLayout {
  readonly columns: ReadonlyMap<TickRole, readonly number[]>;
  readonly fieldCount: number;
  readonly hasHeader: boolean;
  readonly note: string;
}

const STAMPS = ['siptimestamp', 'participanttimestamp', 'transacttime', 'tradetime', 'tradets', 'quotetime'];

const NAMES: Readonly<Record<TickRole, readonly string[]>> = {
  time: [...STAMPS, ...COLUMN_NAMES.time],
  price: ['price', 'tradeprice', 'lastprice', 'last', 'px', 'p', 'rate'],
  size: [
    'size',
    'tradesize',
    'lastsize',
    'qty',
    'quantity',
    'shares',
    'volume',
    'vol',
    'amount',
    's',
    'v',
    'q',
  ],
  bid: ['bid', 'bidprice', 'bestbid', 'bestbidprice', 'bidpx', 'bid1', 'b', 'bp'],
  bidSize: ['bidsize', 'bidsiz', 'bidvolume', 'bidqty', 'bestbidqty', 'bidshares', 'bidsz', 'bs'],
  ask: ['ask', 'askprice', 'bestask', 'bestaskprice', 'askpx', 'ask1', 'offer', 'ofr', 'a', 'ap'],
  askSize: [
    'asksize',
    'asksiz',
    'askvolume',
    'askqty',
    'bestaskqty',
    'askshares',
    'asksz',
    'offersize',
    'as',
  ],
};

const OPTIONAL: readonly TickRole[] = ['bidSize', 'askSize'];
const FIGURE = /^[+-]?[\d.,: TZ-]+$/;

/**
 * Infers the layout from the first line of a file of trades or quotes; `map` (`time=1,price=2`, or header names)
 * takes precedence. Without a header, columns are in the order of the roles. Throws DataError (`unknown-layout`) that
 * names the missing columns.
 */
export function tickLayout(
  kind: TickKind,
  first: readonly SourceField[],
  { map, file, line }: { readonly map: string | undefined; readonly file: string; readonly line: number },
): TickLayout {
  const roles: readonly TickRole[] = TICK_ROLES[kind];
  const names = first.map(({ text }) => text);
  const hasHeader = !FIGURE.test(names[0] ?? '') && names.some((name) => /[a-z]/i.test(name));
  const wanted = map === undefined ? new Map<TickRole, string>() : parseColumnMap(map, file, roles);
  const plain = names.map(plainName);
  const columns = new Map<TickRole, readonly number[]>();
  for (const [place, role] of roles.entries()) {
    const mapped = wanted.get(role);
    const found =
      mapped !== undefined
        ? mapped.split('+').map((part) => columnOf(part, names))
        : hasHeader
          ? named(NAMES[role], plain)
          : wanted.size === 0 && place < names.length
            ? [place]
            : undefined;
    if (found?.every((column) => column >= 0) === true) columns.set(role, found);
  }
  const missing = roles.filter((role) => !columns.has(role) && !OPTIONAL.includes(role));
  if (missing.length > 0) {
    const has = hasHeader
      ? `The header has ${names.slice(0, 20).map(quoted).join(', ')}`
      : `The file has no header and ${names.length} columns`;
    throw new DataError({
      code: 'unknown-layout',
      problem: `Cannot determine which column is ${missing.join(', ')}. ${has}`,
      advice: `map them: --map ${missing.map((role) => `${role}="..."`).join(',')}`,
      file,
      line,
      value: names.join(','),
    });
  }
  const columnText = (column: number): string =>
    hasHeader ? quoted(names[column] ?? '') : `column ${column + 1}`;
  const note = [...columns]
    .map(([role, at]) => `${role} from ${at.map(columnText).join(' and ')}`)
    .join(', ');
  return { columns, fieldCount: names.length, hasHeader, note };
}

function named(candidates: readonly string[], plain: readonly string[]): readonly number[] | undefined {
  for (const candidate of candidates) {
    const columns = candidate.split('+').map((name) => plain.indexOf(name));
    if (columns.every((column) => column >= 0)) return columns;
  }
  return undefined;
}

function columnOf(part: string, names: readonly string[]): number {
  const byName = names.findIndex((name) => name.toLowerCase() === part.trim().toLowerCase());
  if (byName >= 0) return byName;
  const number = /^\d{1,3}$/.test(part) ? Number(part) - 1 : -1;
  return number < names.length ? number : -1;
}
