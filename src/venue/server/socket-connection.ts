import type { WebSocket } from 'ws';
import { type Millis, millis, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { CONTROL_COMMANDS } from '../../wire/commands.ts';
import { encodeFrame, type RequestFrame } from '../../wire/frame.ts';
import { type Close_Code, CloseSchema, ErrorBodySchema } from '../../wire/gen/control_pb.ts';
import { encodeMessage } from '../../wire/message.ts';
import { RESPONSE_STATUS, type SocketRefusal } from '../../wire/socket-status.ts';
import type { Language } from '../calls/language.ts';
import type { Faults } from '../faults/faults.ts';
import { corruptedFrame, withUnknownRequestId } from '../faults/faulty-frames.ts';
import { CLOSE_TIMEOUT_MS, CONFLATE_BYTES, QUEUE_BYTES } from './limits.ts';
import type { PushCounts, SocketSide } from './push-counts.ts';
import type { SocketSession } from './socket-sessions.ts';

const BINARY = { binary: true, compress: false } as const;
const TEXT = { binary: false, compress: false } as const;
/** A slow connection whose queue would take longer than this is cut, like one that is never read. */
const DELIVERY_DELAY_MS_MAX = 60_000;

export class SocketConnection {
  readonly side: SocketSide;
  /** Undefined until the client has logged in. */
  session: SocketSession | undefined;
  language: Language = 'en';
  /** Set by a pong, cleared by our ping. */
  answersPings = true;
  readonly #socket: WebSocket;
  readonly #counts: PushCounts;
  readonly #drained: (connection: SocketConnection) => void;
  readonly #faults: Pick<Faults, 'onFrame'>;
  readonly #machine: Clock;
  /** When a slow connection will have sent everything queued so far. */
  #deliveredAt: Millis = millis(0);
  #isSilent = false;
  /** True once closing has begun; the connection is cut if the client does not close it. */
  #isClosing = false;
  #congested = false;
  readonly #counted = { message: { since: millis(0), count: 0 }, ping: { since: millis(0), count: 0 } };

  constructor(parts: {
    readonly side: SocketSide;
    readonly socket: WebSocket;
    readonly counts: PushCounts;
    /** Called when a long queue has become short. */
    readonly drained: (connection: SocketConnection) => void;
    readonly faults: Pick<Faults, 'onFrame'>;
    readonly machine: Clock;
  }) {
    this.side = parts.side;
    this.#socket = parts.socket;
    this.#counts = parts.counts;
    this.#drained = parts.drained;
    this.#faults = parts.faults;
    this.#machine = parts.machine;
  }

  /** True while so much is queued that quotes are conflated. */
  get congested(): boolean {
    return this.#congested;
  }

  /** Counts a message or ping of the client; returns false above the limit per second of machine time. */
  admits(kind: 'message' | 'ping', now: Millis, perSecond: number): boolean {
    const counted = this.#counted[kind];
    if (now - counted.since >= SECOND_MS) {
      counted.since = now;
      counted.count = 0;
    }
    counted.count += 1;
    return counted.count <= perSecond;
  }

  respond(request: RequestFrame, body: Uint8Array): void {
    const { command, requestId } = request;
    this.#send(
      encodeFrame({ kind: 'response', command, requestId, status: RESPONSE_STATUS.success, body }),
      'response',
    );
  }

  refuse(request: RequestFrame, refusal: SocketRefusal): void {
    const { command, requestId } = request;
    const body = encodeMessage(ErrorBodySchema, { code: BigInt(refusal.code), msg: refusal.message });
    this.#send(
      encodeFrame({ kind: 'response', command, requestId, status: refusal.status, body }),
      'response',
    );
  }

  /** Sends an encoded push frame and counts it for the account. */
  push(frame: Uint8Array): void {
    if (this.session === undefined) return;
    this.#counts.add(this.session.accountId, this.side);
    this.#send(frame, 'push');
  }

  ping(payload: Uint8Array): void {
    this.answersPings = false;
    if (!this.#isSilent) this.#socket.ping(payload);
  }

  /** Sends the reason, then closes. `webSocketCode` is the WebSocket close code. */
  closeWithReason(code: Close_Code, reason: string, webSocketCode: number): void {
    if (this.#isSilent) {
      this.cut();
      return;
    }
    const body = encodeMessage(CloseSchema, { code, reason });
    this.#send(encodeFrame({ kind: 'push', command: CONTROL_COMMANDS.close.code, body }), 'close');
    this.#socket.close(webSocketCode, reason);
    if (this.#isClosing) return;
    this.#isClosing = true;
    // Otherwise a client that ignores the close would occupy its connection for half a minute.
    const cancelTimeout = this.#machine.at(millis(this.#machine.now() + CLOSE_TIMEOUT_MS), 'timer', () =>
      this.cut(),
    );
    this.#socket.once('close', cancelTimeout);
  }

  /** Cuts the connection without a close frame. */
  cut(): void {
    if (this.#isSilent) this.#socket.resume();
    this.#socket.terminate();
  }

  #send(frame: Uint8Array, kind: 'response' | 'push' | 'close'): void {
    const fault = kind === 'close' || this.#isSilent ? undefined : this.#faults.onFrame(this.side, kind);
    switch (fault?.knob) {
      case undefined:
        this.#writeSlowly(frame, Number.POSITIVE_INFINITY);
        return;
      case 'net.bandwidth':
        this.#writeSlowly(frame, fault.bytesPerS);
        return;
      case 'venue.frame': {
        const { bytes, isText } = corruptedFrame(fault.form, frame);
        this.#socket.send(bytes, isText ? TEXT : BINARY);
        return;
      }
      case 'venue.reqid':
        if (fault.form === 'unknown') this.#write(withUnknownRequestId(frame));
        if (fault.form === 'twice') this.#write(frame);
        if (fault.form !== 'silent') this.#write(frame);
        return;
      case 'net.slicer':
        this.#writeSliced(frame, fault.bytes);
        return;
      case 'net.blackhole':
        this.#goSilent();
        return;
    }
  }

  /** Stops reading and writing but stays open, like a half-open connection. */
  #goSilent(): void {
    this.#isSilent = true;
    this.#socket.pause();
  }

  /** Sends a frame when a connection of this speed would have delivered it, after earlier frames. */
  #writeSlowly(frame: Uint8Array, bytesPerS: number): void {
    const now = this.#machine.now();
    const at = Math.max(now, this.#deliveredAt) + (1_000 * frame.length) / bytesPerS;
    if (at <= now) {
      this.#write(frame);
      return;
    }
    this.#deliveredAt = millis(Math.ceil(at));
    if (at - now > DELIVERY_DELAY_MS_MAX) this.cut();
    else this.#machine.at(this.#deliveredAt, 'answer', () => this.#write(frame));
  }

  /** Sends one message in fragments of `bytes` bytes. */
  #writeSliced(frame: Uint8Array, bytes: number): void {
    for (let from = 0; from < frame.length; from += bytes) {
      const fin = from + bytes >= frame.length;
      this.#socket.send(frame.subarray(from, from + bytes), { ...BINARY, fin }, this.#sent);
    }
  }

  #write(frame: Uint8Array, as: typeof BINARY | typeof TEXT = BINARY): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN || this.#isSilent) return;
    socket.send(frame, as, this.#sent);
    if (socket.bufferedAmount > CONFLATE_BYTES) this.#congested = true;
    if (socket.bufferedAmount > QUEUE_BYTES) this.cut();
  }

  readonly #sent = (): void => {
    if (!this.#congested || this.#socket.bufferedAmount > CONFLATE_BYTES / 2) return;
    this.#congested = false;
    this.#drained(this);
  };
}
