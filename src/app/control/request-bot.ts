import { createConnection } from 'node:net';
import type { CommandOutcome } from '../../ports/operator.ts';
import { socketPath } from './bot-info.ts';

/** A bot's answer to a request over its control socket. */
export type BotResponse =
  | CommandOutcome
  | { readonly kind: 'status'; readonly status: unknown }
  | { readonly kind: 'prices'; readonly prices: unknown }
  | { readonly kind: 'pipeline'; readonly pipeline: unknown }
  /** No process listens, or none answers in time; `heard` if the bot acknowledged a kill. */
  | {
      readonly kind: 'silent';
      readonly heard: boolean;
      readonly why: string;
      /** No process listens: the bot has ended, even if its process id is in use again. */
      readonly gone: boolean;
    };

/** A request, and how long its answer may take, in machine milliseconds. */
export interface BotRequest {
  readonly request: unknown;
  readonly timeoutMs: number;
  /** Time limit for the acknowledgement of a kill. */
  readonly acknowledgementMs?: number;
}

/** Sends a request to a running bot. Always resolves. */
export function requestBot(
  folder: string,
  { request, timeoutMs, acknowledgementMs }: BotRequest,
): Promise<BotResponse> {
  return new Promise((resolve) => {
    let received = '';
    let heard = false;
    const socket = createConnection(socketPath(folder));
    const finish = (answer: BotResponse): void => {
      for (const timer of timers) clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const finishSilent = (why: string, gone = false): void => finish({ kind: 'silent', heard, why, gone });
    const timers = [setTimeout(() => finishSilent(`no answer within ${timeoutMs} ms`), timeoutMs)];
    if (acknowledgementMs !== undefined)
      timers.push(
        setTimeout(
          () => heard || finishSilent(`not acknowledged within ${acknowledgementMs} ms`),
          acknowledgementMs,
        ),
      );
    socket.setEncoding('utf8');
    socket.on('connect', () => void socket.write(`${JSON.stringify(request)}\n`));
    socket.on('error', (error) => finishSilent(error.message, isRefused(error)));
    socket.on('close', () => finishSilent('the bot closed the connection'));
    socket.on('data', (text: string) => {
      received += text;
      const lines = received.split('\n');
      received = lines.pop() ?? '';
      for (const line of lines) {
        const message = JSON.parse(line) as BotResponse | { readonly kind: 'heard' };
        if (message.kind === 'heard') heard = true;
        else finish(message);
      }
    });
  });
}

/** True if no process listens; a bot that hangs accepts the connection and never answers. */
function isRefused(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined;
  return code === 'ECONNREFUSED' || code === 'ENOENT';
}
