import { createConnection } from 'node:net';
import type { CommandOutcome } from '../../ports/operator.ts';
import { socketPath } from './bot-info.ts';

/** What a bot says to whoever asks it over its control socket. */
export type BotAnswer =
  | CommandOutcome
  | { readonly kind: 'status'; readonly status: unknown }
  /** Nobody there, or nobody who answers in time; `heard` when a kill was at least taken in. */
  | {
      readonly kind: 'silent';
      readonly heard: boolean;
      readonly why: string;
      /** Nobody listens: the process is over, whatever its id is used for now. */
      readonly gone: boolean;
    };

/** What is asked, and how long an answer may take, machine milliseconds. */
export interface BotQuestion {
  readonly request: unknown;
  readonly answerMs: number;
  /** How long until a kill must be heard; then the caller does not wait for the rest. */
  readonly heardMs?: number;
}

/** Asks a running bot one thing. Resolves in every case. */
export function askBot(folder: string, { request, answerMs, heardMs }: BotQuestion): Promise<BotAnswer> {
  return new Promise((resolve) => {
    let said = '';
    let heard = false;
    const socket = createConnection(socketPath(folder));
    const finish = (answer: BotAnswer): void => {
      for (const timer of timers) clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const silent = (why: string, gone = false): void => finish({ kind: 'silent', heard, why, gone });
    const timers = [setTimeout(() => silent(`no answer within ${answerMs} ms`), answerMs)];
    if (heardMs !== undefined)
      timers.push(setTimeout(() => heard || silent(`not heard within ${heardMs} ms`), heardMs));
    socket.setEncoding('utf8');
    socket.on('connect', () => void socket.write(`${JSON.stringify(request)}\n`));
    socket.on('error', (error) => silent(error.message, isRefused(error)));
    socket.on('close', () => silent('the bot hung up'));
    socket.on('data', (text: string) => {
      said += text;
      const lines = said.split('\n');
      said = lines.pop() ?? '';
      for (const line of lines) {
        const told = JSON.parse(line) as BotAnswer | { readonly kind: 'heard' };
        if (told.kind === 'heard') heard = true;
        else finish(told);
      }
    });
  });
}

/** A socket file without a listener refuses; one of a bot that hangs takes the call and stays silent. */
function isRefused(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined;
  return code === 'ECONNREFUSED' || code === 'ENOENT';
}
