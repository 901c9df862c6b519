import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { millis } from '#src/model/time.ts';
import { failure, success } from '#src/wire/envelope.ts';
import { decodeFrame, encodeFrame, type RequestFrame } from '#src/wire/frame.ts';
import {
  AuthRequestSchema,
  AuthResponseSchema,
  type Close_Code,
  CloseSchema,
  ErrorBodySchema,
  ReconnectRequestSchema,
} from '#src/wire/gen/control_pb.ts';
import {
  SecurityQuoteResponseSchema,
  SubscribeRequestSchema,
  SubscriptionResponseSchema,
} from '#src/wire/gen/quote_pb.ts';
import { SubResponseSchema, SubSchema } from '#src/wire/gen/trade_pb.ts';
import { decodeMessage, encodeMessage } from '#src/wire/message.ts';
import type { Credentials } from '#src/wire/signature.ts';
import { verifySignature } from '#src/wire/verify-signature.ts';

export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

export type HttpHandler = (request: Arrived, response: ServerResponse) => void;
export type SocketHandler = (frame: RequestFrame, line: FakeLine) => void;

/** One client on a socket of the fake venue. */
export interface FakeLine {
  readonly name: 'quote' | 'trade';
  readonly requests: RequestFrame[];
  readonly socket: WebSocket;
  pings: number;
  answer(to: RequestFrame, body: Uint8Array, gzipFrom?: number): void;
  refuse(
    to: RequestFrame,
    refusal: { readonly status: number; readonly code: number; readonly msg: string },
  ): void;
  push(command: number, body: Uint8Array, gzipFrom?: number): void;
  /** Announces the close and closes the connection. */
  hangUp(code: Close_Code): void;
}

/** A venue that handles passwords, sessions and subscriptions, and otherwise does only what a test tells it to do. */
export interface FakeVenue {
  readonly httpUrl: string;
  readonly quoteWsUrl: string;
  readonly tradeWsUrl: string;
  readonly arrived: Arrived[];
  readonly timestamps: string[];
  readonly signaturesRefused: () => number;
  /** HTTP connections accepted so far. */
  readonly connections: () => number;
  readonly lines: FakeLine[];
  readonly passwordsUsed: string[];
  readonly sessionsResumed: string[];
  knowsSessions: boolean;
  acceptsPasswords: boolean;
  on(target: string, handler: HttpHandler): void;
  onCommand(socket: 'quote' | 'trade', command: number, handler: SocketHandler): void;
  of(path: string): Arrived[];
  line(name: 'quote' | 'trade'): FakeLine;
  close(): Promise<void>;
}

