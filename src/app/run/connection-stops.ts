import type { Subject } from 'rxjs';
import type { Alarm } from '../../model/notice.ts';
import type { OperatorRequest } from '../../ports/operator.ts';
import { reserveFileDescriptors } from './reserved-descriptors.ts';

/**
 * What is wrong with the connection, and how far it stops the bot until an operator resumes.
 * @see docs/reliability.md, F-C01, F-N12, F-P06
 */
const STOPS: Readonly<Record<string, 'halt' | 'reduce-only'>> = {
  'clock-skew-halt': 'halt',
  'duplicate-connection': 'halt',
  'out-of-descriptors': 'halt',
  'socket-flapping': 'reduce-only',
};

/** Each code that stops comes once while a bot connects, or a few times. */
const EARLY_MAX = 100;

/**
 * Makes commands of alarms that stop a bot; what comes before it can hear of anything is kept until it can. Descriptors are
 * held back while there are any, so that cancels can leave when there are none; throws what the file system throws.
 */
export function connectionStops() {
  const spare = reserveFileDescriptors();
  const early: OperatorRequest[] = [];
  let ears: Subject<OperatorRequest> | undefined;
  return {
    take({ code, message }: Pick<Alarm, 'code' | 'message'>): void {
      const kind = STOPS[code];
      if (kind === undefined) return;
      const request: OperatorRequest = { command: { kind }, by: code, reason: message, cause: code };
      if (ears !== undefined) ears.next(request);
      else if (early.length < EARLY_MAX) early.push(request);
    },
    heard(by: Subject<OperatorRequest>): void {
      ears = by;
      for (const request of early.splice(0)) by.next(request);
    },
    /** An operator says that the cause is gone. */
    resumed(): void {
      try {
        spare.hold();
      } catch {
        // There are none again: the next connection that cannot be opened says so, and stops the bot once more.
      }
    },
    freeDescriptors: spare.give,
    close: spare.give,
  };
}
