import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { anOperator, eventually, secretsOf, type VenueChild } from './a-bot-process.ts';
import { restsUpTo } from './resting-bot.ts';

const canLimit = spawnSync('prlimit', ['--version']).status === 0;

/** The target of a process's file descriptor; undefined if the process has closed it in the meantime. */
function targetOf(folder: string, name: string): string | undefined {
  try {
    return readlinkSync(join(folder, name));
  } catch {
    return undefined;
  }
}

/**
 * Limits the descriptors of a process to those it has open now: the ones that it reserves are the last below the
 * limit.
 */
function exhaust(pid: number): void {
  const folder = `/proc/${pid}/fd`;
  const held = readdirSync(folder).filter((name) => targetOf(folder, name) === devNull);
  const limit = Math.max(...held.map(Number)) + 1;
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
}

interface Listed {
  readonly orderId: string;
  readonly status: string;
}

/** These tests wait more than they compute, so they run at the same time. */
describe.skipIf(!canLimit)('a bot without a free file descriptor while its orders work', () => {
  it.concurrent.for([
    ['address', '127.0.0.1'],
    ['name, which then is not found', 'localhost'],
  ])(
    'halts, sends nothing more, and still executes a kill: a venue given by its %s (F-P06, I-14)',
    {
      timeout: 300_000,
    },
    async ([, host = ''], { expect, onTestFinished }) => {
      let venue: VenueChild | undefined;
      const operator = anOperator(() => (venue === undefined ? {} : secretsOf(venue)));
      onTestFinished(() => operator.close());
      venue = await operator.venue(['--port', '0', '--rate-limits', 'off']);
      const { http, quoteWs, tradeWs } = venue.ready;
      operator.write('resting.ts', restsUpTo(200));
      operator.write(
        'bot.yaml',
        `strategy: ./resting.ts
symbols: [700.HK]
period: 1m
account: { currency: HKD }
risk: { maxOrderNotional: 500000 HKD, priceCollar: 40%, maxQuoteAge: 1m, maxQuoteJump: 50%, maxRepeats: 10 }
broker: { account: paper, http: "${http?.replace('127.0.0.1', host)}", quoteWs: "${quoteWs}", tradeWs: "${tradeWs}" }
`,
      );
      const bot = operator.run(['bot.yaml']);
      const orders = async (): Promise<readonly Listed[]> =>
        JSON.parse((await operator.sluice(['orders', '--json'])).out);
      const resting = async () => (await orders()).filter(({ status }) => status === 'NewStatus');
      const said = async () => (await operator.sluice(['journal', 'show'])).out;

      await eventually(
        async () =>
          (await operator.status())?.openOrders.filter(({ state }) => state === 'NewStatus').length === 2,
        'two orders that rest',
        bot.err,
      );
      exhaust(bot.pid);
      const [first] = await resting();
      // The operator cancels one of the two, so that the bot submits another.
      await operator.sluice(['order', 'cancel', first?.orderId ?? '']);
      await eventually(() => bot.err().includes('ALARM out-of-descriptors'), 'the alarm', bot.err);
      await eventually(async () => (await said()).includes('gate halted'), 'the halt', bot.err);
      expect(await orders()).toHaveLength(2);
      expect(await resting()).toHaveLength(1);

      bot.signal('SIGUSR2');
      await eventually(async () => (await resting()).length === 0, 'nothing to live at the venue', bot.err);
      expect(await orders()).toHaveLength(2);
      expect(await said()).toMatch(/cancel accepted/);
    },
  );
});
