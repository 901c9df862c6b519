import { resolve } from 'node:path';
import { closedBy, type DeclaredRule, endOf, type RunSetup, startOf } from '../../backtest/setup.ts';
import type { BotConfig, NotifierUse } from '../../config/bot-config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { dataOf, isReplay } from '../../config/data-of.ts';
import { type LoadedMember, loadBotConfigWith } from '../../config/load-config.ts';
import type { DeclaredStrategy } from '../../config/plugins/plugin-loader.ts';
import { remembered } from '../../config/remembered.ts';
import type { NotifierFile } from '../../hosts/notifier/notifier-messages.ts';
import type { HostedRule } from '../../hosts/rules/evaluate-rules.ts';
import type { RuleFile } from '../../hosts/rules/rule-worker.ts';
import type { BidAskTable } from '../../market-data/bid-ask.ts';
import { DataError } from '../../market-data/data-error.ts';
import { filterSessions } from '../../market-data/filter-sessions.ts';
import { fxSeriesIn } from '../../market-data/fx-series.ts';
import type { BarStore } from '../../market-data/store.ts';
import { CHARGE_SCHEDULES, withCommission } from '../../markets/charge-schedules.ts';
import type { ChargeSchedule } from '../../markets/charges.ts';
import type { BarColumns } from '../../model/bar.ts';
import type { CorporateAction } from '../../model/corporate-action.ts';
import { datedRates, type FxSeries } from '../../model/dated-rates.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Period } from '../../model/period.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { addDays, type CalendarDay, type Millis, millis, utcDay } from '../../model/time.ts';
import type { PluginFacts } from '../../plugins/plugin-facts.ts';
import { marginUnder, type SimulationRules, securityUnder } from '../../simulation/rules.ts';
import type { Strategy } from '../../strategy/define-strategy.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { guardedSource, IN_THIS_PROCESS, ISOLATED, type PluginSource } from '../plugins/plugin-source.ts';
import { openStore } from '../storage/open-store.ts';
import { splitsIn } from './announced-splits.ts';
import { assertBars } from './assert-bars.ts';
import { loadOptions } from './check-config.ts';
import { membersOf } from './loaded-members.ts';
import { sharedBars } from './shared-bars.ts';

/** A valid config with everything that a run needs. */
export interface LoadedRun<S extends DeclaredStrategy = Strategy, R extends DeclaredRule = HostedRule> {
  readonly config: BotConfig;
  readonly setup: RunSetup<S, R>;
  /** File of the strategy, for a host that imports it in its own thread. */
  readonly strategyFile: string;
  /** Files of several strategies, in the config's order; empty for a single one. */
  readonly memberFiles: readonly string[];
  /** Files of risk rules, in the config's order. */
  readonly ruleFiles: readonly RuleFile[];
  /** Notifiers, with the variables of their secrets. */
  readonly notifiers: readonly NotifierPlan[];
  /** Text of the config and of the files that it extends, as read. */
  readonly text: string;
  /** The config and the files that it extends. */
  readonly files: readonly string[];
  /** Files of its code: strategies, risk rules, fill model. */
  readonly codeFiles: readonly string[];
}

/** Seed of all random numbers of a replay, so that replays are equal. */
const SEED = 1;

/** Changes a config after the YAML is read and before any data is. */
export type ConfigChange = (
  config: BotConfig,
  strategy: DeclaredStrategy,
  members: readonly LoadedMember<DeclaredStrategy>[],
) => BotConfig;

/**
 * Reads a strategy YAML and its data, for a run in this process: its plugins are imported here, except notifiers,
 * which a run in this process does not call. Throws ConfigError
 * with every mistake, DataError for invalid data, and errors of `change`.
 */
