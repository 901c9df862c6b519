import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MINUTE_MS } from '../model/time.ts';
import type { Access, Session } from './access.ts';
import type { Machine } from './bot-source.ts';
import { SECURITY_HEADERS } from './page-files.ts';
import { RUN_KINDS, type RunName, type RunReport, type RunSource } from './run-source.ts';

/** How long a link to a report is valid; it is valid for one load. */
const LINK_MS = MINUTE_MS;
const LINKS_MAX = 50;

/** Dependencies of the routes of runs. */
export interface RunRoutes {
  readonly app: FastifyInstance;
  readonly runs: RunSource;
  readonly access: Access;
  readonly machine: Pick<Machine, 'now' | 'secret'>;
  /** Returns the session of a request; undefined after it refused the request. */
  readonly sessions: (request: FastifyRequest, reply: FastifyReply) => Session | undefined;
  /** Returns the cookie of this dashboard in a request. */
  readonly cookie: (request: FastifyRequest) => string | undefined;
  readonly refuse: (reply: FastifyReply, status: number, code: string, message: string) => FastifyReply;
}

/** Serves the list of saved runs, comparisons of two, and their reports. */
export function serveRuns({ app, runs, access, machine, sessions, cookie, refuse }: RunRoutes): void {
  const links = new Map<
    string,
    { readonly session: Session; readonly run: RunName; readonly until: number }
  >();

  app.get('/api/runs', async (request, reply) => {
    if (sessions(request, reply) === undefined) return reply;
    return reply.send(await runs.list());
  });

  app.get('/api/runs/:run/with/:other', (request, reply) => {
    if (sessions(request, reply) === undefined) return reply;
    const [a, b] = [runIn(request, 'run'), runIn(request, 'other')];
    const found = a === undefined || b === undefined ? undefined : read(() => runs.compare(a, b));
    if (found === undefined)
      return refuse(reply, 404, 'not-found', 'One of these runs is not there, or has no figures to compare');
    return reply.send(found);
  });

  app.post('/api/runs/:run/links', (request, reply) => {
    const session = sessions(request, reply);
    if (session === undefined) return reply;
    const run = runIn(request, 'run');
    if (run === undefined || runs.find(run)?.hasReport !== true)
      return refuse(reply, 404, 'not-found', 'This run is not there, or has no report');
    const now = machine.now();
    for (const [key, { until }] of links) if (until < now || links.size >= LINKS_MAX) links.delete(key);
    const ticket = machine.secret();
    links.set(ticket, { session, run, until: now + LINK_MS });
    return reply.send({ href: `/api/reports/${ticket}` });
  });

  // A tab sends no session header: the link is secret, valid once, and bound to the cookie of its session.
  app.get('/api/reports/:ticket', (request, reply) => {
    const ticket = paramOf(request, 'ticket');
    const link = links.get(ticket);
    const isOwn =
      link !== undefined &&
      link.until >= machine.now() &&
      cookie(request) === link.session.cookie &&
      access.lasts(link.session);
    if (!isOwn)
      return refuse(
        reply,
        404,
        'not-found',
        'This link was used already, or is too old: open the report again',
      );
    links.delete(ticket);
    const report = read(() => runs.report(link.run));
    if (report === undefined)
      return refuse(reply, 404, 'not-found', 'The report is not there any more, or cannot be read');
    return (
      reply
        .headers(SECURITY_HEADERS)
        .header('content-security-policy', policyOf(report))
        // A sandboxed page must not have this header: the browser would show nothing.
        .removeHeader('cross-origin-opener-policy')
        .type('text/html; charset=utf-8')
        .send(report.html)
    );
  });
}

/** Returns undefined for a file that cannot be read; the list shows the reason. */
function read<T>(reading: () => T | undefined): T | undefined {
  try {
    return reading();
  } catch {
    return undefined;
  }
}

/**
 * A report is a page without an origin and without any access: no cookie, storage, request or form. Scripts run only
 * in a report that was created here, and only those named by their hashes; none run in a file from the disk.
 */
function policyOf({ html, origin }: RunReport): string {
  const hashes =
    origin === 'own'
      ? (/<meta http-equiv="Content-Security-Policy"[^>]*>/.exec(html)?.[0].match(/sha256-[\w+/]+=*/g) ?? [])
      : [];
  return [
    origin === 'own' ? 'sandbox allow-scripts allow-downloads' : 'sandbox',
    "default-src 'none'",
    `script-src ${hashes.length === 0 ? "'none'" : hashes.map((hash) => `'${hash}'`).join(' ')}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** A run in a path: its kind, a colon, its name. */
function runIn(request: FastifyRequest, param: string): RunName | undefined {
  const [, written, name] = /^([a-z-]+):(.+)$/s.exec(paramOf(request, param)) ?? [];
  const kind = RUN_KINDS.find((each) => each === written);
  return kind === undefined || name === undefined ? undefined : { kind, name };
}

function paramOf({ params }: FastifyRequest, name: string): string {
  const value = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
  return typeof value === 'string' ? value : '';
}
