import { resolve } from 'node:path';
import { brokerEnvironment } from '../../app/broker-environment.ts';
import { withDotEnv } from '../../app/dot-env.ts';
import { type BrokerDownload, downloadHistory } from '../../app/download.ts';
import { createSystemClock } from '../../app/system-clock.ts';
import { writeStamp } from '../../market-data/stamp.ts';
import { type CalendarDay, dayToUtc, type Millis } from '../../model/time.ts';
import { EXIT } from '../exit-codes.ts';
import { interruptible } from '../interruption.ts';
import type { CommandContext } from '../program.ts';
import { openProgress } from '../progress.ts';
import { UsageError } from '../usage-error.ts';
import { draftOf, type FactFlags } from './facts.ts';

/** The flags of `sluice data download`, read. */
export interface DownloadFlags
  extends FactFlags,
    Pick<BrokerDownload, 'symbol' | 'period' | 'from' | 'profile' | 'dir'> {
  readonly to?: CalendarDay;
  readonly url?: string;
  readonly quoteWsUrl?: string;
  readonly tradeWsUrl?: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

/** Fetches history into the store. Interrupted, it keeps what it has, and the same command goes on. */
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
    replace = false,
    json,
  } = flags;
  if (to !== undefined && to < from)
    throw new UsageError(`Cannot download bars from ${from} to ${to}: the last day comes before the first`);
  const machine = createSystemClock();
  const progress = openProgress(`Download ${symbol}`, terminal.view, machine);
  const told = (rows: number, oldest: Millis): void => {
    const text = `${rows} bars, back to ${writeStamp(oldest)}`;
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
      interrupted,
      onPage: (rows, oldest) => told(rows, oldest),
    }),
  );
  progress.end();
  if (json === true) terminal.out(`${JSON.stringify(outcome)}\n`);
  else if (outcome.kind === 'done') {
    const before =
      outcome.resumedFrom === 0 ? '' : `, ${outcome.resumedFrom} of them from an earlier attempt`;
    terminal.out(`Downloaded ${outcome.rows} ${period} bars of ${symbol}${before}\n  to ${outcome.path}\n`);
  } else terminal.err(`Interrupted with ${outcome.rows} bars; the same command goes on from there\n`);
  if (outcome.kind === 'interrupted') exit(EXIT.interrupted);
}
