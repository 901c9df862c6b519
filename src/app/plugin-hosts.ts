import { shareChanges } from '../backtest/due-actions.ts';
import { feedOf, startOf } from '../backtest/setup.ts';
import { createRuleWorker, type RuleWorker } from '../hosts/rule-worker.ts';
import { createWorkerHost, type WorkerHost } from '../hosts/worker.ts';
import type { Clock } from '../ports/clock.ts';
import type { RuleHost } from '../ports/rule-host.ts';
import type { SignalDrive, StrategyHost } from '../ports/strategy-host.ts';
import type { StrategyFacts } from '../strategy/strategy-facts.ts';
import type { Activity } from './activity.ts';
import { countedHost, countedRules, countedSignals } from './counted-ports.ts';
import type { PaperOptions } from './run-paper.ts';
import { type History, type NextStrategy, swappable } from './swappable.ts';

/** Where the authors' code of one bot runs, each in a thread of its own. */
export interface PluginHosts {
  readonly host: StrategyHost;
  /** What the strategy says of itself. */
  readonly facts: StrategyFacts;
  /** Its signal graph, in its own thread. */
  readonly signals: SignalDrive;
  /** Undefined: the bot has no risk rules of its own. */
  readonly rules: RuleHost | undefined;
  /** Puts another strategy, or another version of it, in the place of the one that runs, between two events. */
  swap(next: NextStrategy, history: History): Promise<void>;
  /** What a risk rule did wrong; undefined while none has. */
  ruleFailure(): string | undefined;
  close(): Promise<void>;
}

/** Opens them; a rule that fails later is said once, as an alarm. Rejects with WorkerStartError, and leaves nothing open then. */
export async function openPluginHosts(
  options: PaperOptions,
  { machine, activity }: { readonly machine: Clock; readonly activity: Activity },
): Promise<PluginHosts> {
  const { setup, strategyFile, ruleFiles = [] } = options;
  const symbols = setup.securities.map(({ symbol }) => symbol);
  const shared = { clock: machine, startsAt: startOf(symbols, setup.from), seed: setup.seed };
  let failure: string | undefined;
  const onFailure = (message: string): void => {
    failure = message;
    const alarm = {
      code: 'risk-rule-failed',
      message: `${message}; nothing opens until the bot is started anew`,
    };
    options.onAlarm?.({ ...alarm, at: machine.now(), facts: {} });
  };
  const open = (next: NextStrategy): Promise<WorkerHost> =>
    createWorkerHost({
      ...{ ...shared, ...next, symbols },
      signals: { feed: feedOf(setup.period, symbols), shareChanges: shareChanges(setup) },
    });
  const worker = swappable(await open({ file: strategyFile, params: setup.params }), symbols);
  let rules: RuleWorker | undefined;
  try {
    if (ruleFiles.length > 0) rules = await createRuleWorker({ ...shared, rules: ruleFiles, onFailure });
  } catch (error) {
    await worker.close();
    throw error;
  }
  return {
    host: countedHost(worker.host, activity),
    facts: worker.facts,
    signals: countedSignals(worker.signals, activity),
    swap: async (next, history) => worker.swap(await open(next), history, activity),
    rules: rules === undefined ? undefined : countedRules(rules, activity),
    ruleFailure: () => failure,
    close: async () => {
      await worker.close();
      await rules?.close();
    },
  };
}
