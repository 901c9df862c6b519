import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseSymbol } from '../model/symbol.ts';
import { MINUTE_MS } from '../model/time.ts';
import { termsText } from '../reports/terms-text.ts';
import { whyJson } from '../reports/why.ts';
import { Access, foreignOrigin, type Right, type Session } from './access.ts';
import { logLine, symbolsIn, zoneOf } from './bot-follower.ts';
import type { BotCommand, BotSource, ListedBot, Machine } from './bot-source.ts';
import { Bots } from './bots.ts';
import { commandSchema, consequencesOf, reasonSchema } from './commands.ts';
import { EventStreams } from './event-stream.ts';
import { type PageFiles, SECURITY_HEADERS } from './page-files.ts';
import { pipelineOf } from './pipeline-view.ts';
import { type RunRoutes, serveRuns } from './run-routes.ts';
import type { RunSource } from './run-source.ts';

/** Content and settings of a dashboard. */
export interface DashboardOptions {
  readonly source: BotSource;
  readonly runs: RunSource;
  readonly machine: Machine;
  readonly page: PageFiles;
  /** 0 selects a free one. */
  readonly port: number;
  /** False: no session may give commands. */
  readonly commands: boolean;
}

/** A dashboard that listens. */
export interface Dashboard {
  readonly port: number;
  /** Creates a link that signs one browser in, once. */
  link(right: Right): string;
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 4_096;
const CONNECTIONS_MAX = 128;
/** An incomplete request ends its connection after this time, as does a connection without a request. */
const REQUEST_MS_MAX = 10_000;
const IDLE_MS_MAX = 5_000;
const CHECK_CONNECTIONS_MS = 2_000;
/** Maximum number of waiting requests for past states. */
const PAST_WAITING_MAX = 8;
/** Validity of a preview. */
const TICKET_MS = 2 * MINUTE_MS;
const TICKETS_MAX = 200;
/** Number of command ids that are remembered, so that none is executed twice. */
const COMMAND_IDS_MAX = 1_000;
/** How long an answer of a bot serves all pages that request it. */
const SHARED_MS = 900;
/** Placeholder for a bot's first symbol. */
const FIRST_SYMBOL = '-';
const ADDRESS = '127.0.0.1';

const loginSchema = z.strictObject({ link: z.string().max(200) });
const previewSchema = z.strictObject({ command: commandSchema });
const orderSchema = z.strictObject({ ticket: z.string().max(200), reason: reasonSchema });
const killSchema = z.strictObject({ id: z.string().min(8).max(100) });
const seqSchema = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A previewed command that may be given once. */
interface Ticket {
  readonly session: Session;
  readonly bot: string;
  readonly command: BotCommand;
  readonly until: number;
}

/** Serves the dashboard on the loopback address. Throws if the port is taken. */
export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { source, runs, machine, page, port, commands } = options;
  const access = new Access(machine);
  const bots = new Bots(source, machine);
  const streams = new EventStreams(bots, access, machine);
  const app = fastify({
    bodyLimit: BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_MS_MAX,
    keepAliveTimeout: IDLE_MS_MAX,
    http: { headersTimeout: IDLE_MS_MAX, connectionsCheckingInterval: CHECK_CONNECTIONS_MS },
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (_error, _request, reply) =>
      void refuse(reply, 400, 'bad-request', 'The request is not valid'),
  });
  const signedIn = boundConnections(app);
  // Only JSON is accepted, which a form of another page cannot send.
  app.removeContentTypeParser('text/plain');
  app.setErrorHandler((error: unknown, _request, reply) => {
    const status = statusOf(error);
    return refuse(reply, status, status === 413 ? 'too-large' : 'bad-request', REFUSALS[status] ?? 'Failed');
  });
  app.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'not-found', 'There is nothing here'));
  guard(app, page);
  servePage(app, page);
  const { sessions, cookie } = serveLogin({ app, access, signedIn });
  serveBots({ app, bots, source, machine, streams, sessions });
  serveRuns({ app, runs, access, machine, sessions, cookie, refuse });
  serveCommands({ app, bots, source, machine, commands, sessions });
  try {
    await app.listen({ host: ADDRESS, port });
  } catch (cause) {
    await app.close();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot serve the dashboard on ${ADDRESS}:${port}: ${why}; name another with --port`, {
      cause,
    });
  }
  return {
    port: portOf(app),
    link: (right) => `http://${ADDRESS}:${portOf(app)}/#login=${access.link(right)}`,
    async close() {
      streams.close();
      await app.close();
      bots.close();
    },
  };
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  413: `The body is larger than ${BODY_BYTES_MAX} bytes`,
  415: 'The body must be JSON',
  500: 'The dashboard failed to answer; the bots are not affected',
};

