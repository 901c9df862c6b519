import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { systemRandom } from '#src/app/clock/system-random.ts';
import { BOT_INFO_FILE, socketPath } from '#src/app/control/bot-info.ts';
import { killBot } from '#src/app/control/kill-bot.ts';
import { openKillMark } from '#src/app/control/kill-mark.ts';
import { cancelsText, mayTrade } from '#src/app/control/kill-order.ts';
import { namedBot } from '#src/app/control/running-bots.ts';
import { type BrokerClient, createBrokerClient } from '#src/broker/connect.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId, isTerminalStatus, orderId } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { termsOf } from '../../fixtures/orders.ts';
import { answerOf } from '../../fixtures/tasks.ts';
import { aVenue, CREDENTIALS, MARKET_START, type VenueUnderTest } from '../../venue/a-venue.ts';

const TERMS = termsOf({ symbol: securitySymbol('700.HK'), type: 'LO', price: decimal('300') });
const ENVIRONMENT = {
  SLUICE_APP_KEY: CREDENTIALS.appKey,
  SLUICE_APP_SECRET: CREDENTIALS.appSecret,
  SLUICE_ACCESS_TOKEN: CREDENTIALS.accessToken,
};

/** A process id above any that a system assigns. */
const NO_PROCESS = 2 ** 30;

let project = '';
let folder = '';
const clients: BrokerClient[] = [];

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-kill-'));
  folder = join(project, '.sluice/accounts/here');
  mkdirSync(folder, { recursive: true });
  openKillMark(folder).close();
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  rmSync(project, { recursive: true });
});

function clientOf({ venue }: VenueUnderTest, deployment: string): BrokerClient {
  const client = createBrokerClient({
    ...{ httpUrl: venue.http, quoteWsUrl: venue.quoteWs, tradeWsUrl: venue.tradeWs },
    ...{ credentials: CREDENTIALS, profile: PROFILES.documented, random: systemRandom, deployment },
    machine: createSystemClock(),
    market: () => millis(0),
  });
  clients.push(client);
  return client;
}

interface HungBot {
  readonly under: VenueUnderTest;
  readonly ours: BrokerClient;
}

/** A venue with two orders of the bot and one of another installation, and a running bot that hangs. */
async function hungBot(): Promise<HungBot> {
  const under = await aVenue({ machine: createSystemClock() });
  const ours = clientOf(under, 'TEST');
  const theirs = clientOf(under, 'ELSE');
  for (const id of ['AAAABBBBCCCCDDD2', 'AAAABBBBCCCCDDD3'])
    await answerOf(ours.broker.submit({ intentId: intentId(id), terms: TERMS }));
  await answerOf(theirs.broker.submit({ intentId: intentId('AAAABBBBCCCCDDD4'), terms: TERMS }));
  const card = {
    ...{ pid: process.pid, config: 'bot.yaml', strategy: 'by-hand', http: under.venue.http },
    ...{ profile: 'documented', deployment: 'TEST', ownVenue: false, since: '2026-01-01T00:00:00.000Z' },
  };
  writeFileSync(join(folder, BOT_INFO_FILE), JSON.stringify(card));
  return { under, ours };
}

