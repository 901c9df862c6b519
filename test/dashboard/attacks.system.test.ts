import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { millis } from '#src/model/time.ts';
import { acked, drafted, filled, fillOf, intentOf } from '../fixtures/orders.ts';
import {
  type Answer,
  aBotFolder,
  aDashboard,
  type BotFolder,
  type OpenedDashboard,
  ownHeaders,
  readStream,
  type Sent,
  type SignedIn,
  send,
  sendRaw,
  signIn,
} from './a-dashboard.ts';

const SCRIPT = '<img src=x onerror="fetch(1)"></script><script>alert(1)</script>';
const BREAK = 'x\n\nevent: bots\ndata: []\n\nid: 999\n\n';
const HOSTILE: readonly SluiceEvent[] = [
  ...acked(intentOf('INTENT1')),
  filled(fillOf('E1', 'buy', '100', '190')),
  { ...drafted(intentOf('INTENT2')), reason: SCRIPT },
  {
    ...{ kind: 'intent-denied', at: millis(0), intentId: intentOf('INTENT2').id, rule: SCRIPT },
    ...{ reason: BREAK, numbers: [{ name: SCRIPT, value: BREAK, limit: '1' }] },
  },
  { kind: 'strategy-failed', at: millis(0), message: `${SCRIPT}${BREAK}`, stack: SCRIPT },
];

let folder: BotFolder;
let dashboard: OpenedDashboard;
let own: SignedIn;
let reader: SignedIn;
let bot = '';

beforeAll(async () => {
  folder = aBotFolder(HOSTILE, { strategy: SCRIPT });
  const saved = join(folder.project, '.sluice/sweeps/saved');
  mkdirSync(saved, { recursive: true });
  writeFileSync(join(saved, 'report.html'), `<!doctype html><p>${SCRIPT}</p>`);
  writeFileSync(join(saved, 'result.json'), JSON.stringify({ schema: 'sluice.sweep/1', strategy: SCRIPT }));
  dashboard = await aDashboard(folder.project);
  own = await signIn(dashboard);
  reader = await signIn(dashboard, 'read');
  bot = `/api/bots/${folder.bot}`;
});
afterAll(async () => {
  await dashboard?.close();
  folder?.close();
});

const KILL = JSON.stringify({ id: 'an-id-of-a-kill' });

