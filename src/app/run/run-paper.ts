import { join } from 'node:path';
import type { DetailedRecord } from '../../events/run-record.ts';
import { openSqliteJournal } from '../../journal/sqlite.ts';
import type { Alarm } from '../../model/notice.ts';
import { plural } from '../../model/plural.ts';
import { MINUTE_MS, type Millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { openNotices } from '../logs/notices.ts';
import { makeRunFolder } from '../storage/run-folder.ts';
import { spawnVenue } from '../venue/venue-process.ts';
import { runBot } from './assemble-bot.ts';
import { assertPermitted } from './live-checks.ts';
import { runOnAccount } from './run-account.ts';
import type { PaperOptions } from './run-options.ts';

/**
 * Runs a config over signed HTTP and both sockets, until its data ends or the caller interrupts: on the account of
 * its `broker` section, otherwise on an embedded venue, which is always stopped afterwards. Throws errors of the
 * engine.
 */
export async function runPaper(options: PaperOptions): Promise<DetailedRecord> {
  const { config, live = false, environment = {} } = options;
  assertPermitted({ config, live, environment });
  const machine = createSystemClock((forMs) => notices.raise(sleptAlarm(forMs, machine.now())));
  const notices = openNotices(options, machine);
  const noticeOptions: PaperOptions = {
    ...options,
    runLog: notices.log,
    redact: notices.redact,
    onAlarm: notices.raise,
    alarms: notices.alarms,
    onEvent: notices.event,
    onStart: (progress, folder) => {
      notices.watchDays(progress);
      options.onStart?.(progress, folder);
    },
  };
  try {
    return config.broker === undefined
      ? await runOnOwnVenue(noticeOptions, machine)
      : await runOnAccount(noticeOptions, config.broker, machine);
  } finally {
    await notices.close();
  }
}

async function runOnOwnVenue(options: PaperOptions, machine: Clock): Promise<DetailedRecord> {
  const folder = makeRunFolder(options.project, options.config.path, machine.now());
  const journalPath = join(folder.path, 'journal.db');
  const venue = await spawnVenue(options.config, options.project);
  try {
    const journal = openSqliteJournal(journalPath);
    try {
      return await runBot(options, {
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

function sleptAlarm(forMs: number, at: Millis): Alarm {
  const minutes = (forMs / MINUTE_MS).toFixed(1);
  const message = `This machine slept for ${plural(minutes, 'minute')}: quotes and positions are that much older, and nothing opens before they are read again; keep it awake while a bot trades`;
  return { code: 'machine-slept', message, at, facts: { minutes } };
}

/** Tag of the orders of paper runs. */
const DEPLOYMENT = 'DEMO';
