import { createHash } from 'node:crypto';
import { runName } from '../../backtest/setup.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import type { RunRecord } from '../../events/run-record.ts';
import { type DailyReturns, type ReturnMoments, trialOutcome } from '../../research/trial.ts';
import { type LoadedRun, strategyFiles } from '../load/load-run.ts';
import { dataHash } from '../storage/content-hash.ts';

/** Facts of a finished backtest for the ledger, as plain data; the ledger reads the strategy files. */
export interface TrialFacts {
  readonly strategy: string;
  readonly files: readonly string[];
  readonly data: string;
  readonly key: string;
  readonly params: string;
  readonly returns: ReturnMoments | null;
  readonly days?: DailyReturns | undefined;
}

export function trialFacts(loaded: LoadedRun, record: RunRecord): TrialFacts {
  const { config, setup } = loaded;
  const { returns, days } = trialOutcome(record, { keepDays: true });
  return {
    strategy: runName(setup),
    files: strategyFiles(loaded),
    data: dataHash(setup),
    key: trialKey(config),
    params: shownParams(config),
    returns,
    days,
  };
}

/** Hashes the settings of a config that determine the result of a trial, apart from code and data. */
export function trialKey(config: BotConfig): string {
  const { params, members, account, risk, rules, execution, schedule, simulation, charges, symbols } = config;
  const { onlyDocumented = false } = config;
  const settings = {
    params,
    members,
    account,
    risk,
    rules,
    execution,
    schedule,
    charges,
    symbols,
    onlyDocumented,
  };
  return createHash('sha256')
    .update(JSON.stringify([settings, simulation.written, simulation.fills]))
    .digest('hex');
}

export function shownParams({ params, members }: BotConfig): string {
  if (members.length === 0) return JSON.stringify(params);
  return JSON.stringify(Object.fromEntries(members.map((member) => [member.name, member.params])));
}
