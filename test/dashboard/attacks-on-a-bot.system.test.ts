import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knownBots } from '#src/app/control/running-bots.ts';
import { openDashboard } from '#src/app/dashboard/open-dashboard.ts';
import type { BotSnapshot } from '#src/dashboard/bot-follower.ts';
import type { Dashboard } from '#src/dashboard/server.ts';
import { millis } from '#src/model/time.ts';
import {
  anOperator,
  eventually,
  type Operator,
  secretsOf,
  type VenueChild,
  venueWithBot,
} from '../cli/a-bot-process.ts';
import { acked, drafted, intentOf } from '../fixtures/orders.ts';
import {
  type Answer,
  aBotFolder,
  aDashboard,
  type BotFolder,
  type OpenedDashboard,
  ownHeaders,
  readStream,
  type SignedIn,
  send,
  sendRaw,
  signIn,
} from './a-dashboard.ts';

/** Properties that every object has, which a record of a journal may use as names. */
const PROTOTYPE_RULES = ['__proto__', 'constructor', 'toString'];
const EVENTS = [
  ...acked(intentOf('INTENT1')),
  ...PROTOTYPE_RULES.flatMap((rule, index) => {
    const intent = intentOf(`DENIED${index}`);
    return [
      drafted(intent),
      {
        ...({ kind: 'intent-denied', at: millis(0), intentId: intent.id, rule } as const),
        ...{ reason: 'too much', numbers: [] },
      },
    ];
  }),
];

let folder: BotFolder;
let dashboard: OpenedDashboard;
let own: SignedIn;
let bot = '';

beforeAll(async () => {
  folder = aBotFolder(EVENTS);
  dashboard = await aDashboard(folder.project);
  own = await signIn(dashboard);
  bot = `/api/bots/${folder.bot}`;
});
afterAll(async () => {
  await dashboard?.close();
  folder?.close();
});

const get = (path: string, headers = own.headers): Promise<Answer> => send(dashboard.port, { path, headers });
const post = (path: string, body: unknown, headers = own.headers, port = dashboard.port): Promise<Answer> =>
  send(port, { method: 'POST', path, headers, body: JSON.stringify(body) });

/** The first snapshot of a bot's stream. */
async function snapshotOf(port: number, name: string, headers = own.headers): Promise<BotSnapshot> {
  const path = `/api/bots/${encodeURIComponent(name)}/stream`;
  const text = await readStream(port, { path, headers }, (came) => /event: bot\ndata: .*\n\n/.test(came));
  return JSON.parse(/event: bot\ndata: (.*)\n/.exec(text)?.[1] ?? '');
}

/** Opens an event stream and leaves it open; resolves with its status and a function that closes it. */
function openStream(port: number, path: string, headers: Readonly<Record<string, string>>) {
  return new Promise<{ readonly status: number; readonly ended: Promise<void>; hangUp: () => void }>(
    (resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, headers, setHost: false, agent: false });
      sent.on('error', reject);
      sent.on('response', (response) => {
        response.on('error', () => undefined).resume();
        const ended = new Promise<void>((done) => response.once('close', done));
        resolve({ status: response.statusCode ?? 0, ended, hangUp: () => void sent.destroy() });
      });
      sent.end();
    },
  );
}

