import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anOperator, eventually, type Operator, secretsOf, type VenueChild } from './a-bot-process.ts';
import { MACHINE_AHEAD_MS, venueAhead } from './a-venue-ahead.ts';
import { restsUpTo } from './resting-bot.ts';

const STRATEGY = restsUpTo(100);
const WAIT = { timeout: 300_000 };

let operator: Operator;
let venue: VenueChild;

beforeAll(async () => {
  operator = anOperator(() => secretsOf(venue));
  venue = await operator.venue(['--port', '0', '--admin-port', '0']);
  operator.write('resting.ts', STRATEGY);
  operator.write('bot.yaml', config(venue.ready));
});
afterAll(() => operator.close());

function config(ready: Readonly<Record<string, string>>, account = 'paper', symbol = '700.HK'): string {
  const { http, quoteWs, tradeWs } = ready;
  return `strategy: ./resting.ts
symbols: [${symbol}]
period: 1m
account: { currency: HKD }
risk: { maxOrderNotional: 500000 HKD, priceCollar: 40%, maxQuoteAge: 1m, maxQuoteJump: 50% }
broker: { account: ${account}, http: "${http}", quoteWs: "${quoteWs}", tradeWs: "${tradeWs}" }
`;
}

async function post(path: string, body: unknown): Promise<void> {
  const answer = await fetch(`${venue.ready['admin']}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${venue.ready['adminToken']}` },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Runs a config that is refused; returns its exit code and message. */
async function refused(name: string, environment = {}): Promise<readonly [number | null, string]> {
  const run = operator.run([name], environment);
  return [await run.ended, run.err()];
}

describe('a run that cannot begin prints the reason and the remedy, and ends with its exit code', () => {
  it('a token or a secret that the venue does not know: 4', WAIT, async () => {
    const [code, said] = await refused('bot.yaml', { SLUICE_ACCESS_TOKEN: 'at_paper_of_nobody' });
    expect(code).toBe(4);
    expect(said).toContain('401003');
    expect(said).toContain('set SLUICE_ACCESS_TOKEN to the current one');
    const [other, reported] = await refused('bot.yaml', { SLUICE_APP_SECRET: 'as_paper_of_nobody' });
    expect(other).toBe(4);
    expect(reported).toContain('Check SLUICE_APP_SECRET, and that the clock of this machine is right');
  });

  it('the same with a data folder, for which it connects once', WAIT, async () => {
    operator.write('with-data.yaml', config(venue.ready).replace('[700.HK]', '[DEMO.HK]') + DATA);
    const [code, said] = await refused('with-data.yaml', { SLUICE_ACCESS_TOKEN: 'at_paper_of_nobody' });
    expect(code).toBe(4);
    expect(said).toContain('set SLUICE_ACCESS_TOKEN to the current one');
  });

  it('another account than that of the credentials: 3, also on paper (F-O06)', WAIT, async () => {
    operator.write('other.yaml', config(venue.ready, 'papr'));
    const [code, said] = await refused('other.yaml');
    expect(code).toBe(3);
    expect(said).toContain('Cannot trade account "papr": the credentials open another account');
    expect(said).toContain('at other.yaml (broker.account)');
    const asked = await operator.sluice(['positions', '--config', 'other.yaml']);
    expect([asked.code, asked.err]).toEqual([3, expect.stringContaining('the credentials open another')]);
  });

  it('a symbol that is not listed: 3', WAIT, async () => {
    operator.write('unlisted.yaml', config(venue.ready, 'paper', '701.HK'));
    const [code, said] = await refused('unlisted.yaml');
    expect([code, said]).toEqual([3, expect.stringContaining('"701.HK" (symbols[0]) is not listed there')]);
  });

  it('an account that may not be read: 4', WAIT, async () => {
    await post('/access', { assets: false });
    const [code, said] = await refused('bot.yaml');
    await post('/access', { assets: true });
    expect(code).toBe(4);
    expect(said).toContain("Cannot start: the venue did not state the account's positions (602001");
  });

  it('no server at that address: 4', WAIT, async () => {
    const gone = Object.fromEntries(
      Object.entries(venue.ready).map(([name, text]) => [name, text.replace(/:\d+/, ':9')]),
    );
    operator.write('gone.yaml', config(gone));
    const [code, said] = await refused('gone.yaml');
    expect([code, said]).toEqual([4, expect.stringContaining('ECONNREFUSED')]);
    expect(said).toContain('Check the address, and that the venue is running');
  });

  it('a clock that is an hour off, with which nothing can be signed: 4 (I-18)', WAIT, async () => {
    const ahead = await venueAhead();
    try {
      operator.write(
        'ahead.yaml',
        config(ahead.ready, '20400500').replace(
          'account: 20400500,',
          'account: "20400500", profile: longbridge,',
        ),
      );
      const [code, said] = await refused('ahead.yaml', ahead.secrets);
      expect(code).toBe(4);
      expect(said).toContain('the clock of this machine');
      expect(MACHINE_AHEAD_MS).toBe(3_600_000);
    } finally {
      await ahead.close();
    }
  });
});

describe('a run whose clock is ten seconds off', () => {
  it(
    'halts before its first order, because an alarm was raised while it connected, and ends with 5 (F-C01, I-18)',
    WAIT,
    async () => {
      await post('/faults', { seed: 1, knobs: [{ knob: 'venue.date', form: 'shifted', ms: 10_000 }] });
      const bot = operator.run(['bot.yaml']);
      await eventually(
        async () => (await operator.status())?.gate.state === 'halted',
        'the gate to be halted',
      );
      expect((await operator.status())?.gate).toMatchObject({
        by: 'operator',
        reason: expect.stringContaining('ms off'),
      });
      expect(bot.err()).toContain('ALARM clock-skew-halt');
      expect((await operator.status())?.openOrders).toEqual([]);
      await post('/faults', { seed: 1, knobs: [] });
      bot.signal('SIGINT');
      expect(await bot.ended).toBe(5);
    },
  );
});

describe('a run while a command stamps its requests with a clock an hour ahead', () => {
  it("continues with stamps of the bot's clock, and raises an alarm (F-C01, I-18)", WAIT, async () => {
    const bot = operator.run(['bot.yaml']);
    await eventually(async () => (await operator.status())?.pid === bot.pid, 'the bot to run');
    const folder = join(operator.project, '.sluice/timestamps');
    const [name = ''] = readdirSync(folder);
    const ahead = String((Date.now() + MACHINE_AHEAD_MS) * 1_000).padStart(20, '0');
    writeFileSync(join(folder, name), ahead, { flag: 'r+' });
    await eventually(async () => bot.err().includes('ALARM stamps-ahead'), 'the alarm');
    const kept = Number(readFileSync(join(folder, name), 'utf8')) / 1_000;
    expect(Math.abs(kept - Date.now())).toBeLessThan(60_000);
    expect(bot.err()).not.toContain('403201,');
    bot.signal('SIGINT');
    expect(await bot.ended).toBe(5);
  });
});

describe('a second Ctrl-C', () => {
  it('ends a bot that waits for an answer at once, with a complete journal (F-P02, I-21)', WAIT, async () => {
    await operator.sluice(['journal', 'verify']);
    // No order is ever answered: an orderly stop would look for it for ten seconds.
    const bot = operator.run(['bot.yaml']);
    await eventually(async () => (await operator.status())?.pid === bot.pid, 'the bot to run');
    await post('/faults', {
      seed: 1,
      knobs: [
        { knob: 'net.blackhole', endpoint: 'submitOrder' },
        { knob: 'venue.emptyList', endpoint: 'todayOrders' },
      ],
    });
    await resumed();
    await eventually(
      async () =>
        (await operator.status())?.openOrders.some(({ state }) => /sending|unknown/.test(state)) === true,
      'an order that is on its way',
    );
    bot.signal('SIGINT');
    await eventually(async () => (await operator.status()) !== undefined, 'it to be still there');
    bot.signal('SIGINT');
    expect(await bot.ended).toBe(130);
    await post('/faults', { seed: 1, knobs: [] });
    const verified = await operator.sluice(['journal', 'verify']);
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining(': whole, ')]);
    const unknown = await operator.sluice(['status']);
    expect(unknown.out).toMatch(/is dead: process \d+ ended without an orderly stop/);
    const again = operator.run(['bot.yaml']);
    await eventually(
      async () => ((await operator.status())?.unknownOrders.length ?? 0) === 1,
      'the order to be known as unknown',
    );
    expect((await operator.sluice(['orders', '--unknown'])).code).toBe(1);
    again.signal('SIGKILL');
    await again.ended;
  });
});

/**
 * Resumes the bot: the halt of the previous test survives restarts until the operator resumes, after setting the
 * clock.
 */
function resumed(): Promise<void> {
  return eventually(
    async () => (await operator.sluice(['resume', '--reason', 'the clock is right'])).code === 0,
    'the resume to be taken',
  );
}

const DATA = 'data: { from: 2025-09-02, to: 2025-09-03 }\n';
