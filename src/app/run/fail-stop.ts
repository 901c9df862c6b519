import type { Millis } from '../../model/time.ts';
import type { Journal } from '../../ports/journal.ts';

export interface FailStop {
  readonly journal: Pick<Journal, 'append'>;
  readonly now: () => Millis;
  /** Called with the reason before the process ends. */
  readonly report: (message: string) => void;
}

const DEFECT = 1;

/**
 * Ends the process at once on an uncaught error, with the reason as the last record of the journal: a bot in an
 * unknown state must not continue to trade. Returns a function that removes the handlers.
 * @see docs/reliability.md, F-P05
 */
export function failStop({ journal, now, report }: FailStop): () => void {
  const onFault = (error: unknown): void => {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const [first = ''] = what.split('\n');
    const message = `an uncaught error: ${first}`;
    try {
      journal.append({ kind: 'run-ended', at: now(), reason: 'failed', message });
    } catch (failed) {
      report(String(failed));
    }
    report(
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
