import { Buffer } from 'node:buffer';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { Observable } from 'rxjs';
import type { Dispatcher } from 'undici';
import { type Millis, millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';

/** One HTTP request, signed and ready: exactly these bytes are sent. */
export interface OutgoingRequest {
  readonly method: Dispatcher.HttpMethod;
  /** With the raw query after `?`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** '' for none. */
  readonly body: string;
}

/**
 * Result of the transmission. `not-sent` is proof that nothing was passed to a socket. `isCut`: the connection broke
 * before any answer, for example because the venue closed an idle one. `isStarved`: the system has no file descriptor
 * for a connection.
 */
export type Exchanged =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly text: string;
      readonly date: string;
      /** Machine time of the request's first byte, and of the answer's. */
      readonly sentAt: Millis;
      readonly answeredAt: Millis;
    }
  | { readonly kind: 'not-sent'; readonly message: string; readonly isStarved?: boolean }
  | { readonly kind: 'unknown'; readonly message: string; readonly isCut?: boolean };

/** The address of a request, and its deadline. */
export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly machine: Clock;
  readonly deadlineMs: number;
  /** Stops a request that is still waiting for its connection. */
  readonly cancelConnection?: () => void;
  /** Receives an answer that arrives after the deadline; without it the connection is closed at the deadline. */
  readonly late?: LateListener;
  /** Called right before the first byte; a returned reason stops the request. */
  readonly blockedReason?: (() => string | undefined) | undefined;
}

/** Listener for the time after the deadline of a request whose bytes were sent. */
export interface LateListener {
  /** Called at the deadline; false closes the connection. */
  readonly begin: () => boolean;
  /** How long it listens after the deadline, in milliseconds of machine time. */
  readonly forMs: number;
  /**
   * Called once after a `begin` that returned true: with the answer, or `unknown` if none came or the connection
   * broke.
   */
  readonly end: (exchanged: Exchanged) => void;
}

/**
 * Sends one request once. Emits once and completes, never errors; unsubscribing aborts. undici passes the controller
 * right before it writes the first byte, so a failure before that proves that nothing was sent. Redirects are answers
 * and are not followed. @see docs/reliability.md, "Submits and unknown orders"; F-N03 to F-N08
 */
export function exchange(request: OutgoingRequest, options: ExchangeOptions): Observable<Exchanged> {
  return new Observable((subscriber) => {
    const { dispatcher, machine, deadlineMs } = options;
    const chunks: Buffer[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let listening: LateListener | undefined;
    let status = 0;
    let date = '';
    let sentAt = machine.now();
    let answeredAt = sentAt;

    function finish(result: Exchanged): void {
      if (isOver) {
        endLate(result);
        return;
      }
      isOver = true;
      cancelTimer();
      subscriber.next(result);
      subscriber.complete();
    }

    function endLate(result: Exchanged): void {
      const listener = listening;
      listening = undefined;
      if (listener === undefined) return;
      cancelTimer();
      listener.end(result);
    }

    function stop(reason: string): void {
      if (controller === undefined) options.cancelConnection?.();
      else controller.abort(new Error(reason));
    }

    /** The caller needs no more; later results are passed to the other listeners. */
    function listenAfterDeadline(late: LateListener): void {
      listening = late;
      cancelTimer = machine.at(millis(machine.now() + late.forMs), 'timer', () => {
        const message = `no complete response within ${deadlineMs + late.forMs} ms`;
        endLate({ kind: 'unknown', message });
        stop(message);
      });
    }

    let cancelTimer = machine.at(millis(machine.now() + deadlineMs), 'timer', () => {
      const message = `no complete response within ${deadlineMs} ms`;
      if (controller === undefined) {
        finish({ kind: 'not-sent', message: `no connection: ${message}` });
        stop(message);
        return;
      }
      const late = options.late?.begin() === true ? options.late : undefined;
      finish({ kind: 'unknown', message });
      if (late === undefined) stop(message);
      else listenAfterDeadline(late);
    });

    dispatcher.dispatch(
      {
        method: request.method,
        path: request.target,
        headers: { ...request.headers },
        body: request.body === '' ? null : request.body,
      },
      {
        onRequestStart(given) {
          if (isOver) {
            given.abort(new Error('cancelled before it was sent'));
            return;
          }
          const why = options.blockedReason?.();
          if (why === undefined) {
            controller = given;
            sentAt = machine.now();
          } else {
            finish({ kind: 'not-sent', message: why });
            given.abort(new Error(why));
          }
        },
        onResponseStart(_controller, statusCode, headers) {
          status = statusCode;
          answeredAt = machine.now();
          date = typeof headers['date'] === 'string' ? headers['date'] : '';
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          const text = Buffer.concat(chunks).toString('utf8');
          finish({ kind: 'answered', status, text, date, sentAt, answeredAt });
        },
        onResponseError(_controller, error) {
          const message = reasonOf(error);
          if (controller === undefined) {
            const isStarved = STARVED.test(message) || isOutOfDescriptors();
            finish({ kind: 'not-sent', message, ...(isStarved ? { isStarved } : {}) });
          } else finish({ kind: 'unknown', message, isCut: status === 0 });
        },
      },
    );

    return () => {
      if (isOver) return;
      isOver = true;
      cancelTimer();
      stop('the caller cancelled the request');
    };
  });
}

/** The process, or the whole system, has reached its limit of open files (F-P06). */
const STARVED = /^(?:EMFILE|ENFILE): /;

/**
 * A name that cannot be resolved for lack of a descriptor fails like one that does not exist, so this opens one as a
 * test.
 */
function isOutOfDescriptors(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return false;
  } catch (error) {
    return STARVED.test(reasonOf(error));
  }
}

/** Several addresses of one name fail together; the first reason is used for all. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return error.message.startsWith(code) || code === '' ? error.message : `${code}${error.message}`;
}
