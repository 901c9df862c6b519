import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  anOperator,
  eventually,
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

describe('"sluice watch" on a terminal', () => {
  it(
    'shows a bot, pauses it with one key, kills it with two, and leaves the terminal as it was',
    WAIT,
    async () => {
      const bot = operator.run(['bot.yaml']);
      await eventually(
        async () => {
          const status = await operator.status();
          return (status?.positions.length ?? 0) > 0 && (status?.openOrders.length ?? 0) > 0;
        },
        'a position and a working order',
        bot.err,
      );
      const state = async () => (await operator.status())?.gate.state;
      const watch = operator.onTerminal(['watch']);
      const shows = (text: RegExp) => eventually(() => text.test(watch.out()), String(text), watch.out);

      await shows(/PAPER/);
      await shows(/positions {5}100 AAPL\.US at /);
      await shows(/orders {8}(?:buy|sell) 10 AAPL\.US/);
      await shows(/k kill {3}p pause/);

      watch.type('\u001b[B');
      await shows(/orders {6}> (?:buy|sell) 10 AAPL\.US/);
      watch.type('w');
      await shows(/\nOrder \S+\s+\d{4}-[\s\S]*w back/);
      watch.type('\u001b');
      await shows(/w back[\s\S]*w why/);

      watch.type('p');
      await shows(/!!! HALTED !!!/);
      expect(watch.out()).toContain('\u0007');
      expect(await state()).toBe('halted');

      watch.type('k');
      await shows(/Press k again/);
      watch.type('x');
      await shows(/Press k again(?![\s\S]*Press k again)[\s\S]*k kill/);
      watch.type('\u001b[200~kk\u001b[201~');
      watch.type('k');
      await shows(/k kill(?![\s\S]*k kill)[\s\S]*Press k again/);
      expect(await state()).toBe('halted');
      watch.type('k');
      await shows(/!!! KILLED !!!/);
      const killed = await operator.status();
      expect([killed?.gate.state, killed?.gate.reason]).toEqual([
        'killed',
        expect.stringContaining('by key in "sluice watch"'),
      ]);

      watch.type('q');
      expect(await watch.ended).toBe(0);
      expect(watch.out()).toContain('\u001b[?1049l');
      expect(await state()).toBe('killed');
    },
  );

  it('prints lines off a terminal, and ends with the bot', WAIT, async () => {
    const lines = operator.start(['watch']);
    await eventually(() => lines.out().includes('gate    killed'), 'the first lines', lines.out);
    process.kill(Number((await operator.status())?.pid), 'SIGKILL');
    const code = await lines.ended;
    const out = lines.out();
    expect(out).toMatch(/^PAPER {2}\S+ {2}"resting" from bot\.yaml, runs$/m);
    expect(out).toMatch(/^gate {4}killed by operator/m);
    expect(out).toMatch(/^fill {4}.* buy \d+ AAPL\.US at /m);
    expect(out).toContain(', DIED');
    expect(code).toBe(1);
  });

  it('names the requested bot when it does not exist', WAIT, async () => {
    const { err, code } = await operator.sluice(['watch', '--bot', 'nothing']);
    expect(err).toContain('"nothing"');
    expect(code).not.toBe(0);
  });
});
