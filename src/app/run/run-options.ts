import type { PaperSetup } from '../../backtest/setup.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import type { BotState } from '../../events/bot-state.ts';
import type { SluiceEvent } from '../../events/event.ts';
import type { FlowCounts } from '../../events/run-record.ts';
import type { RuleFile } from '../../hosts/rules/rule-worker.ts';
import type { Alarm } from '../../model/notice.ts';
import type { Millis } from '../../model/time.ts';
import type { OriginKind } from '../../reports/origin.ts';
import type { NotifierPlan } from '../load/load-run.ts';
import type { RunLog, RunLogOptions } from '../logs/run-log.ts';
import type { Watching } from './watch-run.ts';

export interface Progress {
  readonly origin: OriginKind;
  readonly marketTime: Millis;
  readonly flow: FlowCounts;
  /** NaN until the account was read, or while a price is missing. */
  readonly equity: number;
  readonly gate: string;
  /** Restrictions of the gate with their reasons, as texts; empty while it is active. */
  readonly gateTexts: readonly string[];
}

export interface PaperOptions {
  readonly config: BotConfig;
  readonly setup: PaperSetup;
  /** File of the strategy, which runs in its own worker. */
  readonly strategyFile: string;
  /** Files of several strategies, in the config's order; absent or empty if there is only one. */
  readonly memberFiles?: readonly string[];
  /** Files of custom risk rules, which run in another worker. */
  readonly ruleFiles?: readonly RuleFile[];
  /** Notifiers for alarms and day summaries. */
  readonly notifiers?: readonly NotifierPlan[];
  /** Applies saved changes while the bot runs; absent: none. Never with real money. */
  readonly watching?: Watching;
  readonly project: string;
  /** True if the user gave `--live`: real money. */
  readonly live?: boolean;
  /** Contains credentials, and addresses that the config omits, for a broker account. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /**
   * Called once other processes can reach the bot, with a function that returns the state of the run, and the bot's
   * folder.
   */
  readonly onStart?: (progress: () => Progress, folder: string) => void;
  readonly onAlarm?: (alarm: Alarm) => void;
  /** The newest alarm of each code and symbol in this run, the newest first; absent: none are kept. */
  readonly alarms?: () => readonly Alarm[];
  /** Destination of the run's log; absent: no log. */
  readonly log?: Pick<RunLogOptions, 'level' | 'stderr' | 'file'>;
  readonly runLog?: RunLog | undefined;
  /** Called with every event of the run, after it was folded into the state. */
  readonly onEvent?: (event: SluiceEvent, state: BotState) => void;
  /** Removes secrets from texts of plugins; absent: there are none. */
  readonly redact?: (text: string) => string;
  /** Called with the reason before the process ends itself. */
  readonly onFault?: (message: string) => void;
  /** Called once, for a bot on an account, with its quote packages, one line per market. */
  readonly onQuotePackages?: (lines: readonly string[]) => void;
  /** Ends the run early and cleanly. */
  readonly interrupted?: AbortSignal;
}