/** Moves the market, which is otherwise paused, so that it processes the cancels. */
async function step({ under }: HungBot, toMs: number): Promise<void> {
  await fetch(`${under.venue.admin}/clock/step`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${under.venue.adminToken}` },
    body: JSON.stringify({ timer: MARKET_START + toMs, quotes: 'batched' }),
  });
}

/**
 * Kills while the market moves: the first cancels have arrived by then, and the list is read again a second later.
 */
async function killOn(
  bot: HungBot,
  {
    from = 0,
    once: begins = Promise.resolve(),
    ...change
  }: { from?: number; once?: Promise<void>; foreign?: boolean } = {},
): ReturnType<typeof killBot> {
  const killing = kill(change);
  let isOver = false;
  const over = killing.finally(() => {
    isOver = true;
  });
  await Promise.race([over, begins]);
  for (let ms = from + 100; !isOver; ms += 100) {
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 100))]);
    await step(bot, ms);
  }
  return killing;
}

/** A time at which the market is open and has traded. */
const OPEN_MS = 11 * 60_000;

/** A proxy for the venue that changes what it passes on. */
interface Front {
  /** Called before a cancel is passed on. */
  readonly onCancel?: () => Promise<void>;
  /** Changes a row of the list of orders. */
  readonly row?: (row: Record<string, unknown>) => Record<string, unknown>;
}

/** Kills a bot whose requests to the venue go through a proxy. */
async function killThrough(
  { under }: HungBot,
  { onCancel, row }: Front,
  killed: () => ReturnType<typeof killBot>,
): ReturnType<typeof killBot> {
  const front = createHttpServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    if (method === 'DELETE') await onCancel?.();
    const { connection: _, host: __, 'content-length': ___, ...passed } = headers;
    const body = await text(request);
    const answer = await fetch(`${under.venue.http}${url}`, {
      method,
      headers: passed as Record<string, string>,
      body: body === '' ? null : body,
    });
    response.writeHead(answer.status, { date: answer.headers.get('date') ?? '' });
    const words = await answer.text();
    response.end(method === 'GET' && row !== undefined ? withRows(words, row) : words);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  try {
    const path = join(folder, BOT_INFO_FILE);
    const http = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), http }));
    return await killed();
  } finally {
    front.closeAllConnections();
    front.close();
  }
}

function withRows(words: string, row: NonNullable<Front['row']>): string {
  const answer = JSON.parse(words);
  return JSON.stringify({ ...answer, data: { ...answer.data, orders: answer.data.orders.map(row) } });
}

/** Kills through a proxy that opens the market before it passes the first cancel on. */
function killAsTheMarketOpens(bot: HungBot): ReturnType<typeof killBot> {
  let opening: Promise<void> | undefined;
  let passOn = (): void => {};
  const isOpen = new Promise<void>((resolve) => {
    passOn = resolve;
  });
  const onCancel = (): Promise<void> => {
    opening ??= step(bot, OPEN_MS).then(passOn);
    return opening;
  };
  return killThrough(bot, { onCancel }, () => killOn(bot, { from: OPEN_MS, once: isOpen }));
}

/** The deployment of each open order. */
async function liveOrders({ ours }: HungBot): Promise<readonly string[]> {
  const listed = await answerOf(ours.broker.ordersToday());
  if (listed.kind !== 'ok') throw new Error(listed.message);
  return listed.value
    .filter(({ status }) => !isTerminalStatus(status))
    .map(({ remark }) => remark.slice(3, 7));
}

const kill = (change: object = {}) =>
  killBot(namedBot(project, undefined), {
    ...{ reason: 'it hangs', flatten: false, foreign: false, by: 'cli', environment: ENVIRONMENT, project },
    ...change,
  });

describe('the program that kills a hanging bot', () => {
  it('cancels its orders without the bot, leaves all others, and marks the bot as killed (I-14, I-3)', async () => {
    const bot = await hungBot();
    const killed = await killOn(bot);
    expect(killed).toMatchObject({ kind: 'past-bot', accepted: [], failed: [] });
    expect(killed.kind === 'past-bot' && killed.cancelled).toHaveLength(2);
    expect(await liveOrders(bot)).toEqual(['ELSE']);
    const mark = openKillMark(folder);
    expect(mark.read()?.reason).toBe('it hangs (cli)');
    mark.close();
  });

  it('does not wait for a bot that accepts the connection and does not answer (F-O01, I-14)', async () => {
    const bot = await hungBot();
    const mute = createServer((caller) => void caller.resume()).listen(socketPath(folder));
    const began = performance.now();
    expect(await killOn(bot)).toMatchObject({ kind: 'past-bot', accepted: [], failed: [] });
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(await liveOrders(bot)).toEqual(['ELSE']);
    await new Promise((resolve) => mute.close(resolve));
  });

  it('names orders whose cancel was accepted and whose end the venue does not list within ten seconds', async () => {
    await hungBot();
    const killed = await kill();
    expect(killed).toMatchObject({ kind: 'past-bot', cancelled: [], failed: [] });
    expect(killed.kind === 'past-bot' && killed.accepted).toMatchObject([
      { symbol: '700.HK', state: expect.stringMatching(/\w/) },
      { symbol: '700.HK' },
    ]);
    expect(mayTrade(killed)).toBe(true);
    expect(killed.kind === 'past-bot' && cancelsText(killed)).toContain('NOT confirmed');
  });

  it('lists an order as filled if it was filled right before its cancel arrived, which was refused for that', async () => {
    const bot = await hungBot();
    const listed = await answerOf(bot.ours.broker.ordersToday());
    for (const { orderId: id, intentId: own } of listed.kind === 'ok' ? listed.value : [])
      if (own !== undefined) await answerOf(bot.ours.broker.cancel(id));
    await step(bot, 100);
    const filled = await answerOf(
      bot.ours.broker.submit({
        intentId: intentId('AAAABBBBCCCCDDD5'),
        terms: { ...TERMS, price: decimal('420') },
      }),
    );
    if (filled.kind !== 'accepted') throw new Error('The venue did not take the order');
    const killed = await killAsTheMarketOpens(bot);
    expect(killed).toMatchObject({ cancelled: [], filled: [filled.orderId], accepted: [], failed: [] });
    expect(mayTrade(killed)).toBe(false);
  });

  it('counts orders of an unknown type as cancelled as soon as the list shows that they are over', async () => {
    const bot = await hungBot();
    const began = performance.now();
    const row = (each: object) => ({ ...each, order_type: 'XYZ' });
    const killed = await killThrough(bot, { row }, () => killOn(bot));
    expect(killed).toMatchObject({ kind: 'past-bot', filled: [], accepted: [], failed: [] });
    expect(killed.kind === 'past-bot' && killed.cancelled).toHaveLength(2);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await liveOrders(bot)).toEqual(['ELSE']);
  });

  it('names orders of an unknown type whose rows cannot be read any more: they may have been filled', async () => {
    const bot = await hungBot();
    const row = (each: Record<string, unknown>) =>
      each['status'] === 'CanceledStatus' ? {} : { ...each, order_type: 'XYZ' };
    const killed = await killThrough(bot, { row }, () => killOn(bot));
    expect(killed).toMatchObject({ kind: 'past-bot', cancelled: [], filled: [], failed: [] });
    expect(killed.kind === 'past-bot' && killed.accepted).toHaveLength(2);
    expect(mayTrade(killed)).toBe(true);
  });

  it('lists orders of an unknown type as filled if the list shows that', async () => {
    const bot = await hungBot();
    const row = (each: Record<string, unknown>) => ({
      ...each,
      order_type: 'XYZ',
      ...(each['status'] === 'CanceledStatus' ? { status: 'FilledStatus' } : {}),
    });
    const killed = await killThrough(bot, { row }, () => killOn(bot));
    expect(killed).toMatchObject({ kind: 'past-bot', cancelled: [], accepted: [], failed: [] });
    expect(killed.kind === 'past-bot' && killed.filled).toHaveLength(2);
  });

  it.each([
    ['of a known type', {}],
    ['of an unknown type', { order_type: 'XYZ' }],
  ])('does not wait for orders %s whose status cannot be read', async (_, change) => {
    const bot = await hungBot();
    const began = performance.now();
    const row = (each: object) => ({ ...each, ...change, status: 'XyzStatus' });
    const killed = await killThrough(bot, { row }, () => killOn(bot));
    expect(performance.now() - began).toBeLessThan(5_000);
    const state = 'state unreadable ("XyzStatus")';
    expect(killed).toMatchObject({
      ...{ kind: 'past-bot', cancelled: [], filled: [], failed: [] },
      accepted: [
        { symbol: '700.HK', state },
        { symbol: '700.HK', state },
      ],
    });
    expect(mayTrade(killed)).toBe(true);
  });

  it('cancels orders of other parties on request', async () => {
    const bot = await hungBot();
    await killOn(bot, { foreign: true });
    expect(await liveOrders(bot)).toEqual([]);
  });

  it('cancels ten orders of a hanging bot at once', async () => {
    const bot = await hungBot();
    for (const letter of 'EFGHIJKL')
      await answerOf(
        bot.ours.broker.submit({ intentId: intentId(`AAAABBBBCCCCDDD${letter}`), terms: TERMS }),
      );
    const killed = await killOn(bot);
    expect(killed).toMatchObject({ kind: 'past-bot', accepted: [], failed: [] });
    expect(killed.kind === 'past-bot' && killed.cancelled).toHaveLength(10);
    expect(await liveOrders(bot)).toEqual(['ELSE']);
  });

  it('also cancels orders that the journal has as working and the list of the day leaves out, and names refused cancels', async () => {
    const bot = await hungBot();
    const journal = openSqliteJournal(join(folder, 'journal.db'));
    const cause = {
      kind: 'quote',
      name: 'quote',
      symbol: TERMS.symbol,
      time: millis(0),
      inputs: {},
    } as const;
    // An old day order is over; one that is good till cancelled may still work.
    for (const [letter, timeInForce] of [
      ['Y', 'day'],
      ['Z', 'gtc'],
    ] as const) {
      const older = { at: millis(0), intentId: intentId(`AAAABBBBCCCCDDD${letter}`) };
      const terms = { ...TERMS, timeInForce };
      journal.append({ kind: 'intent-drafted', ...older, terms, reason: 'long ago', cause });
      journal.append({ kind: 'intent-armed', ...older, numbers: [] });
      journal.append({ kind: 'submit-sending', ...older, attempt: 1 });
      journal.append({ kind: 'submit-acked', ...older, orderId: orderId(`O-${letter}`), by: 'answer' });
    }
    journal.close();
    const killed = await killOn(bot);
    expect(killed).toMatchObject({
      kind: 'past-bot',
      failed: [
        { id: 'O-Z', symbol: '700.HK', state: expect.stringMatching(/^not listed, cancel refused \(6/) },
      ],
    });
    expect(killed.kind === 'past-bot' && killed.cancelled).toHaveLength(2);
    expect(await liveOrders(bot)).toEqual(['ELSE']);
  });

  it('cancels them also if the mark cannot be written, and reports that it is missing', async () => {
    const bot = await hungBot();
    rmSync(join(folder, 'kill'));
    mkdirSync(join(folder, 'kill'));
    const killed = await killOn(bot);
    expect(killed).toMatchObject({
      kind: 'past-bot',
      failed: [],
      unmarked: expect.stringContaining('EISDIR'),
    });
    expect(await liveOrders(bot)).toEqual(['ELSE']);
  });

  it('reports what it could not do without credentials; the mark holds nevertheless', async () => {
    await hungBot();
    const killed = await kill({ environment: {} });
    expect(killed).toMatchObject({ kind: 'marked', left: true });
    expect(killed.kind === 'marked' && killed.why).toContain('SLUICE_APP_KEY');
  });

  it('reports a venue that cannot be reached in the words of the failure alone', async () => {
    await hungBot();
    const path = join(folder, BOT_INFO_FILE);
    const closed = { pid: NO_PROCESS, http: 'http://127.0.0.1:9' };
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...closed }));
    const killed = await kill();
    expect(killed.kind === 'marked' && killed.why).toContain('cancelled from here: ECONNREFUSED: connect');
  });

  it('marks a bot that does not run, so that its next start opens nothing', async () => {
    const bot = namedBot(project, 'here');
    expect(bot.running).toBeUndefined();
    const order = {
      reason: 'on holiday',
      flatten: false,
      foreign: false,
      by: 'cli',
      environment: {},
      project,
    };
    expect(await killBot(bot, order)).toEqual({
      ...{ kind: 'marked', why: 'the bot does not run', left: false },
    });
  });

  it('cancels what a killed or stopped bot left at the venue (I-14, I-3)', async () => {
    const bot = await hungBot();
    for (const change of [{ pid: NO_PROCESS }, { ended: '2026-01-02T00:00:00.000Z' }]) {
      const card = JSON.parse(readFileSync(join(folder, BOT_INFO_FILE), 'utf8'));
      writeFileSync(join(folder, BOT_INFO_FILE), JSON.stringify({ ...card, ...change }));
      expect(namedBot(project, undefined)).toMatchObject({ name: 'here', running: undefined });
      const killed = await killOn(bot);
      expect(killed).toMatchObject({ kind: 'past-bot', failed: [], why: 'the bot does not run' });
    }
    expect(await liveOrders(bot)).toEqual(['ELSE']);
  });

  it('finds a bot by the name of its config only while it is the one that runs with it', () => {
    const accounts = mkdtempSync(join(tmpdir(), 'sluice-names-'));
    const card = {
      ...{ strategy: 's', http: 'http://127.0.0.1:9', profile: 'documented', deployment: 'DEMO' },
      ...{ ownVenue: false, since: '2026-01-02T00:00:00.000Z' },
    };
    const write = (name: string, change: object): void => {
      const at = join(accounts, '.sluice/accounts', name);
      mkdirSync(at, { recursive: true });
      writeFileSync(join(at, BOT_INFO_FILE), JSON.stringify({ ...card, ...change }));
    };
    write('first', { pid: process.pid, config: 'config/momentum.yaml' });
    write('second', { pid: NO_PROCESS, config: 'config/momentum.yaml' });
    write('third', { pid: process.pid, config: 'config/grid.yaml' });
    for (const named of ['momentum', 'momentum.yaml', 'config/momentum.yaml', 'first'])
      expect(namedBot(accounts, named).name).toBe('first');
    expect(namedBot(accounts, 'second').name).toBe('second');
    // A bot with this name is meant before one whose config has it.
    write('grid', { pid: process.pid, config: 'config/other.yaml' });
    expect(namedBot(accounts, 'grid').name).toBe('grid');
    write('fourth', { pid: process.pid, config: 'elsewhere/momentum.yaml' });
    expect(() => namedBot(accounts, 'momentum')).toThrow(/^Which bot\? 2 bots match "momentum", name one/);
    expect(namedBot(accounts, 'elsewhere/momentum.yaml').name).toBe('fourth');
    for (const name of ['first', 'fourth']) write(name, { pid: NO_PROCESS, config: 'config/momentum.yaml' });
    expect(() => namedBot(accounts, 'momentum')).toThrow(/^No bot is called "momentum"/);
    rmSync(accounts, { recursive: true });
  });

  it('lists the bots if it is not clear which one to kill', () => {
    expect(() => namedBot(project, 'missing')).toThrow(
      /No bot is called "missing".*\n\s+here \(does not run\)/,
    );
    expect(() => namedBot(join(project, 'empty'), undefined)).toThrow(/No bot has run in this folder yet/);
  });
});
