import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Subject } from 'rxjs';
import { millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommandOutcome, OperatorRequest } from '../../ports/operator.ts';
import { BOT_INFO_FILE, type BotInfo, socketPath } from './bot-info.ts';
import { type ControlRequest, type PricesRequest, readControlRequest } from './control-message.ts';
import type { KillMark } from './kill-mark.ts';

/** Receives commands for a running bot: over a socket in its folder, by signal, and through the kill file. */
export interface Control {
  close(): void;
}

export interface ControlParts {
  readonly commands$: Pick<Subject<OperatorRequest>, 'next'>;
  /** Folder of the bot, accessible only to its owner. */
  readonly folder: string;
  readonly info: BotInfo;
  readonly mark: KillMark;
  readonly machine: Clock;
  /** Called with the reason when an action failed. */
  readonly onFault?: (message: string) => void;
  /** Returns the bot's status, as plain data. */
  readonly status: () => unknown;
  /** Returns the bot's prices, with the bars of one symbol, as plain data. */
  readonly prices: (wanted: PricesRequest) => Promise<unknown>;
  /** Returns the state of the bot's pipeline, as plain data. */
  readonly pipeline: () => Promise<unknown>;
}

const OWNER_ONLY = 0o600;
/** Maximum length of a request, in characters. */
const LINE_MAX = 65_536;
/** Maximum connections without a request, and maximum that wait for an answer. */
const CLIENTS_MAX = 16;
const PENDING_REQUESTS_MAX = 256;
/** Interval at which the kill file is read. "sluice kill" also notifies the bot over the socket. */
const MARK_POLL_INTERVAL_MS = 50;

/**
 * Listens for commands until closed. A kill is marked in the bot's folder before it is executed, so that it holds
 * even if this process dies; a mark that exists at the start is executed as a kill.
 */
export function openControl(parts: ControlParts): Control {
  const { commands$, folder, info, mark, machine } = parts;
  /** Connections: `idle` until they send a request. */
  const clients = new Map<Socket, 'idle' | 'asked'>();
  let closed = false;
  /** Id of the kill in the file that was already turned into a command. */
  let handledKillId: string | undefined;

  function order(request: OperatorRequest): void {
    const { command, by, reason } = request;
    if (command.kind === 'kill') {
      try {
        mark.set(`${reason} (${by})`);
        handledKillId = mark.read()?.id;
      } catch {
        // The kill continues; the command that kills reports the missing mark.
      }
    }
    commands$.next(request);
  }

  function serve(caller: Socket): void {
    // The oldest idle connection, possibly abandoned, is closed to admit a new one.
    const idle = [...clients].filter(([, how]) => how === 'idle').map(([each]) => each);
    if (idle.length >= CLIENTS_MAX) idle[0]?.destroy();
    if (clients.size - idle.length >= PENDING_REQUESTS_MAX) {
      caller.destroy();
      return;
    }
    clients.set(caller, 'idle');
    let received = '';
    caller.setEncoding('utf8');
    caller.on('error', () => caller.destroy());
    caller.on('close', () => clients.delete(caller));
    caller.on('data', (text: string) => {
      received += text;
      const end = received.indexOf('\n');
      if (end < 0 && received.length <= LINE_MAX) return;
      caller.removeAllListeners('data');
      clients.set(caller, 'asked');
      answer(caller, end < 0 ? undefined : readControlRequest(received.slice(0, end)));
    });
  }

  function answer(caller: Socket, request: ControlRequest | undefined): void {
    const send = (message: unknown): void => void caller.end(`${JSON.stringify(message)}\n`);
    if (request === undefined) send({ kind: 'refused', message: 'Unknown request' });
    else if (request.kind === 'status') send({ kind: 'status', status: parts.status() });
    else if (request.kind === 'pipeline')
      parts.pipeline().then(
        (pipeline) => send({ kind: 'pipeline', pipeline }),
        (error: unknown) => send({ kind: 'refused', message: String(error) }),
      );
    else if (request.kind === 'prices')
      parts.prices(request).then(
        (prices) => send({ kind: 'prices', prices }),
        (error: unknown) => send({ kind: 'refused', message: String(error) }),
      );
    else {
      const { command, by, reason } = request;
      // The caller must know at once that a process received the kill.
      if (command.kind === 'kill') caller.write('{"kind":"heard"}\n');
      order({ command, by, reason, answer: (outcome: CommandOutcome) => send(outcome) });
    }
  }

  function checkMark(): void {
    if (closed) return;
    const kill = mark.read();
    if (kill !== undefined && kill.id !== handledKillId)
      commands$.next({ command: KILL, by: 'kill file', reason: kill.reason });
    handledKillId = kill?.id;
    machine.at(millis(machine.now() + MARK_POLL_INTERVAL_MS), 'timer', checkMark);
  }

  const writeInfo = (left: BotInfo): void =>
    writeFileSync(join(folder, BOT_INFO_FILE), `${JSON.stringify(left)}\n`, { mode: OWNER_ONLY });
  const onSignal = (): void => order({ command: KILL, by: 'signal', reason: 'SIGUSR2' });
  const server = listen(folder, serve);
  writeInfo(info);
  process.on('SIGUSR2', onSignal);
  machine.at(machine.now(), 'timer', checkMark);

  return {
    close() {
      closed = true;
      process.off('SIGUSR2', onSignal);
      for (const caller of clients.keys()) caller.destroy();
      server.close();
      // Without this entry, "status" reports a dead bot; a failure to write it must not prevent the end.
      try {
        writeInfo({ ...info, ended: new Date(machine.now()).toISOString() });
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        parts.onFault?.(`Cannot record the end of the bot: ${why}`);
      }
    },
  };
}

const KILL = { kind: 'kill', flatten: false, foreign: false } as const;

function listen(folder: string, serve: (caller: Socket) => void): Server {
  const path = socketPath(folder);
  rmSync(path, { force: true });
  const server = createServer(serve);
  server.on('error', () => server.close());
  server.listen(path);
  // The socket is bound already: its folder is accessible only to its owner, and from here on so is the socket.
  chmodSync(path, OWNER_ONLY);
  server.unref();
  return server;
}
