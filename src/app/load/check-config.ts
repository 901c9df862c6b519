import type { BotConfig } from '../../config/bot-config.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { isReplay } from '../../config/data-of.ts';
import { type LoadedConfig, type LoadOptions, loadBotConfigWith } from '../../config/load-config.ts';
import { NO_SECURITIES, type PastCatalogue, type SecurityCatalogue } from '../../config/lookups.ts';
import { usualRoots } from '../../config/plugins/plugin-loader.ts';
import { durationText } from '../../config/schema/units.ts';
import { type ConfigChain, readChain } from '../../config/yaml/extended-tree.ts';
import { located } from '../../config/yaml/located.ts';
import { DataError } from '../../market-data/data-error.ts';
import type { BarStore } from '../../market-data/store.ts';
import { CALENDAR_ENDS_SOON_DAYS, unknownHolidayTexts } from '../../markets/known-holidays.ts';
import { dayOf } from '../../markets/sessions.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { addDays, type Millis, utcDay } from '../../model/time.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { variableIsSet } from '../credentials/dot-env.ts';
import { isolated, readIsolated } from './read-isolated.ts';

interface CheckOptions {
  /** Also checks that there are bars on its days, by the first and last bar of their files. */
  readonly past?: boolean;
  /** Also warns of secrets of notifiers that neither these variables nor the project's `.env` set. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads a strategy YAML and lists every mistake in it, without running anything. The file of each plugin is inspected
 * in a worker thread.
 */
export async function checkConfig(
  path: string,
  project: string,
  { past = false, environment }: CheckOptions = {},
): Promise<LoadedConfig<StrategyFacts>> {
  const isSet = environment && variableIsSet(environment, project);
  const options = { ...loadOptions(project, past), plugins: isolated, isSet };
  const loaded = await loadBotConfigWith(readIsolated, path, options);
  if (loaded.kind === 'problems') return loaded;
  const ending = endingCalendars(loaded.config, createSystemClock().now()).map(
    (message): ConfigProblem => ({
      code: 'beyond-limit',
      file: path,
      line: 1,
      column: 1,
      path: 'symbols',
      value: undefined,
      wanted: 'days of which all holidays are known',
      nearest: undefined,
      message,
    }),
  );
  const short = past ? await shortWarmups(loaded.config, loaded, project) : [];
  return { ...loaded, warnings: [...loaded.warnings, ...ending, ...short] };
}

/** Finds symbols with fewer bars before the first day of a backtest than the signals need. */
async function shortWarmups(
  config: BotConfig,
  files: {
    readonly strategyFile: string;
    readonly memberFiles?: readonly string[];
    readonly source: ConfigChain;
  },
  project: string,
): Promise<readonly ConfigProblem[]> {
  const { data, broker, period, symbols } = config;
  if (data === undefined || broker !== undefined) return [];
  // Loaded only here: reading a config alone needs neither streams nor the engine.
  const [{ warmupOf }, { warmupText }, { openStore }] = await Promise.all([
    import('./warmup.ts'),
    import('../../backtest/bar-texts.ts'),
    import('../storage/open-store.ts'),
  ]);
  const warmup = await warmupOf(config, files);
  const store = openStore(project, data.dir);
  const where = { file: config.path, tree: readChain(files.source) };
  return symbols.flatMap((symbol): readonly ConfigProblem[] => {
    const message = warmupText(store.bars(symbol, period), data, warmup);
    if (message === undefined) return [];
    const facts = { code: 'beyond-limit', path: ['data', 'from'], at: 'value', value: data.from } as const;
    return [{ ...located(where, { ...facts, wanted: 'a later day, or earlier bars', what: '' }), message }];
  });
}

/**
 * Returns calendars that end within the coming weeks, for a bot that trades now; nothing for a replay. `now` is wall
 * time.
 */
export function endingCalendars(
  config: Pick<BotConfig, 'data' | 'broker' | 'paper' | 'symbols'>,
  now: Millis,
): readonly string[] {
  if (isReplay(config)) return [];
  const from = utcDay(now);
  return unknownHolidayTexts(config.symbols.map(marketOf), {
    from,
    to: addDays(from, CALENDAR_ENDS_SOON_DAYS),
  });
}

/** Market times of answers that a machine gives within so many milliseconds, as a loaded one does. */
const ANSWER_MS = 100;

/** Warns of a market clock so fast that an age limit is shorter than an answer of a loaded machine. */
export function fastClockText({
  paper,
  broker,
  risk,
}: Pick<BotConfig, 'paper' | 'broker' | 'risk'>): string | undefined {
  if (paper.kind !== 'scaled' || broker !== undefined) return undefined;
  const { maxEstimateAge } = risk;
  const wallMs = maxEstimateAge / paper.speed;
  return wallMs >= ANSWER_MS
    ? undefined
    : `at ${paper.speed} times the wall, an estimate is too old (maxEstimateAge, ${durationText(maxEstimateAge)}) after ${Number(wallMs.toPrecision(2))} ms: a busy machine is slower, and orders are denied as stale. Lower "--speed", or raise "maxEstimateAge", "maxQuoteAge" and "maxBalanceAge" for this run`;
}

/** Options for reading a config of a project; `past` checks its data as well, for callers that do not load it. */
export function loadOptions(project: string, past = false): LoadOptions {
  return {
    roots: usualRoots(project),
    securities: async (dir) => {
      const { openStore } = await import('../storage/open-store.ts');
      const store = openStore(project, dir);
      try {
        return past ? { ...catalogueOf(store), past: pastOf(store) } : catalogueOf(store);
      } catch (error) {
        // The config names the folder, so the mistake is reported there.
        if (error instanceof DataError && error.code === 'unreadable')
          return { ...NO_SECURITIES, problem: reasonOf(error.cause) };
        throw error;
      }
    },
  };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'it is not a folder',
  EACCES: 'reading it is not permitted',
};

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return ('code' in cause ? REASONS[String(cause.code)] : undefined) ?? cause.message;
}

function catalogueOf(store: BarStore): SecurityCatalogue {
  const symbols = store.symbols();
  const known = new Map<SecuritySymbol, Security>();
  return {
    symbols,
    find: (symbol) => {
      if (!symbols.includes(symbol)) return undefined;
      const security = known.get(symbol) ?? store.security(symbol);
      known.set(symbol, security);
      return security;
    },
  };
}

function pastOf(store: BarStore): PastCatalogue {
  return {
    bars(symbol, period) {
      const outline = orMessage(() => store.outline(symbol, period));
      if (typeof outline === 'string') return { kind: 'problem', message: outline };
      const { first, last } = outline;
      if (first === undefined || last === undefined) return { kind: 'none' };
      const market = marketOf(symbol);
      return { kind: 'bars', first: dayOf(market, first), last: dayOf(market, last) };
    },
    actions: (symbol) => orMessage(() => store.corporateActions(symbol)),
  };
}

/** Returns the result of `read`, or its error message. */
function orMessage<T extends object>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof DataError) return error.message.replace(/\n\s*/g, ' ');
    throw error;
  }
}
