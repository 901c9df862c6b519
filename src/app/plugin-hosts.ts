import { startOf } from '../backtest/setup.ts';
import { createRuleWorker, type RuleWorker } from '../hosts/rule-worker.ts';
import { createWorkerHost, type WorkerHost } from '../hosts/worker.ts';
import type { Clock } from '../ports/clock.ts';
import type { RuleHost } from '../ports/rule-host.ts';
import type { StrategyHost } from '../ports/strategy-host.ts';
import type { Activity } from './activity.ts';
import { countedHost, countedRules } from './counted-ports.ts';
import type { PaperOptions } from './run-paper.ts';

/** Where the authors' code of one bot runs, each in a thread of its own. */
export interface PluginHosts {
  readonly host: StrategyHost;
  /** Undefined: the bot has no risk rules of its own. */
  readonly rules: RuleHost | undefined;
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
  const worker: WorkerHost = await createWorkerHost({
    ...{ ...shared, file: strategyFile, params: setup.params, symbols },
  });
  let rules: RuleWorker | undefined;
  try {
    if (ruleFiles.length > 0) rules = await createRuleWorker({ ...shared, rules: ruleFiles, onFailure });
  } catch (error) {
    await worker.close();
    throw error;
  }
  return {
    host: countedHost(worker, activity),
    rules: rules === undefined ? undefined : countedRules(rules, activity),
    ruleFailure: () => failure,
    close: async () => {
      await worker.close();
      await rules?.close();
    },
  };
}
