import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
afterAll(() => operator.close());

const shows = (on: OnTerminal, text: RegExp) => eventually(() => text.test(on.out()), String(text), on.out);
/** What the terminal shows below once the screen is closed. */
const below = (on: OnTerminal): string => on.out().split('\u001b[?1049l')[1] ?? '';
const showsBelow = (on: OnTerminal, text: RegExp) =>
  eventually(() => text.test(below(on)), `${text} below the screen`, on.out);
const state = async () => (await operator.status())?.gate.state;

describe('"sluice run" on a terminal', () => {
  it('shows the screen of "sluice watch", takes its keys, and trades on in lines after q', WAIT, async () => {
    const run = operator.onTerminal(['run', 'bot.yaml']);
    await shows(run, /PAPER/);
    await shows(run, /positions {5}100 AAPL\.US at /);
    await shows(run, /orders {8}\S+ \(order \S+\): .*10 AAPL\.US/);
    await shows(run, /q leave view {2}Ctrl-C end bot/);

    run.type('p');
    await shows(run, /!!! HALTED !!!/);
    expect(await state()).toBe('halted');
    run.type('rr');
    await eventually(async () => (await state()) === 'active', 'an active gate', run.out);

    run.type('q');
    await showsBelow(run, /The bot continues in this terminal: Ctrl-C ends it/);
    // A line each hour, the first at once.
    await showsBelow(run, /resting on AAPL\.US[\s\S]*UTC +quotes +bars/);
    expect(await state()).toBe('active');

    run.type('\u0003');
    expect(await run.ended).toBe(130);
    expect(await operator.status()).toBeUndefined();
    expect(run.out()).toMatch(/1 order remains working at the venue/);
  });

  it('ends the bot in good order by Ctrl-C, and prints below the messages of the run', WAIT, async () => {
    const run = operator.onTerminal(['run', 'bot.yaml']);
    await shows(run, /Ctrl-C end bot/);
    run.type('\u0003');
    expect(await run.ended).toBe(130);
    expect(below(run)).toMatch(/1 order remains working at the venue/);
    expect(below(run)).toMatch(/Journal: /);
    expect(below(run)).not.toContain('The bot continues');
    expect(await operator.status()).toBeUndefined();
  });

  it('gives the terminal back when something kills the process of the bot', WAIT, async () => {
    const run = operator.onTerminal(['run', 'bot.yaml'], { staysOpen: true });
    await shows(run, /Ctrl-C end bot/);
    process.kill(Number((await operator.status())?.pid), 'SIGKILL');
    await showsBelow(run, /The process of the bot is gone/);
    run.type('x\r');
    expect(await run.ended).toBe(137);
  });
});