export async function loadRun(
  path: string,
  project: string,
  change?: ConfigChange,
  inside?: SandboxHooks,
): Promise<LoadedRun> {
  const source = inside === undefined ? IN_THIS_PROCESS : guardedSource(inside.ready);
  const loaded = await loadRunWith(source, {
    ...{ path, project, change, prepare: inside?.prepare },
    withoutNotifiers: true,
  });
  assertBars(loaded.setup, loaded.config.path);
  return loaded;
}

/** Hooks for a process that drops its privileges while it loads a config. */
export interface SandboxHooks {
  /** Called with the config's parsed YAML before any file of a plugin is loaded; what it reads is remembered. */
  readonly prepare: (yaml: unknown) => void;
  /** Resolves when code of plugins may be loaded. */
  readonly ready: () => Promise<void>;
}

/**
 * The same for a paper or live run: no code of plugins runs in this process. `securities` lists the securities of a
 * config without data. Without `securities` the config's data is replayed, whatever account it names.
 */
export function loadPaperRun(
  path: string,
  project: string,
  change?: ConfigChange,
  securities?: SecuritiesOf,
): Promise<PaperRun> {
  return loadRunWith(ISOLATED, { path, project, change, securities });
}

/** A config for a paper or live run: metadata of its plugins, and their files. */
export type PaperRun = LoadedRun<StrategyFacts, DeclaredRule>;

/** A loaded config, wherever its plugins run. */
export type AnyRun = LoadedRun<DeclaredStrategy, DeclaredRule>;

interface Loading {
  readonly path: string;
  readonly project: string;
  readonly change?: ConfigChange | undefined;
  readonly securities?: SecuritiesOf | undefined;
  readonly prepare?: SandboxHooks['prepare'] | undefined;
  readonly withoutNotifiers?: boolean;
}

async function loadRunWith<S extends DeclaredStrategy, R extends DeclaredRule>(
  source: PluginSource<S, R>,
  { path, project, change, securities, prepare, withoutNotifiers = false }: Loading,
): Promise<LoadedRun<S, R>> {
  const options = {
    ...loadOptions(project),
    plugins: source.plugins,
    withoutNotifiers,
    ...omitUndefined({ prepare }),
  };
  const loaded = await loadBotConfigWith(source.strategies, path, options);
  if (loaded.kind === 'problems') throw new ConfigError(loaded.problems);
  const { strategy, strategyFile, members, memberFiles, plugins, text, files } = loaded;
  const config = change?.(loaded.config, strategy, members) ?? loaded.config;
  const ruleFiles = config.rules.map(({ use, params }) => ({
    name: use,
    params,
    file: plugins.get('risk-rule', use).file,
  }));
  const past =
    securities !== undefined && !isReplay(config)
      ? withoutPast(await securitiesNow(config, project, securities), splitsIn(project, config))
      : pastOf(config, openStore(project, dataOf(config).dir));
  const { ownRules, fills: own } = await source.own(config, plugins, project);
  const rules = rulesOf(config, securities !== undefined);
  const setup = {
    ...setupOf(config, strategy, past, project),
    ownRules,
    rules: own === undefined ? rules : { ...rules, fills: { ...rules.fills, own } },
    ...membersOf(config, members),
  };
  const notified = withoutNotifiers ? [] : config.notify;
  const notifiers = notified.map((used) => {
    const { file, facts } = plugins.get('notifier', used.use);
    return { ...used, file, hooks: facts.hooks };
  });
  const { fills } = config.simulation;
  const fillModels = fills === undefined ? [] : [plugins.get('fill-model', fills.use).file];
  const codeFiles = [...strategyFiles(loaded), ...ruleFiles.map(({ file }) => file), ...fillModels];
  return {
    config,
    setup,
    strategyFile,
    memberFiles,
    ruleFiles,
    notifiers,
    text,
    files,
    codeFiles,
  };
}

/** Files of a run's strategies. */
export function strategyFiles({
  strategyFile,
  memberFiles,
}: Pick<AnyRun, 'strategyFile' | 'memberFiles'>): readonly string[] {
  return memberFiles.length > 0 ? memberFiles : [strategyFile];
}