describe('foreign names for this machine', () => {
  it.each([
    ['41: the end of a full domain name', (port: number) => `localhost.:${port}`],
    ['42: the address with fewer numbers', (port: number) => `127.1:${port}`],
    ['43: the address as one number', (port: number) => `2130706433:${port}`],
    ['44: the address of IPv6', (port: number) => `[::1]:${port}`],
    ['45: a user in front of a foreign name', (port: number) => `127.0.0.1:${port}@evil.example`],
    ['46: a name of localhost at another domain', (port: number) => `localhost.evil.example:${port}`],
    ['47: our port with a zero in front', (port: number) => `127.0.0.1:0${port}`],
    ['48: a list of two names', (port: number) => `127.0.0.1:${port}, evil.example`],
  ])('%s', async (_name, host) => {
    const answer = await get('/api/stream', { ...own.headers, host: host(dashboard.port) });
    expect(answer.status).toBe(403);
  });

  it('49: no name at all, as HTTP/1.0 allows', async () => {
    expect(await sendRaw(dashboard.port, 'GET /api/stream HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('50: a foreign name behind the header of a proxy', async () => {
    const headers = { ...own.headers, host: 'evil.example', 'x-forwarded-host': own.headers['host'] ?? '' };
    expect((await get('/api/stream', headers)).status).toBe(403);
  });

  it('51: a path whose letters are encoded passes no check that the plain one does not', async () => {
    for (const path of [`/%61pi/bots/${folder.bot}/at/1`, `/ap%69/bots/${folder.bot}/at/1`])
      expect((await get(path, { ...own.headers, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });
});

describe('paths and bodies', () => {
  it.each([
    ['52: dots in full-width letters', `/api/bots/${encodeURIComponent('．．／．．／etc')}/at/1`, 404],
    ['53: dots encoded twice', '/api/bots/%252e%252e%252f%252e%252e/at/1', 404],
    ['54: a path of broken UTF-8', '/api/bots/%c0%ae%c0%ae/at/1', 400],
    ['55: a bot with the name of a property that every object has', '/api/bots/__proto__/at/1', 404],
    ['56: an order with such a name', `/api/bots/paper-1/orders/__proto__`, 404],
    ['57: a file of the page through its folder', '/main.js/../../package.json', 404],
  ])('%s', async (_name, path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  it('58: numbers of records that no journal has', async () => {
    for (const seq of ['-1', '1e400', '99999999999999999999', 'NaN', '1.5', '0x10e'])
      expect((await get(`${bot}/at/${seq}`)).status).toBe(seq === '0x10e' ? 200 : 400);
    const last = JSON.parse((await get(`${bot}/at/${Number.MAX_SAFE_INTEGER}`)).body);
    expect(last.seq).toBe(EVENTS.length);
  });

  it('59: a Last-Event-ID that is no record of the journal', async () => {
    for (const id of ['-5', '1e308', `${Number.MAX_SAFE_INTEGER}`, 'x', '1,2']) {
      const path = `${bot}/stream`;
      const headers = { ...own.headers, 'last-event-id': id };
      const text = await readStream(dashboard.port, { path, headers }, (came) => /event: bot\n/.test(came));
      expect([...text.matchAll(/^id: /gm)]).toHaveLength(EVENTS.length);
    }
  });

  it('60: records that name properties of every object are counted like others', async () => {
    const { flow } = await snapshotOf(dashboard.port, folder.bot);
    expect(Object.entries(flow.deniedByRule)).toEqual(PROTOTYPE_RULES.map((rule) => [rule, 1]));
    expect(Object.hasOwn(Object.prototype, 'right')).toBe(false);
  });

  it('61: a prototype in every body changes nothing', async () => {
    const poison = '{"__proto__":{"right":"command"},"constructor":{"prototype":{"right":"command"}},';
    const answers = await Promise.all(
      [
        ['/api/login', `${poison}"link":"x"}`],
        [`${bot}/kill`, `${poison}"id":"a-kill-with-prototype"}`],
        [`${bot}/commands`, `${poison}"ticket":"x","reason":"because"}`],
      ].map(([path = '', body = '']) =>
        send(dashboard.port, { method: 'POST', path, headers: own.headers, body }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(Reflect.get({}, 'right')).toBeUndefined();
    expect(dashboard.given).toEqual([]);
  });

  it('62: a symbol that is none is refused before its ticket', async () => {
    for (const symbol of ['../../etc', 'AAPL.US; rm', '__proto__', 'aapl.us']) {
      const answer = await post(`${bot}/previews`, { command: { kind: 'flatten', symbols: [symbol] } });
      expect(answer.status).toBe(400);
    }
  });
});

describe('sessions and tickets', () => {
  it('63: a ticket is good for its own session and its own bot alone', async () => {
    const other = aBotFolder(EVENTS, { bot: 'paper-2' });
    try {
      renameSync(dirname(other.journal), join(dirname(dirname(folder.journal)), 'paper-2'));
      const preview = async (): Promise<string> =>
        JSON.parse((await post(`${bot}/previews`, { command: { kind: 'halt' } })).body).ticket;
      const second = await signIn(dashboard);
      const give = async (path: string, headers = own.headers): Promise<number> =>
        (await post(path, { ticket: await preview(), reason: 'because' }, headers)).status;
      expect(await give(`${bot}/commands`, second.headers)).toBe(409);
      expect(await give('/api/bots/paper-2/commands')).toBe(409);
      const old = await preview();
      dashboard.pass(121_000);
      expect((await post(`${bot}/commands`, { ticket: old, reason: 'because' })).status).toBe(409);
      expect(dashboard.given).toEqual([]);
    } finally {
      rmSync(join(dirname(dirname(folder.journal)), 'paper-2'), { recursive: true, force: true });
      other.close();
    }
  });

  it('64: a cookie that was set before the login does not become the session', async () => {
    const name = `sluice-${dashboard.port}`;
    const link = dashboard.link('command').split('#login=')[1];
    const headers = { ...ownHeaders(dashboard.port), cookie: `${name}=chosen-by-another` };
    const answer = await post('/api/login', { link }, headers);
    const { token } = JSON.parse(answer.body);
    expect(String(answer.headers['set-cookie'])).not.toContain('chosen-by-another');
    expect((await get(`${bot}/at/1`, { ...headers, 'x-sluice-token': token })).status).toBe(401);
  });

  it('65: a ticket of a session that signed out', async () => {
    const gone = await signIn(dashboard);
    const { ticket } = JSON.parse(
      (await post(`${bot}/previews`, { command: { kind: 'halt' } }, gone.headers)).body,
    );
    await post('/api/logout', {}, gone.headers);
    const body = { ticket, reason: 'because' };
    expect((await post(`${bot}/commands`, body, gone.headers)).status).toBe(401);
    expect((await post(`${bot}/commands`, body)).status).toBe(409);
  });

  it('66: a stream ends with its session', async () => {
    const gone = await signIn(dashboard);
    const stream = await openStream(dashboard.port, `${bot}/stream`, gone.headers);
    expect(stream.status).toBe(200);
    await post('/api/logout', {}, gone.headers);
    await stream.ended;
  });

  it('67: a read-only link can neither kill nor use the ticket of another session (S-10)', async () => {
    const reader = await signIn(dashboard, 'read');
    const { ticket } = JSON.parse((await post(`${bot}/previews`, { command: { kind: 'halt' } })).body);
    const answers = [
      await post(`${bot}/kill`, { id: 'a-kill-by-a-reader' }, reader.headers),
      await post(`${bot}/commands`, { ticket, reason: 'because' }, reader.headers),
      await post('/api/login', { link: reader.token }, reader.headers),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 401]);
    expect(dashboard.given).toEqual([]);
  });
});

describe('exhaustion', () => {
  it('68: streams of one session leave those of another alone', async () => {
    const reader = await signIn(dashboard, 'read');
    const streams = await Promise.all(
      Array.from({ length: 40 }, () => openStream(dashboard.port, '/api/stream', reader.headers)),
    );
    try {
      expect(streams.filter(({ status }) => status === 200)).toHaveLength(5);
      expect((await snapshotOf(dashboard.port, folder.bot)).name).toBe(folder.bot);
    } finally {
      for (const { hangUp } of streams) hangUp();
    }
  });

  it('69: connections that never send a whole request do not keep the operator out', async () => {
    const sockets: Socket[] = [];
    try {
      for (let opened = 0; opened < 200; opened += 1)
        await new Promise<void>((resolve) => {
          const socket = connect(dashboard.port, '127.0.0.1', resolve);
          socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: 127');
          sockets.push(socket);
        });
      expect((await get(`${bot}/at/1`)).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('70: the past is read for one page at a time, and only some may wait', async () => {
    let release = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      release = resolve;
    });
    const busy = await aDashboard(folder.project, { pause: () => turn });
    try {
      const { headers } = await signIn(busy);
      const answers = await Promise.all(
        Array.from({ length: 60 }, async () => {
          const answer = await send(busy.port, { path: `${bot}/at/2`, headers });
          // The first refusal shows that the others wait.
          if (answer.status === 429) release();
          return answer.status;
        }),
      );
      expect(answers.filter((status) => status === 200).length).toBeGreaterThanOrEqual(8);
      expect(new Set(answers)).toEqual(new Set([200, 429]));
    } finally {
      await busy.close();
    }
  });
});

describe('journals that are not files', () => {
  it.each([
    ['71: a link to the journal of another project', (path: string) => symlinkSync(folder.journal, path)],
    ['72: a pipe, which would be waited for without end', (path: string) => execFileSync('mkfifo', [path])],
    ['73: a folder', (path: string) => mkdirSync(path)],
  ])('%s', async (_name, put) => {
    const strange = aBotFolder([], { bot: 'strange' });
    rmSync(strange.journal);
    put(strange.journal);
    const opened = await aDashboard(strange.project);
    try {
      const { headers } = await signIn(opened);
      const { fault, flow } = await snapshotOf(opened.port, 'strange', headers);
      expect(fault).toContain('is no file');
      expect(flow.records).toBe(0);
    } finally {
      await opened.close();
      strange.close();
    }
  });
});

/** Keeps an order working far below the market. */
const STRATEGY = `import { defineStrategy } from '@sluice-trading/sluice';
export default defineStrategy({
  name: 'resting',
  params: {},
  onQuote: ({ symbol, quote }, { orders, position }) =>
    position(symbol).openBuys === 0
      ? orders.buy(symbol, 10, { type: 'LO', price: Math.floor(Number(quote.last) * 0.8) })
      : undefined,
});
`;

describe('a bot on the embedded venue', () => {
  let operator: Operator;
  let venue: VenueChild;
  let real: Dashboard;
  let session: SignedIn;
  let path = '';

  beforeAll(async () => {
    operator = anOperator(() => secretsOf(venue));
    venue = await venueWithBot(operator, STRATEGY);
    const running = operator.run(['bot.yaml']);
    real = await openDashboard(operator.project, { port: 0, commands: true });
    session = await signIn(real);
    await eventually(
      async () => (await operator.status())?.openOrders[0]?.orderId !== undefined,
      'a resting order',
      () => running.err(),
    );
    path = `/api/bots/${knownBots(operator.project)[0]?.name}`;
  });
  afterAll(async () => {
    await real?.close();
    await operator?.close();
  });

  const give = async (kind: string, headers = session.headers): Promise<Answer> => {
    const { ticket } = JSON.parse(
      (await post(`${path}/previews`, { command: { kind } }, headers, real.port)).body,
    );
    return post(`${path}/commands`, { ticket, reason: 'a test of the page' }, headers, real.port);
  };

  it('74: takes no command from a read-only link or another page, and its gate stays open (S-08)', async () => {
    const reader = await signIn(real, 'read');
    const foreign = { ...session.headers, origin: 'null' };
    const killed = { id: 'a-kill-by-strangers' };
    expect((await post(`${path}/kill`, killed, reader.headers, real.port)).status).toBe(403);
    expect((await post(`${path}/kill`, killed, foreign, real.port)).status).toBe(403);
    const status = await operator.status();
    expect([status?.gate.state, status?.openOrders.length]).toEqual(['active', 1]);
  });

  it('75: is paused once by a ticket, and not again by the same one after it was resumed', async () => {
    const previewed = await post(
      `${path}/previews`,
      { command: { kind: 'halt' } },
      session.headers,
      real.port,
    );
    const body = { ticket: JSON.parse(previewed.body).ticket, reason: 'a test of the page' };
    expect(JSON.parse((await post(`${path}/commands`, body, session.headers, real.port)).body).kind).toBe(
      'done',
    );
    expect((await operator.status())?.gate).toMatchObject({
      state: 'halted',
      reason: 'a test of the page (dashboard)',
    });
    expect(JSON.parse((await give('resume')).body).kind).toBe('done');
    expect((await post(`${path}/commands`, body, session.headers, real.port)).status).toBe(409);
    expect((await operator.status())?.gate.state).toBe('active');
  });

  it('76: cancels its order on the command of the page, and is killed once', async () => {
    expect(JSON.parse((await give('halt')).body).kind).toBe('done');
    expect(JSON.parse((await give('cancel-all')).body).kind).toBe('done');
    await eventually(async () => (await operator.status())?.openOrders.length === 0, 'no working order');
    const body = { id: 'a-kill-of-the-operator' };
    expect((await post(`${path}/kill`, body, session.headers, real.port)).status).toBe(200);
    await eventually(async () => (await operator.status())?.gate.state === 'killed', 'a killed gate');
    expect((await post(`${path}/kill`, body, session.headers, real.port)).status).toBe(409);
  });
});
