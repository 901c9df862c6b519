import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { request } from 'undici';
import WebSocket from 'ws';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { CONTROL_COMMANDS } from '#src/wire/commands.ts';
import {
  decodeFrame,
  type EncodeOptions,
  encodeFrame,
  type Frame,
  type PushFrame,
  type ResponseFrame,
} from '#src/wire/frame.ts';
import { AuthRequestSchema, AuthResponseSchema, ErrorBodySchema } from '#src/wire/gen/control_pb.ts';
import { parseLosslessJson } from '#src/wire/lossless-json.ts';
import { decodeMessage, encodeMessage } from '#src/wire/message.ts';
import { type Credentials, signRequest, timestampText } from '#src/wire/signature.ts';
import { CREDENTIALS } from './a-venue.ts';
import { MACHINE_START } from './fixed-times.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly code: number;
  readonly message: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any response
  readonly data: any;
}

const ONE_BYTE = new Uint8Array(1);

let micros = MACHINE_START * 1_000;

/** Sends one request unchanged. */
export async function send(
  venue: RunningVenue,
  method: string,
  target: string,
  { headers = {}, body = '' }: { headers?: Record<string, string>; body?: string | Uint8Array } = {},
): Promise<HttpAnswer> {
  const answer = await request(`${venue.http}${target}`, {
    method: method as 'GET',
    headers: {
      ...(body.length > 0 ? { 'content-type': 'application/json; charset=utf-8' } : {}),
      ...headers,
    },
    ...(body.length > 0 ? { body } : {}),
  });
  const text = await answer.body.text();
  const json = parseLosslessJson(text) as { code: number; message: string; data: unknown };
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text,
    code: json.code,
    message: json.message,
    data: json.data,
  };
}

export function signed(
  method: string,
  target: string,
  {
    body = '',
    credentials = CREDENTIALS,
    timestamp,
  }: { body?: string; credentials?: Credentials; timestamp?: string } = {},
): Record<string, string> {
  const [path = '', query = ''] = target.split('?', 2);
  micros += 1;
  const stamp = timestamp ?? timestampText(micros);
  return { ...signRequest({ method, path, query, body, timestamp: stamp }, credentials) };
}

/** Signs and sends a request; an object as body is sent as JSON. */
export function call(
  venue: RunningVenue,
  method: string,
  target: string,
  {
    body,
    credentials = CREDENTIALS,
    headers = {},
  }: { body?: object; credentials?: Credentials; headers?: Record<string, string> } = {},
): Promise<HttpAnswer> {
  const text = body === undefined ? '' : JSON.stringify(body);
  return send(venue, method, target, {
    body: text,
    headers: { ...signed(method, target, { body: text, credentials }), ...headers },
  });
}

export interface StepAnswer {
  readonly time: number;
  readonly phase: string;
  readonly frames: { readonly quote: number; readonly trade: number };
}

export async function step(
  venue: RunningVenue,
  timer: number | null = null,
  quotes: 'each' | 'batched' = 'each',
): Promise<StepAnswer> {
  const answer = await request(`${venue.admin}/clock/step`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${venue.adminToken}` },
    body: JSON.stringify({ timer, quotes }),
  });
  return (await answer.body.json()) as StepAnswer;
}

/** Reads the frames of one socket. */
export class SocketClient {
  readonly pushes: PushFrame[] = [];
  /** Number of responses received, requested or not. */
  responses = 0;
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (frame: ResponseFrame) => void>();
  #waiting: { readonly count: number; readonly resolve: () => void } | undefined;
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', (code) => resolve(code)));
    socket.on('message', (data: Buffer) => this.#receive(decodeFrame(data)));
    socket.on('error', () => {});
  }

  static async open(url: string, query = '?version=1&codec=1&platform=9'): Promise<SocketClient> {
    const socket = new WebSocket(`${url}${query}`, { perMessageDeflate: false });
    const client = new SocketClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.once('error', reject);
    });
    return client;
  }

  /** Opens a socket and logs in with a fresh one-time password. */
  static async loggedIn(
    venue: RunningVenue,
    side: 'quote' | 'trade',
    credentials = CREDENTIALS,
  ): Promise<SocketClient> {
    const { data } = await call(venue, 'GET', '/v1/socket/token', { credentials });
    const client = await SocketClient.open(side === 'quote' ? venue.quoteWs : venue.tradeWs);
    await client.ask(
      { ...CONTROL_COMMANDS.auth, response: AuthResponseSchema, request: AuthRequestSchema },
      { token: data.otp },
    );
    return client;
  }

  /** Sends a request and reads its answer; throws with status and code if it is a refusal. */
  async ask<Request extends DescMessage, Response extends DescMessage>(
    command: { readonly code: number; readonly request: Request | undefined; readonly response: Response },
    fields: MessageInitShape<Request> | Record<string, never> = {},
  ): Promise<MessageShape<Response>> {
    const body =
      command.request === undefined
        ? new Uint8Array()
        : encodeMessage(command.request, fields as MessageInitShape<Request>);
    const answer = await this.exchange(command.code, body);
    if (answer.status === 0) return decodeMessage(command.response, answer.body);
    const { code, msg } = decodeMessage(ErrorBodySchema, answer.body);
    throw new Error(`status ${answer.status} code ${code}: ${msg}`);
  }

  exchange(command: number, body: Uint8Array, options: EncodeOptions = {}): Promise<ResponseFrame> {
    this.#lastId += 1;
    const requestId = this.#lastId;
    return new Promise((resolve) => {
      this.#answers.set(requestId, resolve);
      this.raw(encodeFrame({ kind: 'request', command, requestId, timeoutMs: 5_000, body }, options));
    });
  }

  raw(data: Uint8Array | string): void {
    this.#socket.send(data);
  }

  /** Resolves once this number of pushes have arrived in total. */
  async pushed(count: number): Promise<readonly PushFrame[]> {
    if (this.pushes.length < count)
      await new Promise<void>((resolve) => {
        this.#waiting = { count, resolve };
      });
    return this.pushes;
  }

  /** The bytes of the next message. */
  nextBytes(): Promise<Uint8Array> {
    return new Promise((resolve) => this.#socket.once('message', (data: Buffer) => resolve(data)));
  }

  /** Sends this number of fragments of one byte of a message that does not end. */
  fragments(count: number): void {
    for (let each = 0; each < count; each += 1) this.#socket.send(ONE_BYTE, { fin: false });
  }

  ping(): void {
    this.#socket.ping();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  ignorePings(): void {
    this.#socket.pong = () => {};
  }

  close(): void {
    this.#socket.close();
  }

  #receive(frame: Frame | { readonly kind: 'broken' }): void {
    if (frame.kind === 'response') {
      this.responses += 1;
      this.#answers.get(frame.requestId)?.(frame);
      this.#answers.delete(frame.requestId);
    } else if (frame.kind === 'push') {
      this.pushes.push(frame);
      if (this.#waiting !== undefined && this.pushes.length >= this.#waiting.count) this.#waiting.resolve();
    }
  }
}
