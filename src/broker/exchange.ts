import { Buffer } from 'node:buffer';
import { Observable } from 'rxjs';
import type { Dispatcher } from 'undici';
import { millis } from '../model/time.ts';
import type { Clock } from '../ports/clock.ts';

/** One HTTP request, signed and ready: exactly these bytes go out. */
export interface OutgoingRequest {
  readonly method: Dispatcher.HttpMethod;
  /** With the raw query behind `?`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** '' for none. */
  readonly body: string;
}

/** What became of the bytes. `not-sent` is proof: nothing was handed to a socket. */
export type Exchanged =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string; readonly date: string }
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** Where a request goes out, and how long it may take in all. */
export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly machine: Clock;
  readonly deadlineMs: number;
  /** Stops a request that still waits for its connection. */
  readonly abandon?: () => void;
}

/**
 * Sends one request once. Emits once and completes, never errors; unsubscribing aborts. undici hands over the controller
 * right before it writes the first byte, so whatever fails before that was not sent.
 * Redirects are answers like any other: nothing follows them.
 */
export function exchange(request: OutgoingRequest, options: ExchangeOptions): Observable<Exchanged> {
  return new Observable((subscriber) => {
    const { dispatcher, machine, deadlineMs } = options;
    const chunks: Buffer[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    let over = false;
    let status = 0;
    let date = '';

    function finish(result: Exchanged): void {
      if (over) return;
      over = true;
      cancelDeadline();
      subscriber.next(result);
      subscriber.complete();
    }

    function stop(reason: string): void {
      if (controller === undefined) options.abandon?.();
      else controller.abort(new Error(reason));
    }

    const cancelDeadline = machine.at(millis(machine.now() + deadlineMs), 'timer', () => {
      const message = `no whole answer within ${deadlineMs} ms`;
      const sent = controller !== undefined;
      finish(
        sent ? { kind: 'unknown', message } : { kind: 'not-sent', message: `no connection: ${message}` },
      );
      stop(message);
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
          if (over) given.abort(new Error('given up before it was sent'));
          else controller = given;
        },
        onResponseStart(_controller, statusCode, headers) {
          status = statusCode;
          date = typeof headers['date'] === 'string' ? headers['date'] : '';
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          finish({ kind: 'answered', status, text: Buffer.concat(chunks).toString('utf8'), date });
        },
        onResponseError(_controller, error) {
          finish({ kind: controller === undefined ? 'not-sent' : 'unknown', message: reasonOf(error) });
        },
      },
    );

    return () => {
      if (over) return;
      over = true;
      cancelDeadline();
      stop('nobody waits for the answer any more');
    };
  });
}

/** Several addresses of one name fail together; the first reason stands for all. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return error.message.startsWith(code) || code === '' ? error.message : `${code}${error.message}`;
}
