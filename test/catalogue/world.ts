import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { onTestFinished } from 'vitest';
import {
  type CatalogueAuth,
  type CatalogueClient,
  createCatalogueClient,
  type DeadlineClock,
} from '../../src/catalogue/client.ts';
import { type KeyTerms, mintKey } from '../../src/catalogue/key.ts';
import { createCatalogueServer } from '../../src/catalogue/standalone.ts';
import { type CatalogueStore, openCatalogueStore } from '../../src/catalogue/store.ts';
import { type Millis, millis } from '../../src/model/time.ts';

/** Initial time of every test's clock. */
export const START = millis(1_700_000_000_000);

/** A clock that only moves on request; moving it calls due actions. */
export class StandingClock implements DeadlineClock {
  #now = START;
  readonly #due = new Map<() => void, Millis>();

  now(): Millis {
    return this.#now;
  }

  at(at: Millis, _phase: 'timer', action: () => void): () => void {
    this.#due.set(action, at);
    return () => this.#due.delete(action);
  }

  /** Number of waiting actions. */
  get waiting(): number {
    return this.#due.size;
  }

  advance(byMs: number): void {
    this.#now = millis(this.#now + byMs);
    for (const [action, at] of this.#due) {
      if (at > this.#now) continue;
      this.#due.delete(action);
      action();
    }
  }
}

/** A served catalogue, which ends with the test. */
export interface World {
  readonly baseUrl: string;
  readonly port: number;
  readonly store: CatalogueStore;
  readonly clock: StandingClock;
  /** Stores a new key and returns its secret. */
  mint(terms?: Partial<KeyTerms>): string;
  client(auth?: CatalogueAuth): CatalogueClient;
  /** Sends a request as given, with a key that may write. */
  send(method: string, path: string, body?: string | Uint8Array, headers?: Headers): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

export async function startWorld(path = ':memory:'): Promise<World> {
  const store = openCatalogueStore(path);
  const clock = new StandingClock();
  const app = createCatalogueServer({ store, keys: store, clock });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await app.close();
    store.close();
  });
  const mint = minter(store);
  const key = mint({ scheme: 'api-key' });
  return {
    baseUrl,
    port: (app.server.address() as AddressInfo).port,
    store,
    clock,
    mint,
    client(auth = { kind: 'api-key', key }) {
      const client = createCatalogueClient({ baseUrl, auth, clock });
      onTestFinished(() => client.close());
      return client;
    },
    send: (method, target, body, headers) =>
      ask(baseUrl + target, method, body, { 'x-api-key': key, ...headers }),
  };
}

/** Secrets from bytes that differ from call to call and are equal in every run. */
function minter(store: CatalogueStore): World['mint'] {
  let count = store.keys().length;
  return (terms) => {
    count += 1;
    const whole = {
      scheme: 'bearer',
      principal: 'team',
      mayWrite: true,
      expiresAt: undefined,
      ...terms,
    } as const;
    const { secret, key } = mintKey(whole, { bytes: (length) => new Uint8Array(length).fill(count) });
    store.addKey(key);
    return secret;
  };
}

/** Sends one request; JSON unless `headers` has another content type. */
export async function ask(
  url: string,
  method: string,
  body?: string | Uint8Array,
  headers: Readonly<Record<string, string | string[]>> = {},
): Promise<Answer> {
  const answer = await request(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

/** Writes bytes to the server and returns everything it answers until either end closes. */
export function rawExchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      seen += chunk;
    });
    socket.on('close', () => resolve(seen));
    socket.on('error', (error) => (seen === '' ? reject(error) : resolve(seen)));
  });
}

/** A path in a folder that is removed after the test. */
export function temporaryFile(): string {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-catalogue-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'catalogue.db');
}

/** The error in an answer. */
export function errorOf(answer: Answer): {
  code: string;
  message: string;
  fields: { field: string; problem: string; value?: string }[];
} {
  return JSON.parse(answer.text).error;
}
