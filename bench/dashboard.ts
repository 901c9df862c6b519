import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { projectBots } from '../src/app/dashboard/project-bots.ts';
import { projectRuns } from '../src/app/dashboard/project-runs.ts';
import { startDashboard } from '../src/dashboard/server.ts';
import { encodeEvent } from '../src/events/codec.ts';
import type { SluiceEvent } from '../src/events/event.ts';
import { GENESIS, link } from '../src/journal/chain.ts';
import { openSqliteJournal } from '../src/journal/sqlite.ts';
import { millis } from '../src/model/time.ts';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import { heapUsed, lifeOf } from './soak.ts';

/** On the project's own disk, as a temporary folder may be in memory. */
const WORK = join(import.meta.dirname, '../.sluice');
const RECORDS = { full: 1_000_000, smoke: 6_000 } as const;
const ASKED = { full: 1_000, smoke: 20 } as const;
/** Ticks of the dashboard in ten minutes. */
const TICKS = { full: 1_200, smoke: 20 } as const;
/** Ticks of a reading browser before memory is compared. */
const WARM_TICKS = 20;
const FIRST_PAINT_MS = 1_500;
const WHY_MS = 50;
const STALLED_BYTES = 8 * 2 ** 20;
const NOW = 1_800_000_000_000;

