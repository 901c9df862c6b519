import { basename, dirname, join, resolve } from 'node:path';
import { createSystemClock } from '../../app/clock/system-clock.ts';
import { parseColumnMap } from '../../market-data/column-map.ts';
import { DataError } from '../../market-data/data-error.ts';
import { SECURITY_FILE } from '../../market-data/data-folder.ts';
import {
  type ImportOutcome,
  type ImportRequest,
  importBars,
  type WrittenFacts,
} from '../../market-data/import-bars.ts';
import { importSymbols, type SymbolOutcome } from '../../market-data/import-symbols.ts';
import { importTicks, type TickOutcome } from '../../market-data/import-ticks.ts';
import { inferPeriod } from '../../market-data/infer-period.ts';
import { writeStamp } from '../../market-data/stamp.ts';
import type { TickKind } from '../../market-data/tick-layout.ts';
import type { Period } from '../../model/period.ts';
import { plural } from '../../model/plural.ts';
import type { Market, SecuritySymbol } from '../../model/symbol.ts';
import { interruptible } from '../bots/interruption.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { openProgress } from '../output/progress.ts';
import { UsageError } from '../usage-error.ts';
import { draftOf, type FactFlags } from './facts.ts';

/** The parsed flags of `sluice data import`. */
export interface ImportFlags
  extends FactFlags,
    Pick<
      ImportRequest,
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
  readonly period?: Period;
  readonly market?: Market;
  readonly map?: string;
  /** Divisor of prices. */
  readonly priceUnit?: number;
  readonly as: 'bars' | TickKind;
  readonly volume: boolean;
  readonly json?: boolean;
}

/**
 * Imports a file and prints how it was read and the result; skipped bad rows go to stderr. When interrupted, it
 * leaves nothing.
 */
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
    file,
    dir: resolve(project, dir),
    security: draftOf(flags),
    onSkipped: (problem: Error) => progress.say(`Skipped: ${problem.message}\n`),
    onProgress: (share: number) => {
      interrupted.throwIfAborted();
      progress.at(share);
    },
  };
  if (kind !== 'bars') {
    if (symbol === undefined) throw noSymbol(file);
    const { period } = flags;
    if (period === undefined)
      throw new UsageError('Cannot import trades or quotes without --period, such as --period 1m');
    const imported = await importTicks({ ...common, symbol, kind, map, period }).finally(() =>
      progress.end(),
    );
    terminal.out(
      json === true ? `${JSON.stringify(imported)}\n` : tickText(imported, { ...flags, symbol, period }),
    );
    return;
  }
  const columns = map === undefined ? undefined : parseColumnMap(map, file);
  const unsized = { ...common, map: columns, hasVolume: volume, priceDivisor: priceUnit };
  const period = flags.period ?? (await inferPeriod(unsized));
  const bars = { ...unsized, period };
  if (symbol === undefined) {
    const imported = await importSymbols(bars).finally(() => progress.end());
    terminal.out(
      json === true
        ? `${JSON.stringify(imported.map(asJson))}\n`
        : symbolsText(imported, { ...flags, period }),
    );
    return;
  }
  const outcome = await importBars({ ...bars, symbol }).finally(() => progress.end());
  if (json === true) terminal.out(`${JSON.stringify(asJson(outcome))}\n`);
  else terminal.out(outcomeText(outcome, { ...flags, symbol, period }, flags.period === undefined));
}

function asJson<Outcome extends ImportOutcome>({ first, last, ...counts }: Outcome) {
  return { ...counts, first: writeStamp(first), last: writeStamp(last) };
}

function noSymbol(file: string): DataError {
  return new DataError({
    code: 'unknown-symbol',
    problem: 'Cannot import trades or quotes without a symbol',
    advice: 'state it with --symbol, such as --symbol 700.HK',
    file,
  });
}

function noEvents(file: string): DataError {
  return new DataError({
    code: 'unknown-symbol',
    problem: 'Cannot take dividends and splits from the file: that is for bars of one symbol',
    advice: 'state --symbol, or omit --events',
    file,
  });
}

type Sized = ImportFlags & { readonly period: Period };
type OfOne = Sized & { readonly symbol: SecuritySymbol };

/** Maximum number of symbols that are listed; a file may have hundreds. */
const SYMBOLS_SHOWN = 20;

function symbolsText(outcomes: readonly SymbolOutcome[], { period, volume }: Sized): string {
  const [first] = outcomes;
  const rows = outcomes.reduce((sum, each) => sum + each.rows, 0);
  const skipped = outcomes.reduce((sum, each) => sum + each.skipped, 0);
  const listed = outcomes.slice(0, SYMBOLS_SHOWN);
  const more = outcomes.length - listed.length;
  const lines = [
    `Imported ${plural(rows, `${period} bar`)} of ${plural(outcomes.length, 'symbol')}`,
    ...listed.map(
      (each) =>
        `  ${each.symbol.padEnd(10)} ${plural(each.rows, 'bar')}, ${writeStamp(each.first)} to ${writeStamp(each.last)}`,
    ),
    ...(more > 0 ? [`  and ${more} more`] : []),
    `  columns  ${first?.columns ?? ''}${volume ? '' : ', no volume (written as 0)'}`,
    `  rows     ${skipped} skipped`,
    ...(first?.notes ?? []).map((note) => `  found    ${note}`),
    'Look at them with "sluice data check"',
  ];
  return `${lines.join('\n')}\n`;
}

/** The facts that were written, and how to change those that were assumed. */
function factLines(facts: WrittenFacts | undefined, path: string): readonly string[] {
  if (facts === undefined) return [];
  const { name, kind, currency, lotSize, origin, assumed } = facts;
  const written = `  facts    name ${name}, kind ${kind}, currency ${currency}, lot ${lotSize}, source ${origin}`;
  if (assumed.length === 0) return [written];
  const change = `change them in ${path}, or with these options and --replace`;
  const lots =
    assumed.includes('--lot') && currency === 'HKD'
      ? ['           lots differ by security in Hong Kong: check this one']
      : [];
  return [written, `           assumed: ${assumed.join(', ')}; ${change}`, ...lots];
}

function tickText(outcome: TickOutcome, { symbol, period, as: kind }: OfOne): string {
  const { taken, bars, skipped, outside, path, columns } = outcome;
  const made = kind === 'trades' ? `, made ${plural(bars, `${period} bar`)} of them` : '';
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

function outcomeText(outcome: ImportOutcome, { symbol, period, volume }: OfOne, isInferred: boolean): string {
  const { rows, skipped, first, last, columns, order, path, facts, notes } = outcome;
  const lines = [
    `Imported ${plural(rows, `${period} bar`)} of ${symbol}, ${writeStamp(first)} to ${writeStamp(last)}`,
    `  to       ${path}`,
    `  columns  ${columns}${volume ? '' : ', no volume (written as 0)'}`,
    `  rows     ${order === 'oldest-first' ? 'oldest first' : 'newest first, turned round'}; ${skipped} skipped`,
    ...notes.map((note) => `  found    ${note}`),
    ...(isInferred
      ? [`  period   ${period}, by the shortest step between stamps; --period states another`]
      : []),
    ...factLines(facts, join(dirname(path), SECURITY_FILE)),
    `Look at them with "sluice data check ${symbol}"`,
  ];
  return `${lines.join('\n')}\n`;
}
