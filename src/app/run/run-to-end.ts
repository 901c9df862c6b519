import { Subject } from 'rxjs';
import type { Engine, Stop } from '../../engine/engine.ts';
import { VenueProcessError } from '../venue/venue-process.ts';

/** Drives the market until the data ends, the engine fails, the venue ends, or the caller interrupts. */
export async function runToEnd(
  engine: Engine,
  drive: (stopped: () => boolean) => Promise<void>,
  venueGone: Promise<string>,
  interrupted: AbortSignal | undefined,
): Promise<void> {
  const stop$ = new Subject<Stop>();
  let over = false;
  const done = new Promise<void>((resolve, reject) => {
    engine.run(stop$).subscribe({ error: reject, complete: resolve });
  }).finally(() => {
    over = true;
  });
  const died = venueGone.then((output): never => {
    throw new VenueProcessError(
      `The embedded venue ended while the bot was trading: ${output === '' ? 'without output' : output}`,
    );
  });
  try {
    await Promise.race([drive(() => over || interrupted?.aborted === true), done, died]);
    const reason = interrupted?.aborted === true ? 'interrupted' : 'finished';
    stop$.next({ reason, message: '' });
  } catch (error) {
    stop$.next({ reason: 'failed', message: error instanceof Error ? error.message : String(error) });
    await done;
    throw error;
  }
  await done;
}
