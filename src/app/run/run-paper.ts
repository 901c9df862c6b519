import { join } from 'node:path';
import type { PaperSetup } from '../../backtest/setup.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import type { FlowCounts, RunRecord } from '../../events/run-record.ts';
import type { RuleFile } from '../../hosts/rule-setup.ts';
import { openSqliteJournal } from '../../journal/sqlite.ts';
import type { Alarm } from '../../model/notice.ts';
import { plural } from '../../model/plural.ts';
import { MINUTE_MS, type Millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OriginKind } from '../../reports/origin.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { type NotifierPlan, openNotices } from '../logs/notices.ts';
import type { RunLog, RunLogOptions } from '../logs/run-log.ts';
import { makeRunFolder } from '../storage/run-folder.ts';
import { spawnVenue } from '../venue/venue-process.ts';
import { trade } from './assemble-bot.ts';
import { assertAgreed } from './live-checks.ts';
import { runOnAccount } from './run-account.ts';
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

/**
 * Runs a config on paper over signed HTTP and both sockets, until its data ends or somebody interrupts: on the account that
 * its `broker:` names, else against an embedded venue of its own, which is gone afterwards in every case. Throws what the
 * engine throws.
 */
export async function runPaper(options: PaperOptions): Promise<RunRecord> {
  const { config, live = false, environment = {} } = options;
  assertAgreed({ config, live, environment });
  const machine = createSystemClock((forMs) => notices.raise(sleptAlarm(forMs, machine.now())));
  const notices = openNotices(options, machine);
  const heard: PaperOptions = {
    ...options,
    runLog: notices.log,
    redact: notices.redact,
    onAlarm: notices.raise,
    onStart: (progress) => {
      notices.watchDays(progress);
      options.onStart?.(progress);
    },
  };
  try {
    return config.broker === undefined
      ? await runOnOwnVenue(heard, machine)
      : await runOnAccount(heard, config.broker, machine);
  } finally {
    await notices.close();
  }
}

async function runOnOwnVenue(options: PaperOptions, machine: Clock): Promise<RunRecord> {
  const folder = makeRunFolder(options.project, options.config.path, machine.now());
  const journalPath = join(folder.path, 'journal.db');
  const venue = await spawnVenue(options.config, options.project);
  try {
    const journal = openSqliteJournal(journalPath);
    try {
      return await trade(options, {
        machine,
        journal,
        ready: venue.ready,
        folder: folder.path,
        journalPath: join(folder.shown, 'journal.db'),
        ownVenue: true,
        venueGone: venue.gone,
        deployment: DEPLOYMENT,
        profile: 'documented',
        requestKey: options.config.onlyDocumented !== true,
      });
    } finally {
      journal.close();
    }
  } finally {
    await venue.stop();
  }
}

/** A bot trades on a machine that stays awake. */
function sleptAlarm(forMs: number, at: Millis): Alarm {
  const minutes = (forMs / MINUTE_MS).toFixed(1);
  const message = `This machine slept for ${plural(minutes, 'minute')}: quotes and books are so much older, and nothing opens before they are read anew; keep it awake while a bot trades`;
  return { code: 'machine-slept', message, at, facts: { minutes } };
}

/** Marks the orders of paper runs among others on one account. */
const DEPLOYMENT = 'DEMO';
