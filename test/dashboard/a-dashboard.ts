import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { every } from '#src/app/clock/every.ts';
import { projectBots } from '#src/app/dashboard/project-bots.ts';
import { projectRuns } from '#src/app/dashboard/project-runs.ts';
import type { BotSource } from '#src/dashboard/bot-source.ts';
import { contentType, type PageFiles } from '#src/dashboard/page-files.ts';
import { type Dashboard, startDashboard } from '#src/dashboard/server.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { type Millis, millis } from '#src/model/time.ts';

/** A project folder with one bot that ended, and its journal. */
export interface BotFolder {
  readonly project: string;
  readonly bot: string;
  /** Path of the journal. */
  readonly journal: string;
  close(): void;
}

/** Writes the journal of a bot that ended; its name and info may contain anything. */
export function aBotFolder(
  events: readonly SluiceEvent[],
  { bot = 'paper-1', strategy = 'trend' }: { readonly bot?: string; readonly strategy?: string } = {},
): BotFolder {
  const project = mkdtempSync(join(tmpdir(), 'sluice-dashboard-'));
  const folder = join(project, '.sluice/accounts', bot);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'journal.db');
  const journal = openSqliteJournal(path);
  for (const event of events) journal.append(event);
  journal.close();
  const card = {
    ...{ pid: 1, config: 'bot.yaml', strategy, http: 'http://127.0.0.1:1', profile: 'documented' },
    ...{ deployment: 'AAAA', ownVenue: true, since: '2026-01-05T00:00:00Z', ended: '2026-01-05T01:00:00Z' },
  };
  writeFileSync(join(folder, 'bot.json'), JSON.stringify(card));
  return { project, bot, journal: path, close: () => rmSync(project, { recursive: true, force: true }) };
}

/** A dashboard over a folder that records commands and does not carry them out. */
export interface OpenedDashboard extends Dashboard {
  /** Every command that was accepted. */
  readonly given: readonly string[];
  /** Advances the dashboard's clock. */
  pass(milliseconds: number): void;
}

const PAGE: PageFiles = new Map([
  ['/', { type: contentType('index.html') ?? '', body: Buffer.from('<!doctype html><title>page</title>') }],
  ['/main.js', { type: contentType('main.js') ?? '', body: Buffer.from('0') }],
]);

interface Options {
  readonly commands?: boolean;
  /** Yields to other work of the process. */
  readonly pause?: () => Promise<void>;
}

/** Opens a dashboard over the real journal reader of a project. */
export async function aDashboard(
  project: string,
  { commands = true, pause = () => setImmediate() }: Options = {},
): Promise<OpenedDashboard> {
  const given: string[] = [];
  let now = 1_800_000_000_000;
  const source: BotSource = {
    ...projectBots(project),
    command: async (name, command, reason) => {
      given.push(`${command.kind} ${name} ${reason}`);
      return { kind: 'done', message: 'done' };
    },
    kill: async (name) => {
      given.push(`kill ${name}`);
      return { kind: 'done', message: 'killed' };
    },
  };
  const dashboard = await startDashboard({
    ...{ source, commands, port: 0, page: PAGE, runs: projectRuns(project) },
    machine: {
      ...{ every, pause },
      now: (): Millis => millis(now),
      secret: () => randomBytes(32).toString('base64url'),
    },
  });
  return {
    ...dashboard,
    given,
    pass: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** A request with exactly these headers, without those that a browser would add. */
export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export function send(port: number, { method = 'GET', path, headers = {}, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, setHost: false, agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    sent.end(body);
  });
}

/** Writes text to the port as it is, and resolves with all answers once the server closes the connection. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      answer += part;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

/** Headers of the page itself: same origin, with its session. */
export interface SignedIn {
  readonly headers: Readonly<Record<string, string>>;
  readonly cookie: string;
  readonly token: string;
}

/** Logs in as the page does. */
export async function signIn(dashboard: Dashboard, right: 'command' | 'read' = 'command'): Promise<SignedIn> {
  const { port } = dashboard;
  const link = dashboard.link(right).split('#login=')[1];
  const headers = ownHeaders(port);
  const body = JSON.stringify({ link });
  const answer = await send(port, { method: 'POST', path: '/api/login', headers, body });
  if (answer.status !== 200) throw new Error(`Cannot sign in: ${answer.status} ${answer.body}`);
  const cookie = String(answer.headers['set-cookie']?.[0]).split(';')[0] ?? '';
  const { token } = JSON.parse(answer.body);
  return { cookie, token, headers: { ...headers, cookie, 'x-sluice-token': token } };
}

/** Headers of every request of the page, logged in or not. */
export function ownHeaders(port: number): Readonly<Record<string, string>> {
  return {
    host: `127.0.0.1:${port}`,
    origin: `http://127.0.0.1:${port}`,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
  };
}

/** Reads server-sent events until `isEnough` holds for them, then closes the connection. */
export function readStream(
  port: number,
  { path, headers = {} }: Sent,
  isEnough: (text: string) => boolean,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, setHost: false, agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (!isEnough(text)) return;
        resolve(text);
        sent.destroy();
      });
      response.on('end', () => resolve(text));
      response.on('error', () => undefined);
    });
    sent.end();
  });
}
