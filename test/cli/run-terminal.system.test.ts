import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  anOperator,
  eventually,
  type OnTerminal,
  type Operator,
  secretsOf,
  type VenueChild,
  venueWithBot,
} from './a-bot-process.ts';

const WAIT = { timeout: 300_000 };

let operator: Operator;
let venue: VenueChild;

beforeAll(async () => {
  operator = anOperator(() => secretsOf(venue));
  venue = await venueWithBot(operator);
});
afterEach(async () => {
  // A failed test must not leave a bot on the account for the next one.
  const pid = (await operator.status())?.pid;
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
});
afterAll(() => operator.close());

const shows = (on: OnTerminal, text: RegExp) => eventually(() => text.test(on.out()), String(text), on.out);
/** Output of the terminal after the view is closed. */
const below = (on: OnTerminal): string => on.out().split('\u001b[?1049l')[1] ?? '';
const showsBelow = (on: OnTerminal, text: RegExp) =>
  eventually(() => text.test(below(on)), `${text} below the screen`, on.out);
const state = async () => (await operator.status())?.gate.state;

/** State of a process on Linux, such as "S" (sleeping) or "T" (stopped). */
const processState = (pid: number): string => statOf(pid)[0] ?? '';
/** A bot with an embedded venue starts without the call budget and the lease of an account. */
const REPLAY = 'node_modules/config/hk-intraday.yaml --speed 1';
/** Fields of the process after its name: state, parent, group and so on. */
const statOf = (pid: number): readonly string[] =>
  readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
const groupOf = (pid: number): number => Number(statOf(pid)[2]);
/** The process that draws a bot's view. */
const viewOf = (bot: number): number => {
  const pids = readFileSync(`/proc/${bot}/task/${bot}/children`, 'latin1').trim().split(' ').map(Number);
  const view = pids.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('--of-run'));
  if (view === undefined) throw new Error(`Process ${bot} has no view among ${pids.join(', ')}`);
  return view;
};
const runningPid = async (on: OnTerminal): Promise<number> => {
  await eventually(async () => (await operator.status()) !== undefined, 'a bot that answers', on.out);
  return Number((await operator.status())?.pid);
};
/**
 * Waits for the shell's output of a word that is composed in the shell, so that the typed line does not contain it.
 */
const answers = (on: OnTerminal, word: string) => {
  on.type(`echo ${word.slice(0, 2)}''${word.slice(2)}\r`);
  return shows(on, new RegExp(`^${word}`, 'm'));
};

