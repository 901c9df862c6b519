import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Subject } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { BOT_INFO_FILE, type BotInfo, readBotInfo, socketPath } from '#src/app/control/bot-info.ts';
import { type Control, openControl } from '#src/app/control/control-server.ts';
import { type KillMark, openKillMark } from '#src/app/control/kill-mark.ts';
import { requestBot } from '#src/app/control/request-bot.ts';
import type { OperatorRequest } from '#src/ports/operator.ts';
import { eventually } from '../fixtures/eventually.ts';

const CARD: BotInfo = {
  pid: process.pid,
  config: 'config/bot.yaml',
  strategy: 'by-hand',
  http: 'http://127.0.0.1:9',
  profile: 'documented',
  deployment: 'TEST',
  ownVenue: false,
  since: '2026-01-01T00:00:00.000Z',
};

let folder = '';
let mark: KillMark;
let control: Control | undefined;
let heard: OperatorRequest[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-control-'));
  mark = openKillMark(folder);
  heard = [];
});

afterEach(() => {
  control?.close();
  control = undefined;
  mark.close();
  rmSync(folder, { recursive: true });
});

async function opened(answering = true): Promise<void> {
  const machine = createSystemClock();
  const commands$ = new Subject<OperatorRequest>();
  control = openControl({
    commands$,
    folder,
    info: CARD,
    mark,
    machine,
    status: () => ({ gate: 'active' }),
    prices: async (symbol) => ({ symbol }),
    pipeline: async () => ({ seen: 1 }),
  });
  commands$.subscribe((request) => {
    heard.push(request);
    if (answering) request.answer?.({ kind: 'done', message: `did ${request.command.kind}` });
  });
  await eventually(() => isThere(socketPath(folder)), 'the control socket to be there');
}

function isThere(path: string): boolean {
  try {
    return statSync(path).isSocket();
  } catch {
    return false;
  }
}

const ask = (request: unknown) => requestBot(folder, { request, timeoutMs: 5_000 });
const command = (what: object, reason = 'by hand') => ({ kind: 'command', command: what, by: 'cli', reason });

describe('the control socket of a bot', () => {
  it("is accessible to its owner only, and answers a request without a secret with the bot's name", async () => {
    await opened();
    expect(statSync(socketPath(folder)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, BOT_INFO_FILE)).mode & 0o777).toBe(0o600);
    expect(readBotInfo(folder)).toEqual(CARD);
    control?.close();
    expect(readBotInfo(folder)).toMatchObject({ pid: CARD.pid, ended: expect.any(String) });
  });

  it('reports the status of the bot, and passes commands on with operator and reason', async () => {
    await opened();
    expect(await ask({ kind: 'status' })).toEqual({ kind: 'status', status: { gate: 'active' } });
    expect(await ask(command({ kind: 'resume' }, 'looked'))).toEqual({ kind: 'done', message: 'did resume' });
    const settle = {
      kind: 'settle',
      intentId: 'I1',
      outcome: { kind: 'filled', quantity: '10', price: '9.5' },
    };
    expect(await ask(command(settle))).toMatchObject({ kind: 'done' });
    expect(heard.map(({ command: what, by, reason }) => [what.kind, by, reason])).toEqual([
      ['resume', 'cli', 'looked'],
      ['settle', 'cli', 'by hand'],
    ]);
  });

  it.each([
    ['no JSON', 'rubbish'],
    ['an unknown command', command({ kind: 'raise-limits' })],
    ['a field too many', command({ kind: 'halt', limit: 7 })],
    [
      'an invalid number',
      command({ kind: 'settle', intentId: 'I', outcome: { kind: 'filled', quantity: 'x', price: '1' } }),
    ],
    ['an invalid symbol', command({ kind: 'cancel-all', symbols: ['__proto__'] })],
    ['a request without end', 'x'.repeat(70_000)],
  ])('refuses %s and does nothing (I-23)', async (_name, request) => {
    await opened();
    expect(await ask(request)).toMatchObject({ kind: 'refused' });
    expect(heard).toEqual([]);
  });

  it('answers behind any number of idle callers', async () => {
    await opened();
    const idle = Array.from({ length: 40 }, () => createConnection(socketPath(folder)));
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    expect(await ask({ kind: 'status' })).toEqual({ kind: 'status', status: { gate: 'active' } });
    for (const socket of idle) socket.destroy();
  });

  it('closes if the end of the bot cannot be recorded, and reports it', async () => {
    const faults: string[] = [];
    const machine = createSystemClock();
    const onFault = (message: string): void => void faults.push(message);
    const one = openControl({
      commands$: new Subject<OperatorRequest>(),
      folder,
      info: CARD,
      mark,
      machine,
      onFault,
      status: () => ({}),
      prices: async () => ({}),
      pipeline: async () => ({}),
    });
    rmSync(join(folder, 'bot.json'));
    mkdirSync(join(folder, 'bot.json'));
    one.close();
    expect(faults).toEqual([expect.stringContaining('EISDIR')]);
  });

  it('fails at once when no bot listens', async () => {
    expect(await ask({ kind: 'status' })).toMatchObject({ kind: 'silent', heard: false });
  });
});

describe('a kill', () => {
  it('is recorded before it is carried out, and received at once although it takes time (I-14)', async () => {
    await opened(false);
    const kill = command({ kind: 'kill', flatten: false, foreign: false }, 'mad strategy');
    const answer = requestBot(folder, { request: kill, timeoutMs: 300, acknowledgementMs: 250 });
    await eventually(() => heard.length === 1, 'the kill to be handed on');
    expect(mark.read()?.reason).toBe('mad strategy (cli)');
    expect(await answer).toMatchObject({ kind: 'silent', heard: true });
  });

  it('can be sent by signal', async () => {
    await opened();
    process.kill(process.pid, 'SIGUSR2');
    await eventually(() => heard.length === 1, 'the signal to be heard');
    expect(heard[0]).toMatchObject({ command: { kind: 'kill' }, by: 'signal' });
  });

  it('is triggered by the kill file, once', async () => {
    await opened();
    writeFileSync(join(folder, 'kill'), 'the market burns\n');
    await eventually(() => heard.length === 1, 'the kill file to be seen');
    expect(heard[0]).toMatchObject({ by: 'kill file', reason: 'the market burns' });
    const seen = createSystemClock().now() + 200;
    await eventually(() => createSystemClock().now() > seen, 'a few more looks');
    expect(heard).toHaveLength(1);
  });

  it('uses space that the file has reserved from the start, so that a full disk does not stop it (F-K03, I-14)', () => {
    const size = () => statSync(join(folder, 'kill')).size;
    const before = size();
    mark.set('the disk is full');
    expect([before, size(), statSync(join(folder, 'kill')).mode & 0o777]).toEqual([4_096, 4_096, 0o600]);
    expect(readFileSync(join(folder, 'kill'), 'utf8').startsWith('killed: the disk is full\n')).toBe(true);
  });

  it('holds for the next process that opens it, until it is lifted (I-14)', () => {
    mark.set('yesterday');
    const next = openKillMark(folder);
    const kill = next.read();
    expect(kill?.reason).toBe('yesterday');
    if (kill !== undefined) next.lift(kill);
    expect(mark.read()).toBeUndefined();
    next.close();
  });

  it('is assumed from an emptied kill file, since it may have been one', () => {
    writeFileSync(join(folder, 'kill'), '');
    expect(mark.read()?.reason).toBe('the kill file is empty');
  });
});
