import { basename, dirname } from 'node:path';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Level, pino } from 'pino';
import { createStream } from 'rotating-file-stream';
import type { SluiceEvent } from '../../events/event.ts';
import type { Alarm, DayNotice } from '../../model/notice.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { printable } from '../../model/printable.ts';
import { eventText } from '../../reports/event-text.ts';
import { termsText } from '../../reports/terms-text.ts';
import type { LogFormat, LogLevel } from './log-levels.ts';

/** The outputs of a run's log. */
export interface RunLogOptions {
  readonly level: LogLevel;
  /** Standard error; absent if the log is written only to the file. */
  readonly stderr?: { readonly format: LogFormat; readonly write: (text: string) => void } | undefined;
  /** Receives JSON, one record per line. */
  readonly file?: string | undefined;
  /** Machine time, for timestamps. */
  readonly now: () => number;
  /** Removes secrets. */
  readonly redact: (text: string) => string;
  /** Called with the reason if the file is no longer written. */
  readonly onFault: (message: string) => void;
}

/** Structured records of a run: every order, fill, denial, change of the gate and of a connection, and each day. */
export interface RunLog {
  event(event: SluiceEvent): void;
  alarm(alarm: Alarm): void;
  day(day: DayNotice): void;
  connection(name: string, state: string): void;
  /** Resolves when the file is complete. */
  close(): Promise<void>;
}

/** Size at which a file is rotated, and the number of older files that are kept. */
const FILE_SIZE = '10M';
const FILES_KEPT = 9;
const OWNER_ONLY = 0o600;
const TEXT_CHARS = 2_000;
/** Maximum number of orders whose terms are remembered for their later records. */
const TERMS_MAX = 10_000;

/** Steps that are logged only for debugging. */
const DEBUG: ReadonlySet<SluiceEvent['kind']> = new Set([
  'intent-drafted',
  'intent-armed',
  'intent-held',
  'submit-sending',
  'cancel-sending',
  'replace-sending',
  'replace-read',
  'equity-peaked',
  'state-kept',
]);

const WARN: ReadonlySet<SluiceEvent['kind']> = new Set([
  'submit-refused',
  'submit-not-sent',
  'submit-unknown',
  'submit-abandoned',
  'order-doubled',
  'symbol-halted',
  'replace-denied',
  'books-adopted',
]);

function levelOf(event: SluiceEvent): Level {
  if (event.kind === 'gate-moved') return event.state === 'active' ? 'info' : 'warn';
  if (event.kind === 'strategy-failed') return 'error';
  if (event.kind === 'run-ended') return event.reason === 'failed' ? 'error' : 'info';
  if (WARN.has(event.kind)) return 'warn';
  return DEBUG.has(event.kind) ? 'debug' : 'info';
}

/** Opens the log of a run; writing never throws, and a file that cannot be written is dropped after one warning. */
export function openRunLog(options: RunLogOptions): RunLog {
  const { level, stderr, redact } = options;
  const file = options.file === undefined ? undefined : openFile(options.file, options.onFault);
  const streams = [
    ...(stderr === undefined ? [] : [{ level: 'trace' as const, stream: stderrStream(stderr) }]),
    ...(file === undefined ? [] : [{ level: 'trace' as const, stream: file.stream }]),
  ];
  const log = pino(
    {
      level,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date(options.now()).toISOString()}"`,
    },
    pino.multistream(streams),
  );
  const clean = (text: string): string => printable(redact(text), TEXT_CHARS);
  const terms = new Map<string, { readonly symbol: string; readonly order: string }>();

  function orderOf(event: SluiceEvent): { readonly symbol?: string; readonly order?: string } {
    if (!('intentId' in event)) return {};
    const { intentId } = event;
    if (event.kind === 'intent-drafted') {
      const [oldest] = terms.size < TERMS_MAX ? [] : terms.keys();
      if (oldest !== undefined) terms.delete(oldest);
      terms.set(intentId, { symbol: event.terms.symbol, order: termsText(event.terms) });
    }
    return terms.get(intentId) ?? {};
  }

  return {
    event(event) {
      const { symbol, order } = orderOf(event);
      const eventLevel = levelOf(event);
      if (!log.isLevelEnabled(eventLevel)) return;
      const text = clean(eventText(event));
      log[eventLevel](
        {
          event: event.kind,
          marketTime: new Date(event.at).toISOString(),
          ...('intentId' in event ? { intentId: event.intentId } : {}),
          ...('orderId' in event ? { orderId: event.orderId } : {}),
          ...(symbol === undefined ? {} : { symbol, order }),
          ...('rule' in event ? { rule: event.rule } : {}),
        },
        order === undefined || event.kind === 'intent-drafted' ? text : `${order}: ${text}`,
      );
    },
    alarm({ code, message, at, facts }) {
      const known = Object.entries(facts).map(([name, value]) => [name, clean(value)]);
      const marketTime = new Date(at).toISOString();
      log.warn({ event: 'alarm', code, marketTime, facts: Object.fromEntries(known) }, clean(message));
    },
    day({ day, from, at, strategy, currency, equity, fills, orders, denied, gate }) {
      const figures = { fills, orders, denied, gate, currency, equity: equity.toFixed(2) };
      log.info(
        {
          event: 'day',
          day,
          ...omitUndefined({ from }),
          marketTime: new Date(at).toISOString(),
          strategy,
          ...figures,
        },
        `${from === undefined ? `day ${day} is` : `days ${from} to ${day} are`} over: equity ${equity.toFixed(2)} ${currency}, orders ${orders}, fills ${fills}, denied ${denied}, gate ${gate}`,
      );
    },
    connection(name, state) {
      log[state === 'down' ? 'warn' : 'info'](
        { event: 'connection', connection: name, state },
        `${name} ${state}`,
      );
    },
    close: async () => file?.close(),
  };
}

function stderrStream({ format, write }: NonNullable<RunLogOptions['stderr']>): Writable {
  return new Writable({
    decodeStrings: false,
    write(line: string | Buffer, _encoding, done) {
      const text = String(line);
      if (format === 'json') write(text);
      else {
        const { level, time, event, code, msg } = JSON.parse(text) as Record<string, string>;
        // An alarm has its own line.
        if (code === undefined) write(`${time} ${(level ?? '').toUpperCase().padEnd(5)} ${event}: ${msg}\n`);
      }
      done();
    },
  });
}

/** The log's file; only its owner can read it and the rotated files. */
function openFile(path: string, onFault: (message: string) => void) {
  const stream = createStream(basename(path), {
    path: dirname(path),
    size: FILE_SIZE,
    maxFiles: FILES_KEPT,
    mode: OWNER_ONLY,
  });
  let isBroken = false;
  stream.on('error', (error) => {
    if (!isBroken) onFault(`The log file "${path}" is not written any more: ${error.message}`);
    isBroken = true;
  });
  stream.on('warning', (error) => onFault(`The log file "${path}" could not be rotated: ${error.message}`));
  return {
    stream: new Writable({
      decodeStrings: false,
      write(line: string, _encoding, done) {
        if (!isBroken) stream.write(line);
        done();
      },
    }),
    async close() {
      if (isBroken) return;
      stream.end();
      // The handler above has reported the error.
      await finished(stream).catch(() => undefined);
    },
  };
}