function statusOf(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  return status in REFUSALS ? status : 400;
}

function portOf(app: FastifyInstance): number {
  const address = app.server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

function refuse(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).headers(SECURITY_HEADERS).send({ code, message });
}

/**
 * Limits the number of connections: the oldest one without a session makes room for the next, so that programs and
 * pages without a session cannot lock the operator out. Returns the set of connections with a session.
 */
function boundConnections(app: FastifyInstance): WeakSet<Socket> {
  const connections = new Set<Socket>();
  const signedIn = new WeakSet<Socket>();
  app.server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    if (connections.size <= CONNECTIONS_MAX) return;
    const oldest = [...connections].find((each) => !signedIn.has(each)) ?? socket;
    connections.delete(oldest);
    oldest.destroy();
  });
  return signedIn;
}

/** Refuses requests from another page or under another name of this machine before reading them. */
function guard(app: FastifyInstance, page: PageFiles): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    const { method, headers } = request;
    const { host, origin } = headers;
    const fetchSite = headers['sec-fetch-site'];
    const why = foreignOrigin(
      {
        method,
        host,
        origin,
        isPageFile: page.has(request.url.split('?', 1)[0] ?? ''),
        fetchSite: typeof fetchSite === 'string' ? fetchSite : undefined,
      },
      portOf(app),
    );
    if (why !== undefined) return refuse(reply, 403, 'foreign-origin', why);
    return undefined;
  });
}

function servePage(app: FastifyInstance, page: PageFiles): void {
  for (const [path, { type, body }] of page)
    app.get(path, (_request, reply) => reply.type(type).send(Buffer.from(body)));
}

/** Returns the session of a request; undefined after it refused the request. */
type Sessions = (request: FastifyRequest, reply: FastifyReply) => Session | undefined;

function serveLogin({
  app,
  access,
  signedIn,
}: {
  readonly app: FastifyInstance;
  readonly access: Access;
  readonly signedIn: WeakSet<Socket>;
}): Pick<RunRoutes, 'sessions' | 'cookie'> {
  // Cookies ignore ports: the name contains the port, so that two dashboards do not sign each other out.
  const cookieName = (): string => `sluice-${portOf(app)}`;
  const cookie = ({ headers }: FastifyRequest): string | undefined => cookieOf(headers.cookie, cookieName());
  const sessions: Sessions = (request, reply) => {
    const token = request.headers['x-sluice-token'];
    const session = access.session(cookie(request), typeof token === 'string' ? token : undefined);
    if (session === undefined)
      refuse(reply, 401, 'signed-out', 'Open the login link that "sluice ui" printed');
    else signedIn.add(request.socket);
    return session;
  };
  app.post('/api/login', (request, reply) => {
    const read = loginSchema.safeParse(request.body);
    if (!read.success) return refuse(reply, 400, 'bad-request', 'The request is not valid');
    const login = access.login(read.data.link);
    if (login.kind === 'too-many')
      return refuse(reply, 429, 'too-many', 'Too many wrong links: wait a minute');
    if (login.kind === 'wrong')
      return refuse(reply, 401, 'wrong-link', 'This link was used already, or is not one of this dashboard');
    const { cookie, token, right } = login.session;
    return reply
      .header('set-cookie', `${cookieName()}=${cookie}; HttpOnly; SameSite=Strict; Path=/api`)
      .send({ token, right });
  });
  app.post('/api/logout', (request, reply) => {
    const session = sessions(request, reply);
    if (session === undefined) return reply;
    access.logout(session);
    return reply
      .header('set-cookie', `${cookieName()}=; HttpOnly; SameSite=Strict; Path=/api; Max-Age=0`)
      .send({});
  });
  return { sessions, cookie };
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [key, value] = part.trim().split('=');
    if (key === name) return value;
  }
  return undefined;
}

interface ReadParts {
  readonly app: FastifyInstance;
  readonly bots: Bots;
  readonly source: BotSource;
  readonly machine: Machine;
  readonly streams: EventStreams;
  readonly sessions: Sessions;
}