/** The dashboard over a long journal: its first page, the history of an order, and a browser that stops reading. */
export const dashboard: Benchmark = {
  name: 'dashboard',
  async run(scale, records = RECORDS[scale]) {
    mkdirSync(WORK, { recursive: true });
    const project = mkdtempSync(join(WORK, 'bench-'));
    try {
      const journal = await longJournal(project, records);
      return await measure({ project, journal, scale });
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  },
};

interface LongJournal {
  readonly orders: number;
  readonly records: number;
  /** Writes one more order. */
  append(): void;
  close(): void;
}

interface Measured {
  readonly project: string;
  readonly journal: LongJournal;
  readonly scale: 'full' | 'smoke';
}

async function measure({ project, journal, scale }: Measured): Promise<readonly Row[]> {
  let tick = (): void => undefined;
  const served = await startDashboard({
    source: projectBots(project),
    runs: projectRuns(project),
    page: new Map(),
    port: 0,
    commands: false,
    machine: {
      now: () => millis(NOW),
      secret: () => randomBytes(32).toString('base64url'),
      pause: () => setImmediate(),
      // Ten minutes of ticks, without waiting between them.
      every: (_milliseconds, action) => {
        tick = action;
        return () => undefined;
      },
    },
  });
  /** Simulates half a second: one more order in the journal, then the dashboard's tick. */
  async function passTick(): Promise<void> {
    journal.append();
    tick();
    // Yields for the reads and writes of the tick; this process does nothing else.
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  }
  try {
    const headers = await signedIn(served.port, served.link('read'));
    const asked = { port: served.port, headers };
    const began = performance.now();
    const opened = await firstEvent(asked, '/api/bots/long/stream');
    const paintMs = performance.now() - began;
    const story = JSON.parse(await get(asked, `/api/bots/long/orders/I0`)).links.length;
    opened.destroy();
    const wholeMs = performance.now() - began;
    const reading = await firstEvent(asked, '/api/bots/long/stream');
    reading.resume();
    for (let at = 0; at < WARM_TICKS; at += 1) await passTick();
    reading.destroy();
    const whyMs: number[] = [];
    let links = 0;
    for (let at = 0; at < ASKED[scale]; at += 1) {
      const start = performance.now();
      const order = (at * 7_919) % journal.orders;
      const answer = await get(asked, `/api/bots/long/orders/I${order}`);
      whyMs.push(performance.now() - start);
      links += JSON.parse(answer).links.length;
    }
    const p99 = whyMs.toSorted((one, other) => one - other)[Math.ceil(whyMs.length * 0.99) - 1] ?? 0;
    const before = inMemory();
    const stalled = await stalledStream(asked, '/api/bots/long/stream');
    const records = 6 * TICKS[scale];
    for (let at = 0; at < TICKS[scale]; at += 1) await passTick();
    const kept = inMemory() - before;
    stalled.destroy();
    const held = { what: 'the journal was read', holds: story === 6, saw: `${journal.records} records` };
    return [
      row('dashboard-first', 'From opening a bot of a long journal to its first page', {
        ours: paintMs,
        yardstick: FIRST_PAINT_MS,
        unit: 'ms',
        gates: [held],
        notes: [
          `The page with its progress; the whole journal, with its chain checked: ${wholeMs.toFixed(0)} ms`,
        ],
      }),
      row('dashboard-why', 'The story of one order, p99 of requests one after the other', {
        ours: p99,
        yardstick: WHY_MS,
        unit: 'ms',
        gates: [
          {
            what: 'six records an order',
            holds: links === 6 * ASKED[scale],
            saw: `${links} of ${6 * ASKED[scale]}`,
          },
        ],
        notes: [],
      }),
      row('dashboard-stalled', 'Memory for a browser that reads nothing for ten minutes, 1,200 ticks', {
        ours: kept,
        yardstick: STALLED_BYTES,
        unit: 'bytes',
        gates: [{ what: 'records that came in the meantime', holds: records > 0, saw: `${records}` }],
        notes: ['Heap and buffers of the process, with the state that the new records take'],
      }),
    ];
  } finally {
    await served.close();
    journal.close();
  }
}

function row(
  id: string,
  work: string,
  { ours, yardstick, ...rest }: Pick<Row, 'unit' | 'gates' | 'notes'> & { ours: number; yardstick: number },
): Row {
  return { id, work, ours, yardstick, ratio: ours / yardstick, goal: atMost(1), ...rest };
}

/** Bytes of the heap and of buffers after garbage collection. */
function inMemory(): number {
  return heapUsed() + process.memoryUsage().arrayBuffers;
}

/** A bot that ended, with a journal of filled orders, written in one transaction with its hash chain. */
async function longJournal(project: string, records: number): Promise<LongJournal> {
  const folder = join(project, '.sluice/accounts/long');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'bot.json'),
    JSON.stringify({
      ...{ pid: 1, config: 'bot.yaml', strategy: 'cross', http: 'http://127.0.0.1:1', mode: 'paper' },
      ...{ profile: 'documented', deployment: 'AAAA', ownVenue: true },
      ...{ since: '2026-01-01T00:00:00Z', ended: '2026-01-01T00:00:00Z' },
    }),
  );
  const path = join(folder, 'journal.db');
  openSqliteJournal(path).close();
  const database = new DatabaseSync(path);
  const insert = database.prepare(
    'INSERT INTO records (seq, at, kind, intent, body, chain) VALUES (?, ?, ?, ?, ?, ?)',
  );
  let [seq, chain, orders] = [0, GENESIS, 0];
  const write = (event: SluiceEvent): void => {
    seq += 1;
    const intent = 'intentId' in event ? event.intentId : null;
    const line = { seq, at: event.at, kind: event.kind, intent, body: encodeEvent(event) };
    chain = link(chain, line);
    insert.run(seq, event.at, event.kind, intent, line.body, chain);
  };
  const append = (): void => {
    for (const event of lifeOf(orders)) write(event);
    orders += 1;
  };
  database.exec('BEGIN');
  while (seq < records) append();
  database.exec('COMMIT');
  return { orders, records: seq, append, close: () => database.close() };
}

interface Asked {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers of a browser that logged in with the link of its dashboard. */
export async function signedIn(port: number, login: string): Promise<Readonly<Record<string, string>>> {
  const own = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` };
  const answer = await fetch(`http://127.0.0.1:${port}/api/login`, {
    method: 'POST',
    headers: { ...own, 'content-type': 'application/json' },
    body: JSON.stringify({ link: login.split('#login=')[1] }),
  });
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  const { token }: { token: string } = JSON.parse(await answer.text());
  return { ...own, cookie, 'x-sluice-token': token };
}

function get({ port, headers }: Asked, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    });
    sent.end();
  });
}

/** Resolves with the stream once the first snapshot of a bot has arrived. */
function firstEvent({ port, headers }: Asked, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.on('error', () => undefined);
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (!/event: bot\ndata: .*\n\n/.test(text)) return;
        response.removeAllListeners('data');
        resolve(response);
      });
    });
    sent.end();
  });
}

/** A stream whose browser never reads from it. */
function stalledStream({ port, headers }: Asked, path: string): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.on('error', () => undefined).pause();
      resolve(sent);
    });
    sent.end();
  });
}
