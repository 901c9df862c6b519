import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALL_BUDGET } from '#src/execution/call-budget/call-budget.ts';
import { anOperator, eventually, type Operator, secretsOf, type VenueChild } from './a-bot-process.ts';
import { restsUpTo } from './resting-bot.ts';

const WAIT = { timeout: 300_000 };
const INTERRUPTED = 130;
const RESTARTS = 2;
/** A refusal for too many calls. The digits must be a whole word, as ids of orders and executions contain any six. */
const TOO_MANY = /\b429\d{3}\b|too many/i;

/** Two folders of one user, which reach the same venue under two names. */
let [first, second]: Operator[] = [];
let venue: VenueChild;
let shared: Readonly<Record<string, string>>;

beforeAll(async () => {
  [first, second] = [anOperator(() => secretsOf(venue)), anOperator(() => secretsOf(venue))];
  const [one, other] = operators();
  shared = { SLUICE_STATE_DIR: join(one.project, 'state') };
  venue = await one.venue(['--port', '0', '--state', 'venue.db', '--rate-limits', 'account']);
  for (const [operator, host] of [
    [one, '127.0.0.1'],
    [other, 'localhost'],
  ] as const) {
    const at = (name: string): string => (venue.ready[name] ?? '').replace('127.0.0.1', host);
    operator.write('resting.ts', restsUpTo(100));
    operator.write(
      'bot.yaml',
      `strategy: ./resting.ts
symbols: [AAPL.US]
period: 1m
account: { currency: HKD }
risk: { maxOrderNotional: 500000 HKD, priceCollar: 40%, maxQuoteAge: 1m, maxQuoteJump: 50% }
broker: { account: paper, http: "${at('http')}", quoteWs: "${at('quoteWs')}", tradeWs: "${at('tradeWs')}" }
`,
    );
  }
});
afterAll(async () => {
  for (const each of operators()) await each.close();
});

function operators(): readonly [Operator, Operator] {
  if (first === undefined || second === undefined) throw new Error('The operators are not there yet');
  return [first, second];
}

const rests = async (operator: Operator): Promise<boolean> =>
  (await operator.status())?.openOrders.some(({ state }) => state === 'NewStatus') === true;

describe('bots of one user on one account', () => {
  it('run one at a time, in any folder and under any name of the venue (I-25)', WAIT, async () => {
    const [one, other] = operators();
    const bot = one.run(['bot.yaml'], shared);
    await eventually(() => rests(one), 'an order of the first bot', bot.err);
    const refused = await other.sluice(['run', 'bot.yaml'], shared);
    expect(refused.code).toBe(7);
    expect(refused.err).toMatch(/process \d+ \(.*bot\.yaml in .*\) does so already/);
    bot.signal('SIGTERM');
    expect(await bot.ended).toBe(INTERRUPTED);
  });

  it('share one call budget with manual requests, and recover within it (F-M07, I-17)', WAIT, async () => {
    const texts: string[] = [];
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      const [one, other] = restart % 2 === 0 ? operators() : operators().toReversed();
      if (one === undefined || other === undefined) throw new Error('There are two');
      const bot = one.run(['bot.yaml'], shared);
      // Only the last one gets enough time to trade.
      const isLast = restart === RESTARTS - 1;
      const isThere = async (): Promise<boolean> => (await one.status())?.gate.state === 'active';
      await eventually(() => (isLast ? rests(one) : isThere()), `start ${restart + 1}`, bot.err);
      const asked = await other.sluice(['orders', '--config', 'bot.yaml', '--json'], shared);
      expect(asked.code).toBe(0);
      await eventually(async () => ((await one.status())?.calls?.others ?? 0) > 0, 'calls of others');
      const { cancel = 0, protect = 0, read = 0, open = 0, others = 0 } = (await one.status())?.calls ?? {};
      expect(cancel + protect + read + open + others).toBeLessThanOrEqual(CALL_BUDGET.calls);
      bot.signal('SIGTERM');
      expect(await bot.ended).toBe(INTERRUPTED);
      texts.push(bot.out(), bot.err(), asked.err);
    }
    expect(texts.filter((text) => TOO_MANY.test(text))).toEqual([]);
  });
});

describe('a bot whose access token is replaced by another process', () => {
  it(
    'continues with the new one from the token file, and raises an alarm if its folder has none (F-B06, I-19)',
    WAIT,
    async () => {
      const [one, other] = operators();
      const bot = one.run(['bot.yaml'], shared);
      await eventually(() => rests(one), 'an order of the bot', bot.err);
      const refreshed = await one.sluice(['token', 'refresh', '--url', venue.ready['http'] ?? '']);
      expect(refreshed.code).toBe(0);
      const killed = await one.sluice(['kill', '--reason', 'after the refresh']);
      expect([killed.code, (await one.status())?.openOrders]).toEqual([0, []]);
      expect((await one.sluice(['resume', '--reason', 'the token is new'])).code).toBe(0);
      await eventually(() => rests(one), 'an order with the new token', bot.err);
      expect(bot.err()).not.toContain('ALARM access-token');
      const folder = join(one.project, '.sluice/tokens');
      const [name = ''] = readdirSync(folder);
      const { accessToken } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      const again = await other.sluice(['token', 'refresh', '--url', venue.ready['http'] ?? ''], {
        SLUICE_ACCESS_TOKEN: accessToken,
      });
      expect(again.code).toBe(0);
      await eventually(async () => bot.err().includes('ALARM access-token'), 'the alarm', bot.err);
      expect(bot.err()).toContain('Create a token at the broker');
      bot.signal('SIGTERM');
      await bot.ended;
    },
  );
});
