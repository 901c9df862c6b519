import type { ServerResponse } from 'node:http';
import type { Access, Session } from './access.ts';
import type { BotFollower } from './bot-follower.ts';
import type { Machine } from './bot-source.ts';
import type { Bots } from './bots.ts';
import { SECURITY_HEADERS } from './page-files.ts';

/** Content of a stream. */
export interface Subscription {
  /** A bot's name, or undefined for the list of all bots. */
  readonly bot: string | undefined;
  /** The last journal record that the browser has; undefined if it has none. */
  readonly lastSeq: number | undefined;
  /** Owner of the stream, which ends with the session. */
  readonly session: Session;
  readonly response: ServerResponse;
}

const TICK_MS = 500;
/** Number of log records that a browser receives at its first connection. */
const LOG_LINES_FIRST = 200;
/** Maximum number of log records in one write; a browser that is farther behind continues with the newest ones. */
const LOG_LINES_MAX = 1_000;
const BOTS_MAX = 50;
/** Browsers open at most six connections to a server: one remains for commands. */
const STREAMS_OF_SESSION_MAX = 5;
/** Bytes that may wait for a slow browser before its stream ends; it reconnects and continues by Last-Event-ID. */
const WAITING_MAX = 4 * 2 ** 20;

interface Stream extends Subscription {
  cursor: number;
  /** The last written snapshot, so that only changes are written. */
  written: string;
}

/**
 * Server-sent events for all browsers. The journal is read only while at least one is connected. A browser that does
 * not read receives nothing more until it does: records are then read from the journal at its pace, snapshots are
 * skipped.
 */
export class EventStreams {
  readonly #bots: Bots;
  readonly #access: Access;
  readonly #machine: Machine;
  readonly #streams = new Set<Stream>();
  #stop: (() => void) | undefined;
  #isTicking = false;

  constructor(bots: Bots, access: Access, machine: Machine) {
    this.#bots = bots;
    this.#access = access;
    this.#machine = machine;
  }

  /** Starts a stream; false if its session has too many. */
  add(subscription: Subscription): boolean {
    const { response, lastSeq, session } = subscription;
    const own = [...this.#streams].filter((stream) => stream.session.cookie === session.cookie);
    if (own.length >= STREAMS_OF_SESSION_MAX) return false;
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
    response.write(': ok\n\n');
    const stream: Stream = { ...subscription, cursor: lastSeq ?? -1, written: '' };
    this.#streams.add(stream);
    response.once('close', () => this.#remove(stream));
    response.on('error', () => this.#remove(stream));
    this.#stop ??= this.#machine.every(TICK_MS, () => void this.#tick());
    void this.#tick(stream);
    return true;
  }

  close(): void {
    for (const stream of this.#streams) {
      stream.response.destroy();
      this.#remove(stream);
    }
  }

  #remove(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Writes changes to all or to one; skipped while the previous call is still reading. */
  async #tick(only?: Stream): Promise<void> {
    if (this.#isTicking && only === undefined) return;
    if (only === undefined) this.#isTicking = true;
    try {
      this.#endSignedOut();
      const streams = only === undefined ? [...this.#streams] : [only];
      const names = new Set(streams.map(({ bot }) => bot));
      await Promise.all([...names].map((name) => this.#show(name, streams)));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      for (const stream of only === undefined ? this.#streams : [only]) write(stream, 'fault', { message });
    } finally {
      if (only === undefined) this.#isTicking = false;
    }
  }

  #endSignedOut(): void {
    for (const stream of this.#streams)
      if (!this.#access.lasts(stream.session)) {
        stream.response.end();
        this.#remove(stream);
      }
  }

  async #show(name: string | undefined, streams: readonly Stream[]): Promise<void> {
    const mine = streams.filter(({ bot }) => bot === name);
    if (name === undefined) {
      const rows = await this.#bots.rows(BOTS_MAX);
      const text = JSON.stringify(rows);
      for (const stream of mine) writeChanged(stream, 'bots', text);
      return;
    }
    const bot = this.#bots.find(name);
    if (bot === undefined) {
      for (const stream of mine) stream.response.end('event: gone\ndata: {}\n\n');
      return;
    }
    const snapshot = JSON.stringify(await this.#bots.refresh(bot, 'some'));
    const follower = this.#bots.follower(bot);
    for (const stream of mine) {
      if (isBehind(stream)) continue;
      if (follower.unread === 0) writeLines(stream, follower);
      writeChanged(stream, 'bot', snapshot);
    }
  }
}

function writeLines(stream: Stream, follower: BotFollower): void {
  if (stream.cursor < 0 || stream.cursor > follower.seq)
    stream.cursor = Math.max(0, follower.seq - LOG_LINES_FIRST);
  stream.cursor = Math.max(stream.cursor, follower.seq - LOG_LINES_MAX);
  for (const line of follower.linesAfter(stream.cursor, LOG_LINES_MAX)) {
    stream.response.write(`id: ${line.seq}\nevent: record\ndata: ${JSON.stringify(line)}\n\n`);
    stream.cursor = line.seq;
  }
}

function writeChanged(stream: Stream, event: string, text: string): void {
  if (isBehind(stream)) return;
  if (text === stream.written) return;
  stream.written = text;
  stream.response.write(`event: ${event}\ndata: ${text}\n\n`);
}

function write(stream: Stream, event: string, data: unknown): void {
  if (!isBehind(stream)) stream.response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** True if a browser has not read everything that was written. */
function isBehind({ response }: Stream): boolean {
  if (response.destroyed || response.writableEnded) return true;
  if (response.writableLength > WAITING_MAX) response.destroy();
  return response.writableNeedDrain;
}
