import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN } from '../fixtures/built-package.ts';
import {
  anOperator,
  eventually,
  type Operator,
  type Running,
  secretsOf,
  type VenueChild,
} from './a-bot-process.ts';
import { restsUpTo } from './resting-bot.ts';

const WAIT = { timeout: 300_000 };
const ORDERS = 2;
const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

let operator: Operator;
let venue: VenueChild;
let bot: Running;

/** Runs a command for which the project's folder is read-only; other processes can still write to it. */
function sluiceReadOnly(...args: readonly string[]) {
  const script =
    'mount --bind "$PWD" "$PWD" && mount -o remount,bind,ro "$PWD" && cd "$PWD" && exec "$0" "$@"';
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['-rm', 'sh', '-c', script, process.execPath, MAIN, ...args],
    { cwd: operator.project, env: { ...process.env, ...secretsOf(venue) }, encoding: 'utf8' },
  );
  return { code: status, out: stdout, err: stderr };
}

async function live(): Promise<number> {
  const { code, out, err } = await operator.sluice(['orders', '--json']);
  if (code !== 0) throw new Error(err);
  const orders: readonly { readonly status: string }[] = JSON.parse(out);
  return orders.filter(({ status }) => status === 'NewStatus').length;
}

async function startResting(): Promise<void> {
  bot = operator.run(['bot.yaml']);
  await eventually(
    async () => {
      const open = (await operator.status())?.openOrders ?? [];
      return open.filter(({ state }) => state === 'NewStatus').length === ORDERS;
    },
    `${ORDERS} working orders`,
    bot.err,
  );
}

beforeAll(async () => {
  operator = anOperator(() => (venue === undefined ? {} : secretsOf(venue)));
  venue = await operator.venue(['--port', '0', '--rate-limits', 'off']);
  const { http, quoteWs, tradeWs } = venue.ready;
  operator.write('resting.ts', restsUpTo(ORDERS * 100));
  operator.write(
    'bot.yaml',
    `strategy: ./resting.ts
symbols: [700.HK]
period: 1m
account: { currency: HKD }
risk: { maxOrderNotional: 500000 HKD, priceCollar: 40%, maxQuoteAge: 1m, maxQuoteJump: 50%, maxRepeats: 100, maxOrderRate: 100/min, maxOpenOrders: 50, maxPositionWeight: 90%, maxGrossExposure: 90% }
broker: { account: paper, http: "${http}", quoteWs: "${quoteWs}", tradeWs: "${tradeWs}" }
`,
  );
});
afterAll(() => operator.close());

describe.skipIf(!canMount)('a project on a read-only file system', () => {
  it('has the orders of a hanging bot cancelled, and reports that the mark is missing', WAIT, async () => {
    await startResting();
    bot.signal('SIGSTOP');
    const killed = sluiceReadOnly('kill');
    expect(killed.out).toContain('could NOT be marked as killed');
    expect(killed.out).toContain('EROFS');
    expect(killed.out).toContain(`Orders cancelled from here: ${ORDERS} (`);
    expect(killed.code).toBe(7);
    await eventually(async () => (await live()) === 0, 'no order to be left');
    bot.signal('SIGKILL');
    await bot.ended;
  });

  it('shows the status of a bot that died', WAIT, () => {
    const { code, out, err } = sluiceReadOnly('status');
    expect(err).toBe('');
    expect(out).toContain('is dead');
    expect(code).toBe(1);
  });

  it('starts no bot: a message with the cause, exit code 7', WAIT, () => {
    const { code, out, err } = sluiceReadOnly('run', 'bot.yaml');
    expect(err).toContain('the file system is read-only');
    expect(`${out}${err}`).not.toMatch(/^ {4}at /m);
    expect(code).toBe(7);
  });

  it('kills a bot that answers (I-14)', WAIT, async () => {
    await startResting();
    const killed = sluiceReadOnly('kill');
    expect(killed).toMatchObject({ code: 0, err: '' });
    await eventually(async () => (await live()) === 0, 'no order to be left');
    expect((await operator.status())?.gate.state).toBe('killed');
  });
});
