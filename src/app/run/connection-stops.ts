import type { Subject } from 'rxjs';
import type { Alarm } from '../../model/notice.ts';
import type { OperatorRequest } from '../../ports/operator.ts';
import { reserveFileDescriptors } from './reserved-descriptors.ts';

/**
 * Alarm codes of the connection, each with the restriction that lasts until an operator resumes.
 * @see docs/reliability.md, F-C01, F-N12, F-P06
 */
const STOPS: Readonly<Record<string, 'halt' | 'reduce-only'>> = {
  'clock-skew-halt': 'halt',
  'duplicate-connection': 'halt',
  'out-of-descriptors': 'halt',
  'socket-flapping': 'reduce-only',
};

/** Maximum commands kept while a bot connects; each code occurs a few times at most. */
const PENDING_MAX = 100;

/** Turns alarms of the connection into commands that stop the bot. */
export interface ConnectionStops {
  /** Sends the command of an alarm that stops a bot; keeps it until `connectTo` is called. */
  take(alarm: Pick<Alarm, 'code' | 'message'>): void;
  /** Sends commands to `by` from now on, kept ones first. */
  connectTo(by: Subject<OperatorRequest>): void;
  /** Reserves file descriptors again after an operator has resumed. */
  resumed(): void;
  /** Frees the reserved file descriptors. */
  freeDescriptors(): void;
  close(): void;
}

/**
 * Creates the stops of a bot. Reserves file descriptors so that cancels can be sent when the process has no others.
 * Throws errors of the file system.
 */
export function connectionStops(): ConnectionStops {
  const spare = reserveFileDescriptors();
  const pending: OperatorRequest[] = [];
  let commands$: Subject<OperatorRequest> | undefined;
  return {
    take({ code, message }: Pick<Alarm, 'code' | 'message'>): void {
      const kind = STOPS[code];
      if (kind === undefined) return;
      const request: OperatorRequest = { command: { kind }, by: code, reason: message, cause: code };
      if (commands$ !== undefined) commands$.next(request);
      else if (pending.length < PENDING_MAX) pending.push(request);
    },
    connectTo(by: Subject<OperatorRequest>): void {
      commands$ = by;
      for (const request of pending.splice(0)) by.next(request);
    },
    resumed(): void {
      try {
        spare.reserve();
      } catch {
        // Still none: the next connection that fails raises the alarm, which stops the bot again.
      }
    },
    freeDescriptors: spare.release,
    close: spare.release,
  };
}