function serveBots({ app, bots, source, machine, streams, sessions }: ReadParts): void {
  const prices = sharedAnswers(machine, SHARED_MS);
  const pipelines = sharedAnswers(machine, SHARED_MS);
  const pastTurn = oneAtATime(PAST_WAITING_MAX);
  const stream = (
    { headers }: FastifyRequest,
    reply: FastifyReply,
    { session, bot }: { readonly session: Session; readonly bot?: ListedBot },
  ): FastifyReply => {
    const last = seqSchema.safeParse(headers['last-event-id']);
    const lastSeq = last.success ? last.data : undefined;
    const { raw: response } = reply;
    if (!streams.add({ session, bot: bot?.name, lastSeq, response }))
      return refuse(reply, 503, 'too-many-pages', 'Too many pages of this browser are open: close one');
    return reply.hijack();
  };
  app.get('/api/stream', (request, reply) => {
    const session = sessions(request, reply);
    return session === undefined ? reply : stream(request, reply, { session });
  });
  app.get('/api/bots/:bot/stream', (request, reply) => {
    const found = authorised(request, reply, bots, sessions);
    return found === undefined ? reply : stream(request, reply, found);
  });
  app.get('/api/bots/:bot/at/:seq', async (request, reply) => {
    const bot = authorised(request, reply, bots, sessions)?.bot;
    if (bot === undefined) return reply;
    const seq = seqSchema.safeParse(paramOf(request, 'seq'));
    if (!seq.success) return refuse(reply, 400, 'bad-request', 'The record number is not a whole number');
    const follower = bots.follower(bot);
    await follower.read();
    const { socket } = request;
    const past = pastTurn(() => follower.asOf(bot, seq.data, () => !socket.destroyed));
    if (past === undefined)
      return refuse(reply, 429, 'busy', 'Other pages of the past are still being read: try again');
    const snapshot = await past;
    if (snapshot === undefined) return refuse(reply, 404, 'not-found', 'The bot has no journal yet');
    return reply.send(snapshot);
  });
  app.get('/api/bots/:bot/seq-at/:time', async (request, reply) => {
    const bot = authorised(request, reply, bots, sessions)?.bot;
    if (bot === undefined) return reply;
    const time = seqSchema.safeParse(paramOf(request, 'time'));
    if (!time.success) return refuse(reply, 400, 'bad-request', 'The time is not in milliseconds');
    const follower = bots.follower(bot);
    await follower.read();
    return reply.send({ seq: follower.seqAt(time.data) });
  });
  app.get('/api/bots/:bot/prices/:symbol', async (request, reply) => {
    const bot = authorised(request, reply, bots, sessions)?.bot;
    if (bot === undefined) return reply;
    const symbolParam = paramOf(request, 'symbol');
    if (symbolParam !== FIRST_SYMBOL && parseSymbol(symbolParam) === undefined)
      return refuse(reply, 400, 'bad-request', 'The symbol is not one, such as "700.HK"');
    const symbol = symbolParam === FIRST_SYMBOL ? undefined : symbolParam;
    const known = await prices(`${bot.name} ${symbolParam}`, () =>
      bot.state === 'running' ? source.prices(bot.name, symbol, true) : Promise.resolve(undefined),
    );
    return reply.send({ prices: known ?? null });
  });
  app.get('/api/bots/:bot/pipeline', async (request, reply) => {
    const bot = authorised(request, reply, bots, sessions)?.bot;
    if (bot === undefined) return reply;
    return reply.send(await pipelines(bot.name, () => pipelineOf(bot, bots, source)));
  });
  app.get('/api/bots/:bot/orders/:order', async (request, reply) => {
    const bot = authorised(request, reply, bots, sessions)?.bot;
    if (bot === undefined) return reply;
    const follower = bots.follower(bot);
    await follower.read();
    const why = follower.why(paramOf(request, 'order'));
    if (why === undefined) return refuse(reply, 404, 'not-found', 'The journal has no such order');
    const lines = why.links.map(logLine);
    const terms = why.links.flatMap(({ event }) =>
      event.kind === 'intent-drafted' && event.intentId === why.intentId ? [termsText(event.terms)] : [],
    );
    const zone = zoneOf(symbolsIn(why.links));
    return reply.send({ ...whyJson(why), lines, terms: terms[0] ?? '', zone });
  });
}

/**
 * Answers all requests with one key within `milliseconds` by one call, so that many pages cost a bot no more than
 * one.
 */
