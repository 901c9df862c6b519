import { plural } from '../../model/plural.ts';
import { printable } from '../../model/printable.ts';
import { type CalendarDay, DAY_MS } from '../../model/time.ts';
import type { BotConfig, DataConfig } from '../bot-config.ts';
import type { ConfigPath, ConfigProblem } from '../config-problem.ts';
import type { KnownBars, PastCatalogue } from '../lookups.ts';
import { type LocatedTree, located } from '../yaml/located.ts';

/** Days without bars at either end that count as a gap; fewer may be holidays. */
const HOLE_DAYS = 7;

/** Symbols whose days are listed where none has a bar; a config may have hundreds. */
const SYMBOLS_SHOWN_MAX = 5;

/** What would make a run over a config's days fail, and what the run would leave out. */
export interface PastFindings {
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}

/**
 * Checks whether there are bars on the days of a config, and whether corporate actions can be read; reads only the
 * ends of each file. A run stops if no symbol has a bar on any of its days, and continues without symbols that have
 * none.
 */
export function pastFindings(where: LocatedTree, config: BotConfig, past: PastCatalogue): PastFindings {
  const { data } = config;
  const findings = { problems: [] as ConfigProblem[], warnings: [] as ConfigProblem[] };
  if (data === undefined) return findings;
  // A bot on a broker trades on other days: these are for its warm-up.
  if (config.broker !== undefined || config.paper.kind === 'upstream') return findings;
  const { from, to } = data;
  const actions = actionFindings(where, { ...config, data }, past);
  findings.problems.push(...actions.problems);
  findings.warnings.push(...actions.warnings);
  const bars = config.symbols.map((symbol) => ({ symbol, known: past.bars(symbol, config.period) }));
  const range = `${from} to ${to}`;
  const wanted = 'days on which there are bars';
  const say = (path: ConfigPath, what: string): ConfigProblem =>
    located(where, { code: 'bad-data', path, at: 'value', value: range, wanted, what });
  for (const { known } of bars) {
    if (known.kind === 'problem') findings.problems.push({ ...say(['data'], ''), message: known.message });
  }
  if (findings.problems.length > 0) return findings;
  if (bars.every(({ known }) => !isWithin(known, data))) {
    const listed = bars
      .slice(0, SYMBOLS_SHOWN_MAX)
      .map(({ symbol, known }) => `${symbol} has ${knownText(known)}`);
    const more = bars.length - listed.length;
    const texts = [...listed, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
    findings.problems.push(
      say(
        ['data', 'from'],
        `there is no bar from ${from} to ${to}: ${printable(texts, Number.POSITIVE_INFINITY)}`,
      ),
    );
    return findings;
  }
  const holes = bars.flatMap(({ symbol, known }) => {
    const text = holeText(known, data);
    return text === undefined ? [] : [{ symbol, ...text }];
  });
  findings.warnings.push(
    ...holes.map(({ symbol, key, text }) => {
      return { ...say(['data', key], ''), message: `Bars of ${symbol} ${text}` };
    }),
  );
  return findings;
}

/** Finds dividends and splits that cannot be read, or that the run leaves out. */
function actionFindings(
  where: LocatedTree,
  { symbols, simulation, data: { from, to } }: BotConfig & { readonly data: DataConfig },
  past: PastCatalogue,
): PastFindings {
  const isWanted = simulation.rules.corporateActions;
  const say = (value: string, wanted: string, message: string): ConfigProblem => {
    const facts = { code: 'bad-data', path: ['symbols'], at: 'value', value, wanted, what: '' } as const;
    return { ...located(where, facts), message };
  };
  const read = symbols.map((symbol) => ({ symbol, actions: past.actions(symbol) }));
  const problems = read.flatMap(({ symbol, actions }) =>
    isWanted && typeof actions === 'string' ? [say(symbol, 'an events.csv that can be read', actions)] : [],
  );
  const warnings = read.flatMap(({ symbol, actions }) => {
    if (isWanted || typeof actions === 'string') return [];
    const within = actions.filter(({ exDay }) => exDay >= from && exDay <= to);
    if (within.length === 0) return [];
    const countTexts = ACTION_KINDS.flatMap((kind) => {
      const count = within.filter((action) => action.kind === kind).length;
      return count === 0 ? [] : [plural(count, kind)];
    });
    const message = `The events.csv of ${symbol} tells ${countTexts.join(' and ')} from ${from} to ${to}, which a backtest leaves out: with raw prices say "simulation: { corporateActions: true }"`;
    return [say(symbol, '"corporateActions: true" under "simulation"', message)];
  });
  return { problems, warnings };
}

const ACTION_KINDS = ['dividend', 'split', 'delisting'] as const;

type Days = Pick<DataConfig, 'from' | 'to'>;

function isWithin(known: KnownBars, { from, to }: Days): boolean {
  return known.kind === 'bars' && known.first <= to && known.last >= from;
}

function knownText(known: KnownBars): string {
  return known.kind === 'bars' ? `those of ${known.first} to ${known.last}` : 'none';
}

/**
 * The rest of a sentence about a symbol whose bars cover only part of the days; reported at the key that can change
 * it.
 */
function holeText(
  known: KnownBars,
  days: Days,
): { readonly key: 'from' | 'to'; readonly text: string } | undefined {
  const { from, to } = days;
  if (known.kind !== 'bars') return { key: 'from', text: 'there are none: it is not traded' };
  const { first, last } = known;
  if (!isWithin(known, days)) {
    return { key: 'from', text: `are of ${first} to ${last}, none of ${from} to ${to}: it is not traded` };
  }
  if (daysBetween(from, first) > HOLE_DAYS)
    return { key: 'from', text: `begin on ${first}, "data.from" is ${from}` };
  return daysBetween(last, to) > HOLE_DAYS
    ? { key: 'to', text: `end on ${last}, "data.to" is ${to}` }
    : undefined;
}

function daysBetween(one: CalendarDay, other: CalendarDay): number {
  return (Date.parse(other) - Date.parse(one)) / DAY_MS;
}