/** The page's own request with an attacker's changes. */
function changed(change: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const all: Readonly<Record<string, string | undefined>> = { ...own.headers, ...change };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function kill(headers: Readonly<Record<string, string>>, body = KILL): Promise<Answer> {
  return send(dashboard.port, { method: 'POST', path: `${bot}/kill`, headers, body });
}

/** Attacks that must be refused. */
const REFUSED: readonly (readonly [name: string, status: number, attack: () => Promise<Answer>])[] = [
  // Names of another server: DNS rebinding.
  ['1: a Host of another domain reads the bots', 403, () => get('/api/stream', { host: 'evil.example' })],
  [
    '2: a Host of another domain with our port',
    403,
    () => get('/', { host: `evil.example:${dashboard.port}` }),
  ],
  ['3: a Host without a port', 403, () => get('/', { host: '127.0.0.1' })],
  [
    '4: a Host that begins like ours',
    403,
    () => get('/', { host: `127.0.0.1:${dashboard.port}.evil.example` }),
  ],
  [
    '5: a Host with the address of all interfaces',
    403,
    () => get('/', { host: `0.0.0.0:${dashboard.port}` }),
  ],
  // Other pages: CSRF.
  ['6: a kill from another origin', 403, () => kill(changed({ origin: 'https://evil.example' }))],
  ['7: a kill from the origin null of a sandboxed frame', 403, () => kill(changed({ origin: 'null' }))],
  ['8: a kill without an Origin', 403, () => kill(changed({ origin: undefined }))],
  ['9: a kill from another port of this machine', 403, () => kill(changed({ origin: 'http://127.0.0.1:1' }))],
  [
    '10: a kill from our name over another scheme',
    403,
    () => kill(changed({ origin: `https://127.0.0.1:${dashboard.port}` })),
  ],
  [
    '11: a kill that the browser marks as cross-site',
    403,
    () => kill(changed({ 'sec-fetch-site': 'cross-site' })),
  ],
  [
    '12: a kill that the browser marks as same-site',
    403,
    () => kill(changed({ 'sec-fetch-site': 'same-site' })),
  ],
  [
    '13: a form of another kind with the cookie',
    415,
    () => kill(changed({ 'x-sluice-token': undefined, 'content-type': 'application/x-www-form-urlencoded' })),
  ],
  ['14: a form of text with the whole session', 415, () => kill(changed({ 'content-type': 'text/plain' }))],
  [
    '15: events for another origin',
    403,
    () => get('/api/stream', changed({ origin: 'https://evil.example' })),
  ],
  [
    '16: events for an EventSource, which sends the cookie alone',
    401,
    () => get('/api/stream', changed({ 'x-sluice-token': undefined, origin: undefined })),
  ],
  [
    '17: events for a page that the browser marks as cross-site',
    403,
    () => get(`${bot}/stream`, changed({ 'sec-fetch-site': 'cross-site', origin: undefined })),
  ],
  // Sessions.
  ['18: no session at all', 401, () => kill(ownHeaders(dashboard.port))],
  ['19: the token without the cookie', 401, () => kill(changed({ cookie: undefined }))],
  [
    '20: the cookie with the token of another session',
    401,
    () => kill(changed({ 'x-sluice-token': reader.token })),
  ],
  ['21: the cookie with an empty token', 401, () => kill(changed({ 'x-sluice-token': '' }))],
  [
    '22: the cookie under the name of another port',
    401,
    () => kill(changed({ cookie: own.cookie.replace(String(dashboard.port), '1') })),
  ],
  ['23: a read-only session kills', 403, () => kill(reader.headers)],
  [
    '24: a read-only session asks for a preview',
    403,
    () => post(`${bot}/previews`, '{"command":{"kind":"flatten"}}', reader.headers),
  ],
  // Paths.
  ['25: a path above the page', 404, () => get('/../package.json', own.headers)],
  ['26: an encoded path above the page', 404, () => get('/%2e%2e%2f%2e%2e%2fetc%2fpasswd', own.headers)],
  ['27: a bot named as a folder above', 404, () => get('/api/bots/..%2F..%2F..%2Fetc/at/1', own.headers)],
  ['28: a bot named with a zero byte', 404, () => get(`/api/bots/${folder.bot}%00/at/1`, own.headers)],
  [
    '29: a journal of a bot by its file',
    404,
    () => get(`/.sluice/accounts/${folder.bot}/journal.db`, own.headers),
  ],
  ['30: a record number that is none', 400, () => get(`${bot}/at/1%20OR%201=1`, own.headers)],
  // Bodies.
  [
    '31: a body larger than any command',
    413,
    () => kill(own.headers, JSON.stringify({ id: 'x'.repeat(10_000) })),
  ],
  ['32: a body that is no JSON', 400, () => kill(own.headers, '{"id":')],
  ['33: a command that there is not', 400, () => post(`${bot}/previews`, '{"command":{"kind":"withdraw"}}')],
  [
    '34: a prototype in a command',
    400,
    () => post(`${bot}/previews`, '{"command":{"kind":"halt"},"__proto__":{"right":"command"}}'),
  ],
  [
    '35: a command without its preview',
    400,
    () => post(`${bot}/commands`, '{"command":{"kind":"flatten"},"reason":"because"}'),
  ],
  [
    '36: a command with a made-up ticket',
    409,
    () => post(`${bot}/commands`, '{"ticket":"AAAA","reason":"because"}'),
  ],
];

const get = (path: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
  send(dashboard.port, { path, headers });
const post = (path: string, body: string, headers = own.headers): Promise<Answer> =>
  send(dashboard.port, { method: 'POST', path, headers, body });

describe('an attack on the dashboard is refused', () => {
  it.each(REFUSED)('%s', async (_name, status, attack) => {
    const before = [...dashboard.given];
    const answer = await attack();
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.body).not.toMatch(/node_modules|\bat \S+ \(|root:/);
    expect(dashboard.given).toEqual(before);
  });

  it('37: a command given twice', async () => {
    const body = JSON.stringify({ id: 'a-kill-of-once' });
    expect((await kill(own.headers, body)).status).toBe(200);
    expect((await kill(own.headers, body)).status).toBe(409);
    const preview = await post(`${bot}/previews`, '{"command":{"kind":"halt"}}');
    const { ticket } = JSON.parse(preview.body);
    const command = JSON.stringify({ ticket, reason: 'because of the test' });
    expect((await post(`${bot}/commands`, command)).status).toBe(200);
    expect((await post(`${bot}/commands`, command)).status).toBe(409);
    expect(dashboard.given).toEqual([`kill ${folder.bot}`, `halt ${folder.bot} because of the test`]);
  });

  it('38: a frame around the page, or a script of another host in it', async () => {
    const { headers } = await get('/', { host: `127.0.0.1:${dashboard.port}` });
    const policy = String(headers['content-security-policy']);
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "form-action 'none'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('39: text of a journal that forges events or is read as a page', async () => {
    const stream: Sent = { path: `${bot}/stream`, headers: own.headers };
    const text = await readStream(dashboard.port, stream, (came) => came.includes('event: bot\n'));
    expect(text).toContain('alert(1)');
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(HOSTILE.map((_event, index) => index + 1));
    expect(text).not.toMatch(/^event: bots$/m);
    const { headers } = await get(`${bot}/at/3`, own.headers);
    expect(headers['content-type']).toMatch(/^application\/json/);
  });

  it('40: guesses of the login link, and a link that was used (S-10)', async () => {
    const guessed = await aDashboard(folder.project);
    try {
      const headers = ownHeaders(guessed.port);
      const login = (link: string): Promise<Answer> =>
        send(guessed.port, { method: 'POST', path: '/api/login', headers, body: JSON.stringify({ link }) });
      const link = guessed.link('command').split('#login=')[1] ?? '';
      expect((await login(link)).status).toBe(200);
      expect((await login(link)).status).toBe(401);
      for (let guess = 2; guess <= 5; guess += 1) expect((await login(`guess-${guess}`)).status).toBe(401);
      const next = guessed.link('command').split('#login=')[1] ?? '';
      expect((await login(next)).status).toBe(429);
      guessed.pass(61_000);
      expect((await login(next)).status).toBe(200);
    } finally {
      await guessed.close();
    }
  });
});

/** Further attacks that must be refused, on routes that were added later. */
const REFUSED_LATER: typeof REFUSED = [
  ['prices without a session', 401, () => get(`${bot}/prices/-`, ownHeaders(dashboard.port))],
  [
    'prices for a page that the browser marks as cross-site',
    403,
    () => get(`${bot}/prices/-`, changed({ 'sec-fetch-site': 'cross-site', origin: undefined })),
  ],
  ['the pipeline without a session', 401, () => get(`${bot}/pipeline`, ownHeaders(dashboard.port))],
  [
    'the pipeline for another origin',
    403,
    () => get(`${bot}/pipeline`, changed({ origin: 'https://evil.example' })),
  ],
  [
    'the pipeline of a bot named as a folder above',
    404,
    () => get('/api/bots/..%2F../pipeline', own.headers),
  ],
  ['the list of runs without a session', 401, () => get('/api/runs', ownHeaders(dashboard.port))],
  [
    'the list of runs for another origin',
    403,
    () => get('/api/runs', changed({ origin: 'https://evil.example' })),
  ],
  [
    'a comparison with a file above',
    404,
    () => get('/api/runs/sweeps%3A..%2F..%2F..%2Fetc/with/sweeps%3A..%2Faccounts', own.headers),
  ],
  ['a run of a kind that there is not', 404, () => post(`/api/runs/accounts%3A${folder.bot}/links`, '{}')],
  ['a report named as a folder above', 404, () => post('/api/runs/sweeps%3A..%2Foutside/links', '{}')],
  ['a report named with a zero byte', 404, () => post('/api/runs/sweeps%3Asaved%00/links', '{}')],
  [
    'a link to a report for another page',
    403,
    () => post('/api/runs/sweeps%3Asaved/links', '{}', changed({ origin: 'https://evil.example' })),
  ],
  [
    'a link to a report with the cookie alone',
    401,
    () => post('/api/runs/sweeps%3Asaved/links', '{}', changed({ 'x-sluice-token': undefined })),
  ],
  ['a report by a made-up link', 404, () => get('/api/reports/AAAA', own.headers)],
  ['a report by its file', 404, () => get('/.sluice/sweeps/saved/report.html', own.headers)],
  [
    'a report by the link of another session',
    404,
    async () => get(await linkTo('saved'), { ...reader.headers, 'x-sluice-token': own.token }),
  ],
  [
    'a report by a link without a cookie',
    404,
    async () => get(await linkTo('saved'), changed({ cookie: undefined })),
  ],
  [
    'a report in a frame or a script of another page',
    403,
    async () => get(await linkTo('saved'), changed({ 'sec-fetch-site': 'cross-site', origin: undefined })),
  ],
  ['prices of a bot named as a folder above', 404, () => get('/api/bots/..%2F../prices/-', own.headers)],
  ['prices of a symbol that is a path', 400, () => get(`${bot}/prices/..%2F..%2Fetc%2Fpasswd`, own.headers)],
  [
    'prices of a symbol that is a script',
    400,
    () => get(`${bot}/prices/${encodeURIComponent(SCRIPT)}`, own.headers),
  ],
];

/** A link to the report of a sweep, as the page receives it for its own session. */
async function linkTo(name: string): Promise<string> {
  const answer = await post(`/api/runs/sweeps%3A${name}/links`, '{}');
  return JSON.parse(answer.body).href;
}

describe('a report from the disk', () => {
  it('has an opaque origin, its scripts never run, and its link works once and for a minute', async () => {
    const path = await linkTo('saved');
    // A tab that opens a link sends the cookie and no header of the session.
    const tab = changed({ 'x-sluice-token': undefined, origin: undefined });
    const shown = await get(path, tab);
    expect(shown.status).toBe(200);
    expect(shown.body).toContain(SCRIPT);
    const policy = String(shown.headers['content-security-policy']).split('; ');
    expect(policy).toContain('sandbox');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'none'");
    expect(policy).toContain("form-action 'none'");
    expect(policy.join()).not.toMatch(/allow-same-origin|https?:|\*/);
    expect(shown.headers['x-content-type-options']).toBe('nosniff');
    expect((await get(path, tab)).status).toBe(404);
    const late = await linkTo('saved');
    dashboard.pass(61_000);
    expect((await get(late, tab)).status).toBe(404);
  });
});

describe('an attack on a later route is refused', () => {
  it.each(REFUSED_LATER)('%s', async (_name, status, attack) => {
    const answer = await attack();
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.body).not.toMatch(/node_modules|\bat \S+ \(|root:/);
    expect(answer.body).not.toContain('<img');
  });
});

describe('further attacks', () => {
  it('answers the pipeline of a hostile journal as JSON, with its own rules and nothing of a bot that does not run', async () => {
    const { body, headers } = await get(`${bot}/pipeline`, own.headers);
    expect(headers['content-type']).toMatch(/^application\/json/);
    const { live, rules, flow } = JSON.parse(body);
    expect(live).toBeNull();
    expect(rules).toContain('max-order-notional');
    expect(flow.deniedByRule).toEqual({ [SCRIPT]: 1 });
    expect(flow.newest.drafted).toBe(0);
  });

  it('has no prices of a bot that does not run', async () => {
    const answer = await get(`${bot}/prices/-`, own.headers);
    expect(JSON.parse(answer.body)).toEqual({ prices: null });
  });

  it('refuses a request whose line names another server, and one that is no HTTP (S-09)', async () => {
    const { port } = dashboard;
    const absolute = await sendRaw(
      port,
      `GET http://evil.example/api/stream HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    );
    expect(absolute).toMatch(/^HTTP\/1\.1 (403|404) /);
    expect(await sendRaw(port, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('sets a cookie that scripts cannot read and that no other site sends (S-08)', async () => {
    const link = dashboard.link('read').split('#login=')[1];
    const headers = ownHeaders(dashboard.port);
    const body = JSON.stringify({ link });
    const answer = await send(dashboard.port, { method: 'POST', path: '/api/login', headers, body });
    expect(String(answer.headers['set-cookie'])).toMatch(/; HttpOnly; SameSite=Strict; Path=\/api$/);
  });

  it('permits no session command if commands are disabled', async () => {
    const silent = await aDashboard(folder.project, { commands: false });
    try {
      const { headers } = await signIn(silent, 'command');
      const path = `${bot}/kill`;
      expect((await send(silent.port, { method: 'POST', path, headers, body: KILL })).status).toBe(403);
      expect(silent.given).toEqual([]);
    } finally {
      await silent.close();
    }
  });

  it('ends a session that was not used for twelve hours, and one that signed out', async () => {
    const idle = await aDashboard(folder.project);
    try {
      const { headers } = await signIn(idle);
      const at = { path: `${bot}/at/1`, headers };
      expect((await send(idle.port, at)).status).toBe(200);
      idle.pass(12 * 3_600_000 + 1);
      expect((await send(idle.port, at)).status).toBe(401);
      const again = await signIn(idle);
      const out = { method: 'POST', path: '/api/logout', headers: again.headers, body: '{}' };
      expect((await send(idle.port, out)).status).toBe(200);
      expect((await send(idle.port, { ...at, headers: again.headers })).status).toBe(401);
    } finally {
      await idle.close();
    }
  });
});