export const CREDENTIALS: Credentials = {
  appKey: 'ak-canary-7d1f',
  appSecret: 'as-canary-93ba',
  accessToken: 'at-canary-55c2',
};

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export async function startFakeVenue(): Promise<FakeVenue> {
  const handlers = new Map<string, HttpHandler>();
  const commands = new Map<string, SocketHandler>();
  const arrived: Arrived[] = [];
  const timestamps: string[] = [];
  const lines: FakeLine[] = [];
  const passwords = new Set<string>();
  const passwordsUsed: string[] = [];
  const sessionsResumed: string[] = [];
  let connections = 0;
  let refused = 0;
  let issued = 0;

  const http = createServer((request, response) => {
    response.sendDate = false;
    readBody(request, (body) => {
      const [path = '', query = ''] = (request.url ?? '').split('?');
      const one: Arrived = { method: request.method ?? '', path, query, body, headers: request.headers };
      arrived.push(one);
      timestamps.push(String(request.headers['x-timestamp']));
      if (!signed(one)) {
        refused += 1;
        answerJson(response, 403, failure(403201, 'signature invalid'));
        return;
      }
      const handler = handlers.get(`${one.method} ${path}`) ?? handlers.get(path);
      if (handler === undefined) answerJson(response, 404, failure(404000, 'path not found'));
      else handler(one, response);
    });
  });
  http.on('connection', () => {
    connections += 1;
  });

  handlers.set('/v1/test', (_request, response) => answerJson(response, 200, success({})));
  handlers.set('/v1/socket/token', (_request, response) => {
    issued += 1;
    passwords.add(`otp-canary-${issued}`);
    answerJson(response, 200, success({ otp: `otp-canary-${issued}`, limit: 10, online: 0 }));
  });

  const venue: FakeVenue = {
    httpUrl: '',
    quoteWsUrl: '',
    tradeWsUrl: '',
    arrived,
    timestamps,
    signaturesRefused: () => refused,
    connections: () => connections,
    lines,
    passwordsUsed,
    sessionsResumed,
    knowsSessions: true,
    acceptsPasswords: true,
    on: (target, handler) => handlers.set(target, handler),
    onCommand: (socket, command, handler) => commands.set(`${socket} ${command}`, handler),
    of: (path) => arrived.filter((each) => each.path === path),
    line(name) {
      const line = lines.findLast((each) => each.name === name);
      if (line === undefined) throw new Error(`No client is on the ${name} socket`);
      return line;
    },
    async close() {
      for (const server of sockets) {
        for (const client of server.clients) client.terminate();
        server.close();
      }
      http.closeAllConnections();
      await Promise.all([http, ...upgrades].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };

  const upgrades: Server[] = [];
  const sockets: WebSocketServer[] = [];

  async function socketServer(name: 'quote' | 'trade'): Promise<string> {
    const server = createServer();
    const webSockets = new WebSocketServer({ server, perMessageDeflate: false });
    upgrades.push(server);
    sockets.push(webSockets);
    webSockets.on('connection', (socket) => {
      const line = lineOn(name, socket);
      lines.push(line);
      socket.on('ping', () => {
        line.pings += 1;
      });
      socket.on('message', (data: Buffer) => {
        const frame = decodeFrame(data);
        if (frame.kind !== 'request') return;
        line.requests.push(frame);
        const handler = commands.get(`${name} ${frame.command}`) ?? DEFAULTS[`${name} ${frame.command}`];
        if (handler !== undefined) handler(frame, line);
        else greet(frame, line);
      });
    });
    return `ws://127.0.0.1:${await listen(server)}`;
  }

  function greet(frame: RequestFrame, line: FakeLine): void {
    if (frame.command === 2) {
      const { token } = decodeMessage(AuthRequestSchema, frame.body);
      if (venue.acceptsPasswords && passwords.delete(token)) {
        passwordsUsed.push(token);
        line.answer(frame, session(`session-canary-${lines.length}`));
        return;
      }
    }
    if (frame.command === 3) {
      const { sessionId } = decodeMessage(ReconnectRequestSchema, frame.body);
      if (venue.knowsSessions) {
        sessionsResumed.push(sessionId);
        line.answer(frame, session(`session-canary-${lines.length}`));
        return;
      }
    }
    line.refuse(frame, { status: 5, code: 401003, msg: 'unauthenticated' });
  }

  const httpPort = await listen(http);
  return Object.assign(venue, {
    httpUrl: `http://127.0.0.1:${httpPort}`,
    quoteWsUrl: await socketServer('quote'),
    tradeWsUrl: await socketServer('trade'),
  });
}

const DEFAULTS: Readonly<Record<string, SocketHandler>> = {
  'trade 16': (frame, line) => {
    const { topics } = decodeMessage(SubSchema, frame.body);
    line.answer(frame, encodeMessage(SubResponseSchema, { success: topics, current: topics }));
  },
  'quote 6': (frame, line) => {
    const { symbol, subType } = decodeMessage(SubscribeRequestSchema, frame.body);
    const subList = symbol.map((each) => ({ symbol: each, subType }));
    line.answer(frame, encodeMessage(SubscriptionResponseSchema, { subList }));
  },
  'quote 7': (frame, line) => line.answer(frame, new Uint8Array(0)),
  'quote 11': (frame, line) => line.answer(frame, encodeMessage(SecurityQuoteResponseSchema, {})),
};

function session(sessionId: string): Uint8Array {
  return encodeMessage(AuthResponseSchema, { sessionId, expires: 4_000_000_000_000n, limit: 10, online: 1 });
}

function lineOn(name: 'quote' | 'trade', socket: WebSocket): FakeLine {
  const send = (bytes: Uint8Array): void => socket.send(bytes, { binary: true });
  return {
    name,
    socket,
    requests: [],
    pings: 0,
    answer: ({ command, requestId }, body, gzipFrom) =>
      send(
        encodeFrame(
          { kind: 'response', command, requestId, status: 0, body },
          gzipFrom === undefined ? {} : { gzipFrom },
        ),
      ),
    refuse: ({ command, requestId }, { status, code, msg }) => {
      const body = encodeMessage(ErrorBodySchema, { code: BigInt(code), msg });
      send(encodeFrame({ kind: 'response', command, requestId, status, body }));
    },
    push: (command, body, gzipFrom) =>
      send(encodeFrame({ kind: 'push', command, body }, gzipFrom === undefined ? {} : { gzipFrom })),
    hangUp(code) {
      send(
        encodeFrame({ kind: 'push', command: 0, body: encodeMessage(CloseSchema, { code, reason: 'test' }) }),
      );
      socket.close();
    },
  };
}

function signed(request: Arrived): boolean {
  const { headers } = request;
  const verdict = verifySignature(
    {
      ...request,
      apiKey: String(headers['x-api-key'] ?? ''),
      authorization: headers.authorization ?? '',
      timestamp: String(headers['x-timestamp'] ?? ''),
      signature: String(headers['x-api-signature'] ?? ''),
    },
    {
      appOf: (key) =>
        key === CREDENTIALS.appKey
          ? { appSecret: CREDENTIALS.appSecret, acceptsToken: (token) => token.startsWith('at-canary-') }
          : undefined,
      now: millis(0),
      skewMs: 0,
    },
  );
  return verdict.kind === 'ok';
}

function readBody(request: IncomingMessage, use: (body: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => use(Buffer.concat(chunks).toString('utf8')));
  request.on('error', () => undefined);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
