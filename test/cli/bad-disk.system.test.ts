import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { describe, it, type TestContext } from 'vitest';
import {
  anOperator,
  eventually,
  type Operator,
  type Running,
  secretsOf,
  type VenueChild,
} from './a-bot-process.ts';
import { restsUpTo } from './resting-bot.ts';

/** A manual cancel of one of the two orders makes it submit another. */
const STRATEGY = restsUpTo(200);
const WAIT = { timeout: 300_000 };
const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

interface Listed {
  readonly orderId: string;
  readonly status: string;
  /** Time of the venue's last change, in UTC. */
  readonly updatedAt: string;
}

/** A bot with two working orders, and a disk that can be made to fail. */
interface Scene {
  readonly operator: Operator;
  readonly bot: Running;
  /** Ids of the working orders in the bot's status. */
  resting(): Promise<readonly string[]>;
  /** Makes the process's disk calls fail in this way from now on. */
  failing(inject: string): Promise<void>;
  /** All orders of the venue. */
  orders(): Promise<readonly Listed[]>;
  /** Number of open orders. */
  live(): Promise<number>;
  /** Reasons of the orders in the journal that were not sent. */
  unsent(): Promise<readonly string[]>;
}

/** A bot and a venue that end with the test. */
async function aScene(onTestFinished: TestContext['onTestFinished']): Promise<Scene> {
  let venue: VenueChild | undefined;
  let disk: ChildProcess | undefined;
  const operator = anOperator(() => (venue === undefined ? {} : secretsOf(venue)));
  onTestFinished(async () => {
    disk?.kill('SIGKILL');
    await operator.close();
  });
  venue = await operator.venue(['--port', '0', '--rate-limits', 'off']);
  const { http, quoteWs, tradeWs } = venue.ready;
  operator.write('resting.ts', STRATEGY);
  operator.write(
    'bot.yaml',
    `strategy: ./resting.ts
symbols: [700.HK]
period: 1m
account: { currency: HKD }
risk: { maxOrderNotional: 500000 HKD, priceCollar: 40%, maxQuoteAge: 1m, maxQuoteJump: 50%, maxRepeats: 10 }
broker: { account: paper, http: "${http}", quoteWs: "${quoteWs}", tradeWs: "${tradeWs}" }
`,
  );
  const bot = operator.run(['bot.yaml']);

  async function resting(): Promise<readonly string[]> {
    const open = (await operator.status())?.openOrders ?? [];
    return open.flatMap(({ orderId, state }) =>
      orderId !== undefined && state === 'NewStatus' ? [orderId] : [],
    );
  }

  async function orders(): Promise<readonly Listed[]> {
    const { code, out, err } = await operator.sluice(['orders', '--json']);
    if (code !== 0) throw new Error(err);
    return JSON.parse(out);
  }

  await eventually(async () => (await resting()).length === 2, 'two orders that rest', bot.err);
  return {
    operator,
    bot,
    resting,
    async failing(inject) {
      const args = ['-f', '-o', '/dev/null', '-e', `inject=${inject}`, '-p', String(bot.pid)];
      const tracer = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
      disk = tracer;
      let said = '';
      tracer.stderr.on('data', (text) => {
        said += text;
      });
      await eventually(() => said.includes('attached'), 'the disk to be spoilt');
    },
    orders,
    live: async () => (await orders()).filter(({ status }) => status === 'NewStatus').length,
    async unsent() {
      const { out } = await operator.sluice(['journal', 'show', '--json']);
      return out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .flatMap((event) => (event.kind === 'submit-not-sent' ? [event.message] : []));
    },
  };
}

/** These tests wait more than they compute, so they run at the same time. */
describe.skipIf(!canTrace)('a bot on a disk that fails while it trades', () => {
  it.concurrent(
    'that takes six seconds for a sync: verdicts become stale and nothing is sent, a kill does not wait (F-K05, F-O01, I-5, I-14)',
    WAIT,
    async ({ expect, onTestFinished }) => {
      const { operator, bot, resting, failing, orders, live, unsent } = await aScene(onTestFinished);
      const [first = ''] = await resting();
      await failing('fdatasync,fsync:delay_enter=6000000');
      expect((await operator.sluice(['order', 'cancel', first])).code).toBe(0);
      await eventually(
        async () => (await unsent()).some((why) => /grown too old/.test(why)),
        'a verdict that has grown too old',
        bot.err,
      );
      expect(await orders()).toHaveLength(2);
      const kill = await operator.sluice(['kill', '--reason', 'the disk is slow']);
      expect(kill.code).toBe(0);
      await eventually(async () => (await live()) === 0, 'nothing to live at the venue', bot.err);
      expect(await orders()).toHaveLength(2);
    },
  );

  it.concurrent(
    'that takes thirty seconds for a sync: the cancels of a kill with a flatten do not wait for it (F-K05, I-14)',
    WAIT,
    async ({ expect, onTestFinished }) => {
      const { operator, bot, failing, orders, live } = await aScene(onTestFinished);
      await failing('fdatasync,fsync:delay_enter=30000000');
      const began = Date.now();
      const killing = operator.sluice(['kill', '--flatten', '--reason', 'the disk hangs']);
      await eventually(async () => (await live()) === 0, 'nothing to live at the venue', bot.err);
      const ends = (await orders()).map(({ updatedAt }) => Date.parse(updatedAt) - began);
      expect(Math.max(...ends)).toBeLessThan(15_000);
      // The kill's own journal would take minutes.
      process.kill(bot.pid, 'SIGKILL');
      expect((await killing).out).toContain('Orders cancelled from here: none');
    },
  );

  it.concurrent(
    'that is full: nothing is sent that is not on it, the bot ends with 7, and working orders can be killed (F-K03, I-1, I-14)',
    WAIT,
    async ({ expect, onTestFinished }) => {
      const { operator, bot, resting, failing, orders, live } = await aScene(onTestFinished);
      const [first = ''] = await resting();
      await failing('pwrite64:error=ENOSPC');
      await operator.sluice(['order', 'cancel', first]);
      expect(await bot.ended).toBe(7);
      expect(bot.err()).toContain('the disk is full');
      expect(await orders()).toHaveLength(2);
      const kill = await operator.sluice(['kill', '--reason', 'the disk is full']);
      expect([kill.code, kill.out]).toEqual([0, expect.stringContaining('Orders cancelled from here: 1 (')]);
      await eventually(async () => (await live()) === 0, 'nothing to live at the venue', bot.err);
    },
  );
});
