import { Socket } from 'node:net';
import { defer, tap } from 'rxjs';
import type { Broker } from '#src/ports/broker.ts';
import type { Journal } from '#src/ports/journal.ts';
import type { Request } from '#src/ports/task.ts';
import { toObservable } from '#src/ports/to-observable.ts';
import { DOCUMENTED_ENDPOINTS } from '#src/wire/documented.ts';
import { findEndpoint } from '#src/wire/endpoints.ts';
import type { KillPoint } from './plan.ts';

/** Phase of a process: before or after its recovery. */
export interface Stage {
  during: 'recovery' | 'session';
}

/** Bytes of a request that are sent before a process dies at its first byte. */
const FIRST_BYTES = 20;
/** Milliseconds for which an answer stays unread, longer than a venue on this machine needs to send one. */
const UNREAD_MS = 25;

/** Ends this process as `kill -9` does: nothing is flushed, and no listener runs. */
export function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}

/** A journal whose appends may end the process. */
export function dyingJournal(journal: Journal, kill: KillPoint | undefined, stage: Stage): Journal {
  let seen = 0;
  return {
    ...journal,
    append: (event) => {
      if (kill?.at !== 'before-append' && kill?.at !== 'after-append') return journal.append(event);
      const isMeant = event.kind === kill.kind && stage.during === kill.during;
      if (isMeant) seen += 1;
      if (!isMeant || seen !== kill.nth) return journal.append(event);
      if (kill.at === 'after-append') journal.append(event);
      return die();
    },
  };
}

/** A broker whose answers, or the requests before them, may end the process. */
export function dyingBroker(broker: Broker, kill: KillPoint | undefined): Broker {
  let seen = 0;
  const count = (): boolean => {
    seen += 1;
    return seen === kill?.nth;
  };
  const after = <T>(name: 'submit' | 'cancel', call: Request<T>): Request<T> =>
    toObservable(call).pipe(
      tap(() => {
        if (kill?.at === 'after-answer' && kill.call === name && count()) die();
      }),
    );
  const before = <T>(name: string, call: () => Request<T>): Request<T> =>
    defer(() => {
      if (kill?.at === 'question' && kill.call === name && count()) die();
      return toObservable(call());
    });
  return {
    ...broker,
    submit: (order) => after('submit', broker.submit(order)),
    cancel: (id) => after('cancel', broker.cancel(id)),
    executionsToday: (id, purpose) => before('executionsToday', () => broker.executionsToday(id, purpose)),
    positions: (purpose) => before('positions', () => broker.positions(purpose)),
    cashPostings: (span) => before('moneyMoves', () => broker.cashPostings(span)),
    balance: (currency, purpose) => before('balance', () => broker.balance(currency, purpose)),
    ordersToday: (purpose, scope) => before('ordersToday', () => broker.ordersToday(purpose, scope)),
    ordersBefore: (from) => before('ordersBefore', () => broker.ordersBefore(from)),
  };
}

/**
 * Makes this process die while the bytes of a request are being sent. It hooks into sockets, the last point under our
 * control.
 */
export function dieOnTheWire(kill: KillPoint | undefined): void {
  if (kill?.at !== 'first-byte' && kill?.at !== 'last-byte' && kill?.at !== 'unread-answer') return;
  const { write } = Socket.prototype;
  const { at, method, nth } = kill;
  let seen = 0;
  const wrapped = function (this: Socket, ...written: Parameters<typeof write>): boolean {
    const [chunk] = written;
    const isMeant = typeof chunk === 'string' && chunk.startsWith(`${method} /v1/trade/order`);
    if (isMeant) seen += 1;
    if (!isMeant || seen !== nth) return write.apply(this, written);
    if (at === 'first-byte') {
      write.call(this, String(chunk).slice(0, FIRST_BYTES), 'latin1');
      while (this.writableCorked > 0) this.uncork();
      die();
    }
    const uncork = this.uncork.bind(this);
    this.uncork = () => {
      uncork();
      if (at === 'unread-answer') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, UNREAD_MS);
      die();
    };
    return write.apply(this, written);
  };
  Socket.prototype.write = wrapped as typeof write;
}

/** Ends this process with an error at the first request that the source document does not describe. */
export function failBeyondDocument(): void {
  const { write } = Socket.prototype;
  const wrapped = function (this: Socket, ...written: Parameters<typeof write>): boolean {
    const [chunk] = written;
    const [, method = '', target = ''] = /^([A-Z]+) (\/v[^ ?]*)[^ ]* HTTP/.exec(String(chunk)) ?? [];
    if (method !== '') {
      const found = findEndpoint(method, target);
      if (found.kind !== 'found' || !DOCUMENTED_ENDPOINTS.has(found.name)) {
        process.stderr.write(`Asked for ${method} ${target}, which the source document does not have\n`);
        process.exit(3);
      }
    }
    return write.apply(this, written);
  };
  Socket.prototype.write = wrapped as typeof write;
}
