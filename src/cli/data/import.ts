import { basename, resolve } from 'node:path';
import { createSystemClock } from '../../app/system-clock.ts';
import { parseColumnMap } from '../../market-data/column-map.ts';
import { DataError } from '../../market-data/data-error.ts';
import { type ImportOutcome, type ImportRequest, importBars } from '../../market-data/import-bars.ts';
import { importSymbols, type SymbolOutcome } from '../../market-data/import-symbols.ts';
import { importTicks, type TickOutcome } from '../../market-data/import-ticks.ts';
import { writeStamp } from '../../market-data/stamp.ts';
import type { TickKind } from '../../market-data/tick-layout.ts';
import type { Market, SecuritySymbol } from '../../model/symbol.ts';
import { EXIT } from '../exit-codes.ts';
import { interruptible } from '../interruption.ts';
import type { CommandContext } from '../program.ts';
import { openProgress } from '../progress.ts';
import { draftOf, type FactFlags } from './facts.ts';

/** The flags of `sluice data import`, read. */
export interface ImportFlags
  extends FactFlags,
    Pick<
      ImportRequest,
      | 'period'
      | 'dir'
      | 'variant'
      | 'format'
      | 'zone'
      | 'dates'
      | 'separator'
      | 'encoding'
      | 'skipLines'
      | 'adjust'
      | 'decimal'
      | 'volumeUnit'
      | 'stampedAt'
      | 'order'
      | 'onBadRow'
      | 'events'
      | 'gzip'
      | 'replace'
    > {
  readonly symbol?: SecuritySymbol;
  readonly market?: Market;
  readonly map?: string;
  /** What prices are divided by. */
  readonly priceUnit?: number;
  readonly as: 'bars' | TickKind;
  readonly volume: boolean;
  readonly json?: boolean;
}

/** Imports a file and says how it was understood and what came of it; bad rows that are skipped go to stderr. Interrupted, it leaves nothing. */
export function importData(file: string, flags: ImportFlags, context: CommandContext): Promise<void> {
  return interruptible(async (interrupted) => {
    try {
      await importFile(file, flags, { ...context, interrupted });
    } catch (error) {
      if (!interrupted.aborted) throw error;
      context.terminal.err('Interrupted: nothing was imported\n');
      context.exit(EXIT.interrupted);
    }
  });
}

async function importFile(
  file: string,
  flags: ImportFlags,
  { terminal, project, interrupted }: CommandContext & { readonly interrupted: AbortSignal },
): Promise<void> {
  const { map, volume, json, dir, as: kind, symbol, priceUnit, ...rest } = flags;
  if (rest.events === true && (symbol === undefined || kind !== 'bars')) throw noEvents(file);
  const progress = openProgress(`Import ${basename(file)}`, terminal.view, createSystemClock());
  const common = {
    ...rest,
    ...{ file, dir: resolve(project, dir), security: draftOf(flags) },
    onSkipped: (problem: Error) => progress.say(`Skipped: ${problem.message}\n`),
    onShare: (share: number) => {
      interrupted.throwIfAborted();
      progress.at(share);
    },
  };
  if (kind !== 'bars') {
    if (symbol === undefined) throw noSymbol(file);
    const told = await importTicks({ ...common, symbol, kind, map }).finally(() => progress.end());
    terminal.out(json === true ? `${JSON.stringify(told)}\n` : tickText(told, { ...flags, symbol }));
    return;
  }
  const columns = map === undefined ? undefined : parseColumnMap(map, file);
  const bars = { ...common, map: columns, hasVolume: volume, priceDivisor: priceUnit };
  if (symbol === undefined) {
    const told = await importSymbols(bars).finally(() => progress.end());
    terminal.out(json === true ? `${JSON.stringify(told.map(asJson))}\n` : symbolsText(told, flags));
    return;
  }
  const outcome = await importBars({ ...bars, symbol }).finally(() => progress.end());
  if (json === true) terminal.out(`${JSON.stringify(asJson(outcome))}\n`);
  else terminal.out(outcomeText(outcome, { ...flags, symbol }));
}

function asJson<Outcome extends ImportOutcome>({ first, last, ...counts }: Outcome) {
  return { ...counts, first: writeStamp(first), last: writeStamp(last) };
}

function noSymbol(file: string): DataError {
  return new DataError({
    code: 'unknown-symbol',
    problem: 'Cannot tell what trades and quotes are of',
    advice: 'say it with --symbol, such as --symbol 700.HK',
    file,
  });
}

function noEvents(file: string): DataError {
  return new DataError({
    code: 'unknown-symbol',
    problem: 'Cannot take dividends and splits from the file: that is for bars of one symbol',
    advice: 'say --symbol, or leave --events out',
    file,
  });
}

type OfOne = ImportFlags & { readonly symbol: SecuritySymbol };

/** Symbols that are named one by one; a file may have hundreds. */
const SYMBOLS_SHOWN = 20;

function symbolsText(outcomes: readonly SymbolOutcome[], { period, volume }: ImportFlags): string {
  const [first] = outcomes;
  const rows = outcomes.reduce((sum, each) => sum + each.rows, 0);
  const skipped = outcomes.reduce((sum, each) => sum + each.skipped, 0);
  const shown = outcomes.slice(0, SYMBOLS_SHOWN);
  const more = outcomes.length - shown.length;
  const lines = [
    `Imported ${rows} ${period} bars of ${outcomes.length} symbols`,
    ...shown.map(
      (each) =>
        `  ${each.symbol.padEnd(10)} ${each.rows} bars, ${writeStamp(each.first)} to ${writeStamp(each.last)}`,
    ),
    ...(more > 0 ? [`  and ${more} more`] : []),
    `  columns  ${first?.columns ?? ''}${volume ? '' : ', no volume (written as 0)'}`,
    `  rows     ${skipped} skipped`,
    ...(first?.notes ?? []).map((note) => `  found    ${note}`),
    'Look at them with "sluice data check"',
  ];
  return `${lines.join('\n')}\n`;
}

function tickText(outcome: TickOutcome, { symbol, period, as: kind }: OfOne): string {
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

function outcomeText(outcome: ImportOutcome, { symbol, period, volume }: OfOne): string {
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
