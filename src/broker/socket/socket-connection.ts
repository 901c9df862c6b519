import { Observable } from 'rxjs';
import type { RawData, WebSocket } from 'ws';
import { type Millis, millis } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { CONTROL_COMMANDS, type RequestCommand } from '../../wire/commands.ts';
import {
  decodeFrame,
  encodeFrame,
  type PushFrame,
  type RequestFrame,
  type ResponseFrame,
} from '../../wire/frame.ts';
import { ErrorBodySchema } from '../../wire/gen/control_pb.ts';
import { decodeMessage } from '../../wire/message.ts';
import { RESPONSE_STATUS, SOCKET_REFUSALS } from '../../wire/socket-status.ts';
import { BrokerError } from '../broker-error.ts';
import type { BrokerSettings } from '../settings.ts';
import { decodeBody, encodeBody, type FieldsOf, type ResponseTo, type SocketCall } from './command-call.ts';
import type { ConnectionEnd } from './connection-end.ts';
import { watchConnection } from './connection-watch.ts';

/** Dependencies of a connection. */
export interface SocketConnectionParts {
  readonly socket: WebSocket;
  readonly name: string;
  readonly machine: Clock;
  readonly settings: BrokerSettings;
  readonly safe: (text: string) => string;
  readonly onPush: (push: PushFrame) => void;
  /** Called exactly once. */
  readonly onEnd: (end: ConnectionEnd) => void;
}

interface PendingRequest {
  readonly command: number;
  answer(frame: ResponseFrame): void;
  fail(error: BrokerError): void;
}

const REQUEST_ID_MAX = 0xff_ff_ff_ff;
const CLOSE_TIMEOUT_MS = 500;

/**
 * One open connection of the socket protocol: numbered questions and their answers, pushes, and the watch over silence.
 * Whatever arrives, nothing is thrown: bytes that are no frame end the connection, unexpected answers are counted.
 * @see docs/wire-protocol.md, "The sockets"; docs/reliability.md, F-N10, F-N19, F-B31 to F-B33
 */
export class SocketConnection {
  readonly #parts: SocketConnectionParts;
  readonly #waiting = new Map<number, PendingRequest>();
  readonly #stopWatch: Cancel;
  #lastReceivedAt: Millis;
  #nextId = 1;
  #end: ConnectionEnd | undefined;
  #unmatchedResponses = 0;

  constructor(parts: SocketConnectionParts) {
    const { socket, machine, settings } = parts;
    this.#parts = parts;
    this.#lastReceivedAt = machine.now();
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('ping', () => this.#onReceived());
    socket.on('pong', () => this.#onReceived());
    socket.on('error', (error) => this.#finish({ kind: 'dropped', reason: error.message }));
    socket.on('close', (code) => this.#finish({ kind: 'dropped', reason: `web socket close ${code}` }));
    this.#stopWatch = watchConnection({
      machine,
      settings,
      lastReceivedAt: () => this.#lastReceivedAt,
      ping: () => socket.ping(),
      onSuspended: () => this.#onReceived(),
      onSilent: (forMs) => this.#finish({ kind: 'silent', forMs }),
    });
  }

  /** Number of answers that came twice, too late, or to a question that was never sent. */
  get unmatchedResponses(): number {
    return this.#unmatchedResponses;
  }

  readonly request: SocketCall = (command, fields) =>
    new Observable((subscriber) => {
      const endpoint = `${this.#parts.name}, command ${command.code}`;
      if (this.#end !== undefined) {
        subscriber.error(lost(endpoint));
        return;
      }
      const id = this.#nextFreeId();
      const dispose = this.#wait(id, {
        command: command.code,
        answer: (frame) => {
          try {
            const answer = this.#read(command, frame, endpoint);
            subscriber.next(answer);
            subscriber.complete();
          } catch (error) {
            subscriber.error(error);
          }
        },
        fail: (error) => subscriber.error(error),
      });
      this.#send({ id, command, fields });
      return dispose;
    });

  /** Closes the connection with a close frame, and forcibly soon after; resolves when it is gone. */
  close(): Promise<void> {
    const { socket, machine } = this.#parts;
    this.#finish({ kind: 'closed-by-us' }, false);
    if (socket.readyState === socket.CLOSED) return Promise.resolve();
    return new Promise((resolve) => {
      const cancelTimeout = machine.at(millis(machine.now() + CLOSE_TIMEOUT_MS), 'timer', () =>
        socket.terminate(),
      );
      socket.once('close', () => {
        cancelTimeout();
        resolve();
      });
      socket.close(1000);
    });
  }

