import { openStore } from '../../app/storage/open-store.ts';
import { writeStamp } from '../../market-data/stamp.ts';
import type { ListedFile, ListedSymbol } from '../../market-data/store.ts';
import { printable } from '../../model/printable.ts';
import type { Millis } from '../../model/time.ts';
import type { CommandContext } from '../command-context.ts';
import { plainTable } from './plain-table.ts';

/** Lists the store: a line per series, with its days and the origin of its prices. */
export function listData(
  { dir, json }: { readonly dir: string; readonly json?: boolean },
  { terminal, project }: CommandContext,
): void {
  const listed = openStore(project, dir).list();
  terminal.out(json === true ? `${JSON.stringify(listed.map(jsonOf))}\n` : listText(listed, dir));
}

const HEADING = ['symbol', 'series', 'bars', 'first', 'last', 'prices', 'name'];
const COUNTS = [2];
const NAME_CHARS = 40;

function listText(listed: readonly ListedSymbol[], dir: string): string {
  if (listed.length === 0)
    return `No data in ${dir}. Bring some in with "sluice data import" or "sluice data download".\n`;
  const rows = listed.flatMap((one) => {
    const name = one.security === undefined ? '' : printable(one.security.names.en, NAME_CHARS);
    const files = one.files.map((file) => [
      one.symbol,
      seriesOf(file),
      String(file.rows),
      dayText(file.first),
      dayText(file.last),
      pricesOf(one),
      name,
    ]);
    return files.length > 0 ? files : [[one.symbol, '-', '0', '-', '-', pricesOf(one), name]];
  });
  const problems = listed.flatMap((one) => problemsOf(one).map((problem) => `${one.symbol}: ${problem}\n`));
  return `${plainTable([HEADING, ...rows], COUNTS)}${problems.length > 0 ? '\nProblems\n' : ''}${problems.join('')}`;
}

function jsonOf(one: ListedSymbol) {
  return {
    symbol: one.symbol,
    name: one.security?.names.en,
    kind: one.security?.kind,
    origin: one.security?.origin,
    series: one.files.map((file) => ({
      period: file.period,
      variant: file.variant,
      file: file.name,
      rows: file.rows,
      first: file.first === undefined ? undefined : writeStamp(file.first),
      last: file.last === undefined ? undefined : writeStamp(file.last),
    })),
    problems: problemsOf(one),
  };
}

function problemsOf({ problem, security, files }: ListedSymbol): readonly string[] {
  if (problem !== undefined) return [problem.message];
  return [
    ...(security === undefined ? ['there is no security.json, so nothing can run on it'] : []),
    ...(files.length === 0 ? ['there are no bars'] : []),
  ];
}

function seriesOf({ period, variant }: ListedFile): string {
  return variant === undefined ? period : `${period}.${variant}`;
}

function pricesOf({ security }: ListedSymbol): string {
  if (security === undefined) return 'unknown';
  return security.origin.kind === 'generated' ? 'GENERATED' : security.origin.kind;
}

function dayText(at: Millis | undefined): string {
  return at === undefined ? 'unreadable' : writeStamp(at);
}
