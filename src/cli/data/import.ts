import { basename, resolve } from 'node:path';
import { createSystemClock } from '../../app/system-clock.ts';
import { parseColumnMap } from '../../market-data/column-map.ts';
import { type ImportOutcome, type ImportRequest, importBars } from '../../market-data/import-bars.ts';
import { importTicks, type TickOutcome } from '../../market-data/import-ticks.ts';
import { writeStamp } from '../../market-data/stamp.ts';
import type { TickKind } from '../../market-data/tick-layout.ts';
import type { CommandContext } from '../program.ts';
import { openProgress } from '../progress.ts';
import { draftOf, type FactFlags } from './facts.ts';

/** The flags of `sluice data import`, read. */
export interface ImportFlags
  extends FactFlags,
    Pick<
      ImportRequest,
      | 'symbol'
      | 'period'
      | 'dir'
      | 'variant'
      | 'format'
      | 'zone'
      | 'dates'
      | 'separator'
      | 'skipLines'
      | 'adjust'
      | 'decimal'
      | 'stampedAt'
      | 'order'
      | 'onBadRow'
      | 'gzip'
      | 'replace'
    > {
  readonly map?: string;
  readonly as: 'bars' | TickKind;
  readonly volume: boolean;
  readonly json?: boolean;
}

/** Imports a file and says how it was understood and what came of it; bad rows that are skipped go to stderr. */
export async function importData(
  file: string,
  flags: ImportFlags,
  { terminal, project }: CommandContext,
): Promise<void> {
  const { map, volume, json, dir, as: kind, ...rest } = flags;
  const progress = openProgress(`Import ${basename(file)}`, terminal.view, createSystemClock());
  const common = {
    ...rest,
    ...{ file, dir: resolve(project, dir), security: draftOf(flags) },
    onSkipped: (problem: Error) => progress.say(`Skipped: ${problem.message}\n`),
    onShare: (share: number) => progress.at(share),
  };
  if (kind !== 'bars') {
    const told = await importTicks({ ...common, kind, map }).finally(() => progress.end());
    terminal.out(json === true ? `${JSON.stringify(told)}\n` : tickText(told, flags));
    return;
  }
  const columns = map === undefined ? undefined : parseColumnMap(map, file);
  const outcome = await importBars({ ...common, map: columns, hasVolume: volume }).finally(() =>
    progress.end(),
  );
  if (json === true) {
    const { first, last, ...counts } = outcome;
    terminal.out(`${JSON.stringify({ ...counts, first: writeStamp(first), last: writeStamp(last) })}\n`);
  } else terminal.out(outcomeText(outcome, flags));
}

function tickText(outcome: TickOutcome, { symbol, period, as: kind }: ImportFlags): string {
  const { taken, bars, skipped, outside, path, columns } = outcome;
  const made = kind === 'trades' ? `, made ${bars} ${period} bars of them` : '';
  const left = outside === 0 ? '' : `, ${outside} outside regular sessions left out`;
  const lines = [
    `Imported ${taken} ${kind} of ${symbol}${made}`,
    `  to       ${path}`,
    `  columns  ${columns}`,
    `  rows     oldest first; ${skipped} skipped${left}`,
    `Look at them with "sluice data check ${symbol}"`,
  ];
  return `${lines.join('\n')}\n`;
}

function outcomeText(outcome: ImportOutcome, { symbol, period, volume }: ImportFlags): string {
  const { rows, skipped, first, last, columns, order, path, security, notes } = outcome;
  const lines = [
    `Imported ${rows} ${period} bars of ${symbol}, ${writeStamp(first)} to ${writeStamp(last)}`,
    `  to       ${path}`,
    `  columns  ${columns}${volume ? '' : ', no volume (written as 0)'}`,
    `  rows     ${order === 'oldest-first' ? 'oldest first' : 'newest first, turned round'}; ${skipped} skipped`,
    ...notes.map((note) => `  found    ${note}`),
    ...(security === 'written' ? ['  facts    security.json written'] : []),
    `Look at them with "sluice data check ${symbol}"`,
  ];
  return `${lines.join('\n')}\n`;
}