  #send<C extends RequestCommand>(request: { id: number; command: C; fields: FieldsOf<C> }): void {
    const { id, command, fields } = request;
    const frame: RequestFrame = {
      kind: 'request',
      command: command.code,
      requestId: id,
      timeoutMs: this.#parts.settings.socketAnswerMs,
      body: encodeBody(command, fields),
    };
    this.#parts.socket.send(encodeFrame(frame), { binary: true, compress: false });
  }

  #wait(id: number, waiting: PendingRequest): Cancel {
    const { machine, settings, name } = this.#parts;
    const cancelTimer = machine.at(millis(machine.now() + settings.socketAnswerMs), 'timer', () => {
      forget();
      const message = `No response on the ${name} to command ${waiting.command} within ${settings.socketAnswerMs} ms`;
      waiting.fail(
        new BrokerError('socket-timeout', message, {
          endpoint: `${name}, command ${waiting.command}`,
          retryable: true,
        }),
      );
    });
    const forget = (): void => {
      cancelTimer();
      this.#waiting.delete(id);
    };
    this.#waiting.set(id, waiting);
    return forget;
  }

  /** From 1 up to 2^32 - 1 and round again, skipping those still waiting. */
  #nextFreeId(): number {
    let id = this.#nextId;
    while (this.#waiting.has(id)) id = nextId(id);
    this.#nextId = nextId(id);
    return id;
  }

  #onReceived(): void {
    this.#lastReceivedAt = this.#parts.machine.now();
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#end !== undefined) return;
    this.#onReceived();
    if (!isBinary) {
      this.#finish({ kind: 'broken-frame', reason: 'a text message' });
      return;
    }
    const frame = decodeFrame(bytesOf(data));
    switch (frame.kind) {
      case 'broken':
        this.#finish({ kind: 'broken-frame', reason: `${frame.code}, ${frame.reason}` });
        return;
      case 'response':
        this.#onResponse(frame);
        return;
      case 'push':
        if (frame.command === CONTROL_COMMANDS.close.code) this.#onVenueClose(frame);
        else this.#parts.onPush(frame);
        return;
      case 'request':
        this.#echo(frame);
    }
  }

  #onResponse(frame: ResponseFrame): void {
    const waiting = this.#waiting.get(frame.requestId);
    if (waiting === undefined || waiting.command !== frame.command) {
      this.#unmatchedResponses += 1;
      return;
    }
    this.#waiting.delete(frame.requestId);
    waiting.answer(frame);
  }

  /** A venue may send heartbeats; other requests of a venue are not answered. */
  #echo(frame: RequestFrame): void {
    const { command, requestId, body } = frame;
    if (command !== CONTROL_COMMANDS.heartbeat.code) {
      this.#unmatchedResponses += 1;
      return;
    }
    const answer = { kind: 'response', command, requestId, status: RESPONSE_STATUS.success, body } as const;
    this.#parts.socket.send(encodeFrame(answer), { binary: true, compress: false });
  }

  #onVenueClose(frame: PushFrame): void {
    try {
      const { code, reason } = decodeMessage(CONTROL_COMMANDS.close.push, frame.body);
      this.#finish({ kind: 'announced', code, reason: this.#parts.safe(reason) });
    } catch {
      this.#finish({ kind: 'broken-frame', reason: 'an unreadable close push' });
    }
  }

  #read<C extends RequestCommand>(command: C, frame: ResponseFrame, endpoint: string): ResponseTo<C> {
    if (frame.status !== RESPONSE_STATUS.success) throw this.#refusal(frame, endpoint);
    try {
      return decodeBody(command, frame.body);
    } catch (cause) {
      throw new BrokerError('bad-answer', `Cannot read the response on the ${endpoint}`, {
        endpoint,
        retryable: false,
        cause,
      });
    }
  }

  #refusal(frame: ResponseFrame, endpoint: string): BrokerError {
    const { code, message } = refusalOf(frame.body);
    const retryable = frame.status === RESPONSE_STATUS.serverTimeout || RETRYABLE_REFUSALS.has(code);
    const text = `Refused on the ${endpoint}: status ${frame.status}, code ${code}: ${this.#parts.safe(message)}`;
    return new BrokerError('socket-refused', text, { endpoint, retryable, venueCode: code });
  }

  #finish(end: ConnectionEnd, hangUp = true): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#stopWatch();
    if (hangUp) this.#parts.socket.terminate();
    const waiting = [...this.#waiting.values()];
    for (const each of waiting) each.fail(lost(`${this.#parts.name}, command ${each.command}`));
    this.#waiting.clear();
    this.#parts.onEnd(end);
  }
}

const RETRYABLE_REFUSALS: ReadonlySet<number> = new Set([
  SOCKET_REFUSALS.rateLimited.code,
  SOCKET_REFUSALS.serverError.code,
]);

function refusalOf(body: Uint8Array): { readonly code: number; readonly message: string } {
  try {
    const { code, msg } = decodeMessage(ErrorBodySchema, body);
    return { code: Number(code), message: msg };
  } catch {
    return { code: 0, message: 'unreadable reason' };
  }
}

function lost(endpoint: string): BrokerError {
  return new BrokerError('socket-lost', `The connection broke before a response on the ${endpoint}`, {
    endpoint,
    retryable: true,
  });
}

function nextId(id: number): number {
  return id === REQUEST_ID_MAX ? 1 : id + 1;
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
