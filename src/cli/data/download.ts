import { resolve } from 'node:path';
import { brokerEnvironment } from '../../app/broker/broker-environment.ts';
import { type BrokerDownload, downloadHistory } from '../../app/broker/download.ts';
import { createSystemClock } from '../../app/clock/system-clock.ts';
import { withDotEnv } from '../../app/credentials/dot-env.ts';
import { missingDaysText } from '../../market-data/check-times.ts';
import type { DownloadedSeries } from '../../market-data/download-bars.ts';
import { writeStamp } from '../../market-data/stamp.ts';
import { plural } from '../../model/plural.ts';
import { marketOf } from '../../model/symbol.ts';
import { type CalendarDay, dayToUtc, MINUTE_MS, type Millis, millis } from '../../model/time.ts';
import { interruptible } from '../bots/interruption.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { openProgress } from '../output/progress.ts';
import { UsageError } from '../usage-error.ts';
import { draftOf, type FactFlags } from './facts.ts';

/** The parsed flags of `sluice data download`. */
export interface DownloadFlags
  extends FactFlags,
    Pick<BrokerDownload, 'symbol' | 'period' | 'from' | 'profile' | 'dir'> {
  readonly to?: CalendarDay;
  readonly url?: string;
  readonly quoteWsUrl?: string;
  readonly tradeWsUrl?: string;
  readonly gap?: number;
  readonly replace?: boolean;
  readonly json?: boolean;
}

/** Downloads history into the store. When interrupted, it keeps the data so far, and the same command resumes. */
export async function downloadData(
  flags: DownloadFlags,
  { terminal, project, exit }: CommandContext,
): Promise<void> {
  const {
    symbol,
    period,
    from,
    to,
    profile,
    url: httpUrl,
    quoteWsUrl,
    tradeWsUrl,
    gap: gapMinutes,
    replace = false,
    json,
  } = flags;
  if (to !== undefined && to < from)
    throw new UsageError(`Cannot download bars from ${from} to ${to}: the last day comes before the first`);
  const machine = createSystemClock();
  const progress = openProgress(`Download ${symbol}`, terminal.view, machine);
  const showProgress = (rows: number, oldest: Millis): void => {
    const text = `${plural(rows, 'bar')}, back to ${writeStamp(oldest)}`;
    if (!terminal.view.isTTY) terminal.err(`${text}\n`);
    const begin = dayToUtc(from);
    const until = to === undefined ? machine.now() : dayToUtc(to);
    progress.at((until - oldest) / Math.max(1, until - begin), text);
  };
  const outcome = await interruptible((interrupted) =>
    downloadHistory({
      broker: brokerEnvironment(withDotEnv(process.env, project), { httpUrl, quoteWsUrl, tradeWsUrl }),
      project,
      warn: (text) => progress.say(`${text}\n`),
      profile,
      symbol,
      period,
      from,
      to,
      dir: resolve(project, flags.dir),
      draft: draftOf(flags),
      replace,
      gapMinutes,
      interrupted,
      onPage: (rows, oldest) => showProgress(rows, oldest),
    }),
  );
  progress.end();
  if (outcome.kind === 'interrupted') {
    if (json === true) terminal.out(`${JSON.stringify(outcome)}\n`);
    else
      terminal.err(
        `Interrupted with ${plural(outcome.rows, 'bar')}; the same command continues from there\n`,
      );
    return exit(EXIT.interrupted);
  }
  const faults = faultsOf(outcome);
  const isComplete = faults.length === 0;
  if (json === true) terminal.out(`${JSON.stringify({ ...outcome, isComplete })}\n`);
  else {
    const before =
      outcome.resumedFrom === 0 ? '' : `, ${outcome.resumedFrom} of them from an earlier attempt`;
    const word = isComplete ? 'Downloaded' : 'Incomplete: downloaded';
    terminal.out(
      `${word} ${plural(outcome.rows, `${period} bar`)} of ${symbol}${before}\n  to ${outcome.path}\n`,
    );
    terminal.out(`  from ${writeStamp(millis(outcome.first))} to ${writeStamp(millis(outcome.last))}\n`);
    if (!outcome.isVerified)
      terminal.out(`  not verified: the trading days of ${marketOf(symbol)} are not known\n`);
    for (const fault of faults) terminal.err(`  ${fault}\n`);
    if (!isComplete) terminal.err(`${WHAT_NEXT}\n`);
  }
  if (!isComplete) exit(EXIT.failedCheck);
}

const WHAT_NEXT =
  'Import the missing bars from another source, or use --from and --to for the days that the venue has';

/** Maximum number of faults of one kind that are listed. */
const LISTED_MAX = 10;

/** What a series lacks, one sentence each; empty if it covers every requested trading day and session. */
function faultsOf({ missing, conflicts }: DownloadedSeries): readonly string[] {
  return [
    ...listed(
      missing.flatMap(({ days }) => (days.length === 0 ? [] : [missingDaysText(days)])),
      'stretches of trading days without a bar',
    ),
    ...listed(missing.flatMap(({ parts }) => parts).map(missingPart), 'gaps within trading days'),
    ...listed(conflicts.map(conflictText), 'stamps with two different bars'),
  ];
}

function listed(all: readonly string[], what: string): readonly string[] {
  const more = all.length - LISTED_MAX;
  return more <= 0 ? all : [...all.slice(0, LISTED_MAX), `and ${more} more ${what}`];
}

type MissingPart = DownloadedSeries['missing'][number]['parts'][number];

function missingPart({ day, open, close, openMs }: MissingPart): string {
  const minutes = plural(Math.round(openMs / MINUTE_MS), 'minute');
  return `No bar for ${minutes} of trading on ${day}, from ${writeStamp(open)} to ${writeStamp(close)}`;
}

function conflictText(time: number): string {
  return `Two different bars of ${writeStamp(millis(time))}: the one with the greater volume was stored`;
}
