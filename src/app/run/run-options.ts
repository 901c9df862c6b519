import type { PaperSetup } from '../../backtest/setup.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import type { FlowCounts } from '../../events/run-record.ts';
import type { RuleFile } from '../../hosts/rules/rule-setup.ts';
import type { Alarm } from '../../model/notice.ts';
import type { Millis } from '../../model/time.ts';
import type { OriginKind } from '../../reports/origin.ts';
import type { NotifierPlan } from '../load/load-run.ts';
import type { RunLog, RunLogOptions } from '../logs/run-log.ts';
import type { Watching } from './watch-run.ts';

/** How a run stands right now. */
export interface Progress {
  /** Where the prices come from, as the venue states it. */
  readonly origin: OriginKind;
  readonly marketTime: Millis;
  readonly flow: FlowCounts;
  /** NaN while the account was not read, or a price is missing. */
  readonly equity: number;
  /** Where the gate stands. */
  readonly gate: string;
  /** What it lets through and why, in words; undefined while it is active. */
  readonly gateTexts: readonly string[];
}

/** What whoever starts a paper run may watch and say. */
export interface PaperOptions {
  readonly config: BotConfig;
  readonly setup: PaperSetup;
  /** File of the strategy: it runs in a worker of its own. */
  readonly strategyFile: string;
  /** Files of several strategies, in the config's order; absent or empty where there is one. */
  readonly memberFiles?: readonly string[];
  /** Files of risk rules of one's own, which run in another. */
  readonly ruleFiles?: readonly RuleFile[];
  /** Who hears of alarms and days beside whoever started it. */
  readonly notifiers?: readonly NotifierPlan[];
  /** Takes up what is saved while it runs; absent: nothing. Never where real money is meant. */
  readonly watching?: Watching;
  readonly project: string;
  /** Whether whoever started it said that real money is meant. */
  readonly live?: boolean;
  /** Holds credentials, and addresses that the config leaves out, for an account that outlives the bot. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Called once, with a function that tells how the run stands. */
  readonly onStart?: (progress: () => Progress) => void;
  /** Hears of everything that a person should know. */
  readonly onAlarm?: (alarm: Alarm) => void;
  /** Where the log of the run goes; absent: there is none. */
  readonly log?: Pick<RunLogOptions, 'level' | 'stderr' | 'file'>;
  /** Receives what happens in the run. */
  readonly runLog?: RunLog | undefined;
  /** Takes secrets out of what code of an author says; absent: there are none. */
  readonly redact?: (text: string) => string;
  /** Hears why the process ends on the spot, right before it does. */
  readonly onFault?: (message: string) => void;
  /** Hears once, for a bot on an account, which quote packages are opened for it, a line a market. */
  readonly onQuotePackages?: (lines: readonly string[]) => void;
  /** Ends the run early and in good order. */
  readonly interrupted?: AbortSignal;
}
