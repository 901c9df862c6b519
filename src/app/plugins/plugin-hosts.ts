import { splitAdjustments } from '../../backtest/due-actions.ts';
import { feedOf, type MemberSetup, sessionsOf, startOf } from '../../backtest/setup.ts';
import type { EngineParts } from '../../engine/engine-parts.ts';
import type { SourceStrategy } from '../../engine/live-signal-source.ts';
import { createRuleWorker, type RuleWorker } from '../../hosts/rules/rule-worker.ts';
import { createWorkerHost, type WorkerHost } from '../../hosts/strategy/worker.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RuleHost } from '../../ports/rule-host.ts';
import type { SignalEvaluator, StrategyHost } from '../../ports/strategy-host.ts';
import type { Strategy } from '../../strategy/define-strategy.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import type { Activity } from '../clock/activity.ts';
import type { PaperOptions } from '../run/run-options.ts';
import { type History, type NextStrategy, reloadableHost } from './reloadable-host.ts';
import { trackedHost, trackedRules, trackedSignals } from './tracked-ports.ts';

/** One of several strategies with its host. */
export interface MemberHost {
  readonly setup: MemberSetup<Pick<Strategy, 'name'>>;
  readonly host: StrategyHost;
  readonly facts: StrategyFacts;
  readonly signals: SignalEvaluator;
}

/** The hosts of a bot's plugins. */
export interface PluginHosts {
  /** The only strategy's, or the first of several. */
  readonly host: StrategyHost;
  /** Several strategies, in the config's order; empty for a single one. */
  readonly members: readonly MemberHost[];
  /** The strategy's metadata. */
  readonly facts: StrategyFacts;
  /** Its signal graph, in its own thread. */
  readonly signals: SignalEvaluator;
  /** Undefined: the bot has no custom risk rules. */
  readonly rules: RuleHost | undefined;
  /** Replaces the running strategy by another one, or by another version of it, between two events. */
  swap(next: NextStrategy, history: History): Promise<void>;
  /** The failure of a risk rule; undefined while none has failed. */
  ruleFailure(): string | undefined;
  close(): Promise<void>;
}

/**
 * Opens all hosts; a rule that fails later raises one alarm. Rejects with WorkerStartError, and then closes what it
 * opened.
 */
export async function openPluginHosts(
  options: PaperOptions,
  { machine, activity }: { readonly machine: Clock; readonly activity: Activity },
): Promise<PluginHosts> {
  const { setup, strategyFile, memberFiles = [], ruleFiles = [] } = options;
  const symbols = setup.securities.map(({ symbol }) => symbol);
  const { isolation } = options.config;
  const shared = { clock: machine, startsAt: startOf(symbols, setup.from), seed: setup.seed, isolation };
  let failure: string | undefined;
  const onFailure = (message: string): void => {
    failure = message;
    const alarm = {
      code: 'risk-rule-failed',
      message: `${message}; no positions are opened until the bot is restarted`,
    };
    options.onAlarm?.({ ...alarm, at: machine.now(), facts: {} });
  };
  const open = async (next: NextStrategy, own: readonly SecuritySymbol[] = symbols): Promise<WorkerHost> => {
    return createWorkerHost({
      ...shared,
      ...next,
      symbols: own,
      signals: {
        feed: feedOf(setup.period, own, sessionsOf(setup)),
        splitAdjustments: splitAdjustments(setup),
      },
    });
  };
  const first = setup.members?.[0];
  const start =
    first === undefined
      ? open({ file: strategyFile, params: setup.params })
      : open({ file: memberFiles[0] ?? '', params: first.params }, first.symbols);
  const worker = reloadableHost(await start, first?.symbols ?? symbols);
  const others: WorkerHost[] = [];
  const members: MemberHost[] =
    first === undefined ? [] : [{ setup: first, ...withCountedWork(worker, activity) }];
  let rules: RuleWorker | undefined;
  try {
    for (const [at, member] of (setup.members ?? []).entries()) {
      if (at === 0) continue;
      const other = await open({ file: memberFiles[at] ?? '', params: member.params }, member.symbols);
      others.push(other);
      const { facts, signals } = other;
      members.push({ setup: member, ...withCountedWork({ host: other, facts, signals }, activity) });
    }
    if (ruleFiles.length > 0) rules = await createRuleWorker({ ...shared, rules: ruleFiles, onFailure });
  } catch (error) {
    for (const each of [worker, ...others]) await each.close();
    throw error;
  }
  return {
    ...withCountedWork(worker, activity),
    members,
    swap: async (next, history) => {
      if (members.length > 0)
        throw new Error(
          'Cannot change a strategy of several while they run: stop the bot and start it again',
        );
      await worker.swap(await open(next), history, activity);
    },
    rules: rules === undefined ? undefined : trackedRules(rules, activity),
    ruleFailure: () => failure,
    close: async () => {
      for (const each of [worker, ...others]) await each.close();
      await rules?.close();
    },
  };
}

/** A worker whose calls are counted as work in progress. */
function withCountedWork(
  { host, facts, signals }: Omit<MemberHost, 'setup'>,
  activity: Activity,
): Omit<MemberHost, 'setup'> {
  return { host: trackedHost(host, activity), facts, signals: trackedSignals(signals, activity) };
}

/** The signal sources of the bot's only strategy, or of each of several. */
export function sourcesOf(
  { members, ...one }: PluginHosts,
  symbols: readonly SecuritySymbol[],
): readonly SourceStrategy[] {
  const sourceOf = ({
    signals,
    host,
    facts,
  }: Omit<MemberHost, 'setup'>): Omit<SourceStrategy, 'symbols'> => ({
    signals,
    listensTo: host.listensTo,
    timers: facts.timers ?? {},
  });
  if (members.length === 0) return [{ ...sourceOf(one), symbols }];
  return members.map(({ setup: { name, symbols: own }, ...member }) => ({
    name,
    symbols: own,
    ...sourceOf(member),
  }));
}

/** The strategies of a bot with several, as the engine needs them; empty for a bot with one. */
export function membersOf({ members }: PluginHosts): Pick<EngineParts, 'members'> {
  if (members.length === 0) return {};
  return {
    members: members.map(({ setup, host }) => {
      const { name, symbols, policy, limits } = setup;
      // The graph runs in the strategy's process, which has its values.
      return { name, symbols, policy, limits, host, values: () => ({}) };
    }),
  };
}
