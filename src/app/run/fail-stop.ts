import type { Millis } from '../../model/time.ts';
import type { Journal } from '../../ports/journal.ts';

/** What a process does that no longer knows what it does. */
export interface FailStop {
  readonly journal: Pick<Journal, 'append'>;
  readonly now: () => Millis;
  /** Hears the reason, before the process ends. */
  readonly tell: (message: string) => void;
}

/** The exit code of a defect. */
const DEFECT = 1;

/**
 * From now on an error that nobody caught ends the process on the spot, with its reason as the last record of the journal:
 * half a bot must not go on trading. The result lifts that again.
 * @see docs/reliability.md, F-P05
 */
export function failStop({ journal, now, tell }: FailStop): () => void {
  const onFault = (error: unknown): void => {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const [first = ''] = what.split('\n');
    const message = `an error that nobody caught: ${first}`;
    try {
      journal.append({ kind: 'run-ended', at: now(), reason: 'failed', message });
    } catch (failed) {
      tell(String(failed));
    }
    tell(
      `Stopped by ${message}\n${what}\n  This is a defect; what is under way at the venue is recovered at the next start`,
    );
    process.exit(DEFECT);
  };
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);
  return () => {
    process.off('uncaughtException', onFault);
    process.off('unhandledRejection', onFault);
  };
}