/** Source of the securities of a config without `data`. */
export type SecuritiesOf = (config: BotConfig) => Promise<readonly Security[]>;

/** Market data of a run that is loaded before it starts. */
type Past = Pick<
  RunSetup,
  'securities' | 'history' | 'from' | 'to' | 'corporateActions' | 'unapplied' | 'bidAsk' | 'outsideHours'
>;

/** The rules of a run: with upstream quotes no dividends are paid, and no file of quotes is read. */
function rulesOf({ simulation: { rules }, paper, broker }: BotConfig, isNow: boolean): SimulationRules {
  if (!isNow || broker !== undefined || paper.kind !== 'upstream') return rules;
  return { ...rules, corporateActions: false, bidAsk: false };
}

/** Securities of a bot that does not replay data: those of its `data`, or those that the broker lists. */
async function securitiesNow(
  config: BotConfig,
  project: string,
  securities: SecuritiesOf,
): Promise<readonly Security[]> {
  if (config.data === undefined) return securities(config);
  const store = openStore(project, config.data.dir);
  return config.symbols.map((symbol) => store.security(symbol));
}

/**
 * The days of a bot that does not replay data: today, without bars. Warm-up bars are requested, and only splits in
 * events.csv are known in advance.
 */
function withoutPast(securities: readonly Security[], splits: readonly CorporateAction[]): Past {
  const today = utcDay(createSystemClock().now());
  return { securities, history: [], from: today, to: today, corporateActions: splits };
}

function pastOf(config: BotConfig, store: BarStore): Past {
  const { symbols, period } = config;
  const { from, to } = dataOf(config);
  const actions = actionsUnder(config.simulation.rules, symbols, store).filter(({ exDay }) => exDay <= to);
  const whole = symbols.map((symbol) => barsUntil(store, { symbol, period, to, actions }));
  const history = whole.map((bars) =>
    sharedBars(`${bars.symbol} ${period}`, () => heardBars(bars, config.simulation.rules)),
  );
  const outsideHours = whole.reduce(
    (sum, bars, place) => sum + bars.length - (history[place]?.length ?? 0),
    0,
  );
  return {
    securities: symbols.map((symbol) => store.security(symbol)),
    history,
    ...(outsideHours === 0 ? {} : { outsideHours }),
    from,
    to,
    corporateActions: actions,
    bidAsk: bidAskUnder(config.simulation.rules, symbols, store),
    unapplied: config.simulation.rules.corporateActions ? [] : knownActions(symbols, store),
  };
}

function setupOf<S extends DeclaredStrategy>(
  config: BotConfig,
  strategy: S,
  past: Past,
  project: string,
): RunSetup<S> {
  const { period, account } = config;
  const { rules } = config.simulation;
  return {
    config: config.path,
    strategy,
    params: config.params,
    ...past,
    securities:
      config.broker === undefined
        ? past.securities.map((each) => securityUnder(rules, each))
        : past.securities,
    period,
    currency: account.currency,
    cash: account.cash,
    ...ratesFrom(config, past, project),
    limits: config.risk,
    policy: config.execution,
    schedule: config.schedule,
    charges: chargesUnder(rules, config.charges),
    margin: marginUnder(rules, config.risk.useMargin),
    short: rules.shorting ?? config.risk.allowShort,
    rules,
    operator: rules.operator ?? 'next-day',
    ...(config.onlyDocumented === true ? { onlyDocumented: true } : {}),
    seed: SEED,
  };
}

/** Exchange rates at the start, and the later series; a bot on an account has only the rates. */
function ratesFrom(
  { account, broker, symbols }: BotConfig,
  { from }: Past,
  project: string,
): Pick<RunSetup, 'fx' | 'fxSeries'> {
  if (account.fxSeries === undefined || broker !== undefined) return { fx: account.fx };
  const fxSeries = fxSeriesOf(account.fxSeries, project);
  return { fx: datedRates(account.fx, fxSeries).asOf(startOf(symbols, from)), fxSeries };
}