describe('"sluice run" on a terminal', () => {
  it(
    'shows the screen of "sluice watch", handles its keys, and continues in lines after q',
    WAIT,
    async () => {
      const run = operator.onTerminal(['run', 'bot.yaml']);
      await shows(run, /PAPER/);
      await shows(run, /positions {5}100 AAPL\.US at /);
      await shows(run, /orders {8}(?:buy|sell) 10 AAPL\.US/);
      await shows(run, /q leave view {2}Ctrl-C end bot/);

      run.type('p');
      await shows(run, /!!! HALTED !!!/);
      expect(await state()).toBe('halted');
      run.type('rr');
      await eventually(async () => (await state()) === 'active', 'an active gate', run.out);

      run.type('q');
      await showsBelow(run, /The bot continues in this terminal: Ctrl-C ends it/);
      // A line per hour, starting at once.
      await showsBelow(run, /resting on AAPL\.US[\s\S]*UTC +quotes +bars/);
      expect(await state()).toBe('active');

      run.type('\u0003');
      expect(await run.ended).toBe(130);
      expect(await operator.status()).toBeUndefined();
      expect(run.out()).toMatch(/1 order remains working at the venue/);
    },
  );

  it('ends the bot normally by Ctrl-C, and prints the messages of the run below', WAIT, async () => {
    const run = operator.onTerminal(['run', 'bot.yaml']);
    await shows(run, /Ctrl-C end bot/);
    // Printed before the view opened, shown in it, and printed again below it. The view has room for the newest lines
    // only: while the market is closed, those of its alarm.
    await shows(run, /\?1049h[\s\S]*messages [\s\S]*(?:Quotes of US: |by its calendar|market-closed)/);
    run.type('\u0003');
    expect(await run.ended).toBe(130);
    expect(below(run)).toMatch(/Quotes of US: /);
    expect(below(run)).toMatch(/1 order remains working at the venue/);
    expect(below(run)).toMatch(/Journal: /);
    expect(below(run)).not.toContain('The bot continues');
    expect(await operator.status()).toBeUndefined();
  });

  it('restores the terminal when the process of the bot is killed', WAIT, async () => {
    const run = operator.onTerminal(['run', 'bot.yaml'], { staysOpen: true });
    await shows(run, /Ctrl-C end bot/);
    process.kill(Number((await operator.status())?.pid), 'SIGKILL');
    await showsBelow(run, /The process of the bot is gone/);
    run.type('x\r');
    expect(await run.ended).toBe(137);
  });

  it('leaves the user in a usable shell, below the messages, when the bot is killed', WAIT, async () => {
    const shell = operator.shell();
    await shows(shell, /ready> /);
    shell.type(`sluice run ${REPLAY}\r`);
    await shows(shell, /Ctrl-C end bot/);
    process.kill(await runningPid(shell), 'SIGKILL');
    await showsBelow(shell, /The process of the bot is gone/);
    await answers(shell, 'usable');
    shell.type('stty -a\r');
    await showsBelow(shell, /^isig icanon /m);
    shell.type('exit\r');
    await shell.ended;
  });

  it('closes the view before the process ends itself at a second signal', WAIT, async () => {
    const shell = operator.shell();
    await shows(shell, /ready> /);
    shell.type(`sluice run ${REPLAY}\r`);
    await shows(shell, /Ctrl-C end bot/);
    const pid = await runningPid(shell);
    process.kill(pid, 'SIGTERM');
    process.kill(pid, 'SIGINT');
    await showsBelow(shell, /ready> /);
    shell.type('stty -a\r');
    await showsBelow(shell, /^isig icanon /m);
    expect(shell.out().split('\u001b[?1049l')).toHaveLength(2);
    shell.type('exit\r');
    await shell.ended;
  });

  it('prints lines and continues as a job in the background', WAIT, async () => {
    const shell = operator.shell();
    await shows(shell, /ready> /);
    shell.type(`sluice run ${REPLAY} &\r`);
    const pid = await runningPid(shell);
    await shows(shell, /UTC +quotes +bars/);
    expect(processState(pid)).not.toBe('T');
    expect(shell.out()).not.toContain('\u001b[?1049h');
    process.kill(pid, 'SIGTERM');
    await shows(shell, /Journal: /);
    shell.type('exit\r');
    await shell.ended;
  });

  it('closes the view and continues when its job is put into the background', WAIT, async () => {
    const shell = operator.shell();
    await shows(shell, /ready> /);
    shell.type(`sluice run ${REPLAY}\r`);
    await shows(shell, /Ctrl-C end bot/);
    const pid = await runningPid(shell);
    process.kill(-groupOf(pid), 'SIGSTOP');
    await shows(shell, /Stopped/);
    shell.type('bg\r');
    await showsBelow(shell, /The bot continues in this terminal/);
    expect(await state()).toBeDefined();
    expect(processState(pid)).not.toBe('T');
    shell.type('fg\r');
    await showsBelow(shell, /fg[\s\S]*sluice run /);
    shell.type('\u0003');
    await showsBelow(shell, /Journal: /);
    shell.type('exit\r');
    await shell.ended;
  });

  it(
    'continues when the terminal would stop it, while another process of its job uses the terminal',
    WAIT,
    async () => {
      const run = operator.onTerminal(['run', ...REPLAY.split(' ')]);
      await shows(run, /Ctrl-C end bot/);
      const pid = await runningPid(run);
      process.kill(pid, 'SIGTTOU');
      process.kill(pid, 'SIGTTIN');
      expect(await state()).toBeDefined();
      expect(processState(pid)).not.toBe('T');
      run.type('\u0003');
      expect(await run.ended).toBe(130);
    },
  );

  it('continues in lines when the process of the view is killed', WAIT, async () => {
    const run = operator.onTerminal(['run', ...REPLAY.split(' ')]);
    await shows(run, /Ctrl-C end bot/);
    const pid = await runningPid(run);
    process.kill(viewOf(pid), 'SIGTERM');
    await showsBelow(run, /The view ended by itself \(exit code 130\)/);
    expect(await state()).toBeDefined();
    run.type('\u0003');
    expect(await run.ended).toBe(130);
  });

  it('logs to a file that standard error is redirected to, and shows no view', WAIT, async () => {
    const shell = operator.shell();
    await shows(shell, /ready> /);
    shell.type(`sluice run ${REPLAY} --log-format json 2>run.log\r`);
    const pid = await runningPid(shell);
    const log = () => readFileSync(join(operator.project, 'run.log'), 'utf8');
    await eventually(() => log().includes('"event"'), 'a log', log);
    expect(shell.out()).not.toContain('\u001b[?1049h');
    process.kill(pid, 'SIGTERM');
    await eventually(async () => (await operator.status()) === undefined, 'the end of the bot', shell.out);
    shell.type('exit\r');
    await shell.ended;
  });
});