function sharedAnswers(machine: Pick<Machine, 'now'>, milliseconds: number) {
  const answers = new Map<string, { readonly at: number; readonly answer: Promise<unknown> }>();
  return <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const now = machine.now();
    for (const [known, { at }] of answers) if (at + milliseconds <= now) answers.delete(known);
    const shared = answers.get(key);
    // Each key has one kind of answer.
    if (shared !== undefined) return shared.answer as Promise<T>;
    const answer = ask();
    answers.set(key, { at: now, answer });
    return answer;
  };
}

/** Runs tasks one after the other; a call returns undefined if too many are waiting. */
function oneAtATime(waitingMax: number) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return <T>(work: () => Promise<T>): Promise<T> | undefined => {
    if (waiting >= waitingMax) return undefined;
    waiting += 1;
    const turn = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** Returns the session and the bot of a request; undefined after it refused the request. */
function authorised(request: FastifyRequest, reply: FastifyReply, bots: Bots, sessions: Sessions) {
  const session = sessions(request, reply);
  if (session === undefined) return undefined;
  const bot = bots.find(paramOf(request, 'bot'));
  if (bot !== undefined) return { session, bot };
  refuse(reply, 404, 'not-found', 'This project has no such bot');
  return undefined;
}

function paramOf(request: FastifyRequest, name: string): string {
  const { params } = request;
  const value = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
  return typeof value === 'string' ? value : '';
}

interface CommandParts extends Pick<ReadParts, 'app' | 'bots' | 'source' | 'machine' | 'sessions'> {
  readonly commands: boolean;
}

function serveCommands({ app, bots, source, machine, commands, sessions }: CommandParts): void {
  const tickets = new Map<string, Ticket>();
  const killIds = new Set<string>();

  /** Returns the bot and session of a command; undefined after it refused the request. */
  function commanding(request: FastifyRequest, reply: FastifyReply) {
    const found = authorised(request, reply, bots, sessions);
    if (found === undefined) return undefined;
    if (commands && found.session.right === 'command') return found;
    refuse(reply, 403, 'read-only', 'This dashboard, or this login, may look but not command');
    return undefined;
  }

  app.post('/api/bots/:bot/kill', async (request, reply) => {
    const found = commanding(request, reply);
    if (found === undefined) return reply;
    const read = killSchema.safeParse(request.body);
    if (!read.success) return refuse(reply, 400, 'bad-request', 'A kill needs an id');
    if (killIds.has(read.data.id)) return refuse(reply, 409, 'replayed', 'This command was given already');
    remember(killIds, read.data.id, COMMAND_IDS_MAX);
    return reply.send(await source.kill(found.bot.name, 'killed on the dashboard'));
  });

  app.post('/api/bots/:bot/previews', async (request, reply) => {
    const found = commanding(request, reply);
    if (found === undefined) return reply;
    const read = previewSchema.safeParse(request.body);
    if (!read.success) return refuse(reply, 400, 'bad-request', 'This is not a command of the dashboard');
    const { command } = read.data;
    const snapshot = await bots.refresh(found.bot, 'whole');
    const ticket = machine.secret();
    const now = machine.now();
    for (const [key, { until }] of tickets)
      if (until < now || tickets.size >= TICKETS_MAX) tickets.delete(key);
    tickets.set(ticket, { session: found.session, bot: found.bot.name, command, until: now + TICKET_MS });
    return reply.send({ ticket, consequences: consequencesOf(command, snapshot) });
  });

  app.post('/api/bots/:bot/commands', async (request, reply) => {
    const found = commanding(request, reply);
    if (found === undefined) return reply;
    const read = orderSchema.safeParse(request.body);
    if (!read.success)
      return refuse(
        reply,
        400,
        'bad-request',
        'A command needs its preview and a reason of 3 to 300 characters',
      );
    const ticket = tickets.get(read.data.ticket);
    tickets.delete(read.data.ticket);
    if (
      ticket === undefined ||
      ticket.session.cookie !== found.session.cookie ||
      ticket.bot !== found.bot.name ||
      ticket.until < machine.now()
    )
      return refuse(reply, 409, 'replayed', 'The preview is used up or too old: look at it again');
    return reply.send(await source.command(found.bot.name, ticket.command, read.data.reason));
  });
}

function remember(ids: Set<string>, id: string, max: number): void {
  ids.add(id);
  if (ids.size <= max) return;
  for (const oldest of ids) {
    ids.delete(oldest);
    return;
  }
}