/** Reads files of rates, by paths relative to the project's folder. Throws DataError. */
export function fxSeriesOf(files: Readonly<Record<string, string>>, project: string): readonly FxSeries[] {
  return Object.entries(files).map(([pair, file]) =>
    remembered(`rates ${file} ${pair}`, () => fxSeriesIn(resolve(project, file), pair)),
  );
}

/** Corporate actions that exist and are not used; unreadable files are ignored. */
function knownActions(symbols: readonly SecuritySymbol[], store: BarStore): readonly CorporateAction[] {
  return symbols.flatMap((symbol) => {
    try {
      return store.corporateActions(symbol);
    } catch (error) {
      if (error instanceof DataError) return [];
      throw error;
    }
  });
}

/** The last day of a security that ends; later bars in its file belong to another one. */
function delistedAfter(symbol: SecuritySymbol, actions: readonly CorporateAction[]): CalendarDay | undefined {
  const end = actions.find((action) => action.kind === 'delisting' && action.symbol === symbol);
  return end === undefined ? undefined : addDays(end.exDay, -1);
}

/**
 * The bars of a symbol that a run may use: those that have closed by the end of its last day, or by the day on which
 * the security ends.
 */
export function barsUntil(
  store: BarStore,
  run: {
    readonly symbol: SecuritySymbol;
    readonly period: Period;
    readonly to: CalendarDay;
    readonly actions: readonly CorporateAction[];
  },
): BarColumns {
  const { symbol, period, to, actions } = run;
  const end = endOf(symbol, delistedAfter(symbol, actions) ?? to);
  return closedBy(store.bars(symbol, period, { to: end }), endOf(symbol, to));
}

/** Files of quotes, if the rules use them. */
export function bidAskUnder(
  { bidAsk }: SimulationRules,
  symbols: readonly SecuritySymbol[],
  store: BarStore,
): readonly BidAskTable[] {
  return bidAsk ? symbols.flatMap((symbol) => store.bidAsk(symbol) ?? []) : [];
}

/**
 * The bars that a market has: those of its sessions, as a live bot builds them; all if it is open whenever there is a
 * bar.
 */
export function heardBars(bars: BarColumns, { fills }: SimulationRules): BarColumns {
  return fills.hours === 'bars' ? bars : filterSessions(bars, fills.sessions ?? 'regular');
}

/** Dividends and splits of the symbols, if the rules apply them. */
export function actionsUnder(
  { corporateActions, dividendTax }: SimulationRules,
  symbols: readonly SecuritySymbol[],
  store: BarStore,
): readonly CorporateAction[] {
  if (!corporateActions) return [];
  return symbols.flatMap((symbol) => {
    const withheld = dividendTax?.[marketOf(symbol)];
    const actions = store.corporateActions(symbol);
    if (withheld === undefined) return actions;
    return actions.map((action) => (action.kind === 'dividend' ? { ...action, withheld } : action));
  });
}

/** A charge schedule with the additional commission of the rules. */
export function chargesUnder(
  { commission }: SimulationRules,
  schedule: keyof typeof CHARGE_SCHEDULES,
): ChargeSchedule {
  const base = CHARGE_SCHEDULES[schedule];
  return commission === undefined ? base : withCommission(base, commission);
}

/** The first and the last market time that a run may use. */
export function spanOf({ setup }: { readonly setup: Pick<RunSetup, 'securities' | 'from' | 'to'> }): {
  readonly from: Millis;
  readonly to: Millis;
} {
  const symbols = setup.securities.map((security) => security.symbol);
  const ends = symbols.map((symbol) => endOf(symbol, setup.to));
  return { from: startOf(symbols, setup.from), to: millis(Math.max(...ends)) };
}

/** A notifier of a config with its file, and the hooks that it has. */
export type NotifierPlan = NotifierUse & Pick<NotifierFile, 'file'> & Pick<PluginFacts, 'hooks'>;
