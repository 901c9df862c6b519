import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a service received. */
export interface Posted {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request; `attempt` counts from 1. */
export type Reply = (response: ServerResponse, attempt: number) => void;

/** A service on this machine. */
export interface ChatServer {
  readonly origin: string;
  readonly posted: readonly Posted[];
  reply: Reply;
  close(): Promise<void>;
}

/** Starts a server that records each request, with the given reply. */
export async function aChatServer(reply: Reply): Promise<ChatServer> {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      posted.push({ url: new URL(request.url ?? '', origin), headers: request.headers, body });
      chat.reply(response, posted.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const chat: ChatServer = {
    origin,
    posted,
    reply,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return chat;
}

/** Replies with JSON. */
export const json =
  (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };

/** Replies with text. */
export const text =
  (value: string, status = 200, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) => {
    response.writeHead(status, headers);
    response.end(value);
  };
