import { openReplayVenue, type VenueSettings } from '../app/replay-venue.ts';
import type { LaunchedVenue } from '../app/venue-launch.ts';
import { interruptible } from './interruption.ts';
import type { Terminal } from './terminal.ts';

/** The flags of `sluice venue`, read. */
export interface VenueFlags extends VenueSettings {
  readonly json?: boolean;
  readonly untilStdinEnds?: boolean;
}

/** Opens a venue, says where it is, and keeps it open until somebody ends it. */
export async function openVenue(
  flags: VenueFlags,
  { terminal, project }: { readonly terminal: Terminal; readonly project: string },
): Promise<void> {
  await interruptible(async (interrupted) => {
    const venue = await openReplayVenue(flags, project);
    terminal.out(flags.json === true ? `${JSON.stringify(readyLine(venue))}\n` : readyText(venue));
    await over(interrupted, flags.untilStdinEnds === true);
    await venue.close();
  });
}

function readyLine(venue: LaunchedVenue): Readonly<Record<string, string>> {
  const { http, quoteWs, tradeWs, admin, credentials } = venue;
  return { http, quoteWs, tradeWs, ...(admin === undefined ? {} : { admin }), ...credentials };
}

function readyText(venue: LaunchedVenue): string {
  const rows = Object.entries(readyLine(venue)).map(([name, value]) => `  ${name.padEnd(12)} ${value}`);
  return [
    'The venue is open. Test credentials, good for this venue only:',
    ...rows,
    'Ctrl-C closes it.',
    '',
  ].join('\n');
}

function over(interrupted: AbortSignal, untilStdinEnds: boolean): Promise<void> {
  return new Promise((resolve) => {
    interrupted.addEventListener('abort', () => resolve(), { once: true });
    if (interrupted.aborted) resolve();
    if (untilStdinEnds)
      process.stdin
        .once('close', () => resolve())
        .once('end', () => resolve())
        .resume();
  });
}
