import { DataError, quoted } from './data-error.ts';

/** Roles of a column in a vendor's file. `adjusted` is the close adjusted for splits and dividends. */
export const COLUMN_ROLES = ['time', 'open', 'high', 'low', 'close', 'volume', 'adjusted'] as const;
export type ColumnRole = (typeof COLUMN_ROLES)[number];

/** Column of each role: a header name or a number from 1; `time` may join two, a date and a time of day. */
export type ColumnMap = ReadonlyMap<ColumnRole, string>;

/** `role=name`; a name with a comma is in double quotes. */
const ENTRY = /\s*([a-zA-Z]+)\s*=\s*(?:"((?:[^"]|"")*)"|([^,"]*?))\s*(?:,|$)/y;

/**
 * Parses `time=Date,close="Adj Close",volume=6`. Throws DataError (`unknown-layout`) that quotes the unreadable part
 * and locates it at `file`.
 */
export function parseColumnMap(text: string, file: string): ColumnMap;
export function parseColumnMap<Role extends string>(
  text: string,
  file: string,
  roles: readonly Role[],
): ReadonlyMap<Role, string>;
export function parseColumnMap(
  text: string,
  file: string,
  roles: readonly string[] = COLUMN_ROLES,
): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  ENTRY.lastIndex = 0;
  while (ENTRY.lastIndex < text.length) {
    const from = ENTRY.lastIndex;
    const [, name, inQuotes, bare] = ENTRY.exec(text) ?? [];
    const role = roles.find((candidate) => candidate === name);
    const column = inQuotes?.replaceAll('""', '"') ?? bare ?? '';
    if (role === undefined || column === '' || map.has(role)) throw badMap(text.slice(from), file, roles);
    map.set(role, column);
  }
  return map;
}

function badMap(rest: string, file: string, roles: readonly string[]): DataError {
  return new DataError({
    code: 'unknown-layout',
    problem: `Cannot read the column map at ${quoted(rest)}, want role=column with each of ${roles.join(', ')} at most once`,
    advice: 'write it as time=Date,close="Adj Close", or with column numbers as time=1,open=2',
    file,
    value: rest,
  });
}
