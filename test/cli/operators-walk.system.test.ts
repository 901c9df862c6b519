import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import {
  anOperator,
  eventually,
  type Operator,
  type Running,
  secretsOf,
  type VenueChild,
  venueWithBot,
} from './a-bot-process.ts';

const WAIT = { timeout: 300_000 };

let operator: Operator;
let venue: VenueChild;
let bot: Running;
let rests = '';

beforeAll(async () => {
  operator = anOperator(() => secretsOf(venue));
  venue = await venueWithBot(operator);
});
afterAll(() => operator.close());

async function resting(): Promise<string | undefined> {
  const status = await operator.status();
  return status?.openOrders.find(({ orderId, state }) => orderId !== undefined && state === 'NewStatus')
    ?.orderId;
}

interface ListedOrder {
  readonly orderId: string;
  readonly status: string;
  readonly remark: string;
}

/** The venue's orders, by a manual command without an address. */
async function orders(): Promise<readonly ListedOrder[]> {
  const { code, out, err } = await operator.sluice(['orders', '--json']);
  if (code !== 0) throw new Error(err);
  return JSON.parse(out);
}

// One session in steps: each begins where the previous one ended.
describe('an operator handles a bad day of a bot on an account', () => {
  it(
    "starts it without data or cash: it reads its symbols' facts and the dollar's rate from the venue",
    WAIT,
    async () => {
      expect((await operator.sluice(['check', 'bot.yaml'])).code).toBe(0);
      bot = operator.run(['bot.yaml']);
      await eventually(async () => (await resting()) !== undefined, 'a fill and an order that rests');
      rests = (await resting()) ?? '';
      expect(bot.err()).toContain('AAPL.US: ');
      const status = await operator.status();
      expect(status).toMatchObject({
        mode: 'paper',
        positions: [{ symbol: 'AAPL.US', quantity: '100' }],
        rates: [{ currency: 'USD', source: 'venue' }],
      });
      // The venue states both amounts in whole cents.
      expect(Number(status?.rates[0]?.rate)).toBeCloseTo(7.8, 5);
      expect(status?.equity).toBeGreaterThan(1_700_000);
    },
  );

  it(
    'cuts the connection and restores it: the bot keeps running, logs it, and continues with its order (F-N13, F-B28, I-3)',
    WAIT,
    async () => {
      const { http = '' } = venue.ready;
      venue.signal('SIGKILL');
      await venue.ended;
      await eventually(() => bot.err().includes('ALARM socket-lost'), 'the bot to say that the line is lost');
      expect(await resting()).toBe(rests);
      const down = await operator.status();
      expect(down?.gate.state).toBe('reduce-only');
      expect(down?.restrictions.map(({ cause }) => cause)).toEqual(
        expect.arrayContaining(['quotes-unheard', 'orders-unheard']),
      );
      venue = await operator.venue(['--port', new URL(http).port, '--state', 'venue.db']);
      await eventually(
        async () => ((await operator.status())?.quoteAgesMs['AAPL.US' as never] ?? 60_000) < 10_000,
        'fresh quotes of the venue that is back',
      );
      expect(await resting()).toBe(rests);
      await eventually(
        async () => (await operator.status())?.restrictions.length === 0,
        'what was missed to be read, and the gate to open again',
      );
      expect((await operator.status())?.gate.state).toBe('active');
    },
  );

  it(
    'kills the bot with -9: status shows that it is dead and the contents of its journal, the venue lists its orders (I-21)',
    WAIT,
    async () => {
      bot.signal('SIGKILL');
      expect(await bot.ended).toBeNull();
      const status = await operator.sluice(['status']);
      expect(status.code).toBe(1);
      expect(status.out).toContain(
        `is dead: process ${bot.pid} ended without an orderly stop; status from its journal up to`,
      );
      expect(status.out).toMatch(/positions {2}100 AAPL\.US at /);
      expect(status.out).toContain(`order ${rests}`);
      expect((await operator.sluice(['resume', '--reason', 'too early'])).err).toContain('does not run');
      const listed = await orders();
      expect(listed.map(({ status: how }) => how).toSorted()).toEqual(['FilledStatus', 'NewStatus']);
      expect((await operator.sluice(['orders', '--unknown'])).out).toBe('No order is unknown\n');
    },
  );

  it('starts it again: it recovers, and sends nothing twice (I-2, I-21)', WAIT, async () => {
    bot = operator.run(['bot.yaml']);
    await eventually(async () => (await operator.status())?.pid === bot.pid, 'the bot to be back');
    await eventually(
      async () => ((await operator.status())?.quoteAgesMs['AAPL.US' as never] ?? null) !== null,
      'quotes again',
    );
    expect(await resting()).toBe(rests);
    const listed = await orders();
    expect(listed).toHaveLength(2);
    expect(new Set(listed.map(({ remark }) => remark)).size).toBe(2);
  });

  it('asks why there is that order, and gets the chain from the signal to the venue', WAIT, async () => {
    const why = await operator.sluice(['why', rests]);
    expect(why.code).toBe(0);
    for (const part of [
      'quote',
      'wants to buy 10 AAPL.US LO',
      'approved',
      'on disk',
      'accepted by the venue',
    ])
      expect(why.out).toContain(part);
    const named = await operator.sluice(['journal', 'show', '--json', '--bot', (await botName()) ?? '']);
    expect(named.out).toContain(rests);
  });

  it('kills it: everything is cancelled, nothing opens, and that holds (I-14)', WAIT, async () => {
    const kill = await operator.sluice(['kill', '--reason', 'enough']);
    expect([kill.code, kill.err]).toEqual([0, '']);
    await eventually(
      async () => (await operator.status())?.openOrders.length === 0,
      'the cancel to be confirmed',
    );
    expect((await operator.status())?.gate).toMatchObject({ state: 'killed', by: 'operator' });
    expect((await operator.sluice(['status'])).code).toBe(5);
    expect((await orders()).find(({ orderId }) => orderId === rests)?.status).toBe('CanceledStatus');
  });

  it('resumes it with a reason: it trades again (I-14)', WAIT, async () => {
    expect((await operator.sluice(['resume'])).code).toBe(2);
    const said: string[] = [];
    await eventually(async () => {
      const resumed = await operator.sluice(['resume', '--reason', 'looked at it']);
      said.push(resumed.out + resumed.err);
      return resumed.code === 0;
    }, 'the resume to be taken');
    // The dollar's rate may not have been read yet, as the commands before share the bot's calls.
    expect(said.at(-1)).toMatch(
      /Gate is (?:active \(resume: looked at it \(cli\)\)|reduce-only \(known-facts: no fresh exchange rate)/,
    );
    await eventually(async () => (await resting()) !== undefined, 'a new order that rests');
    expect(await resting()).not.toBe(rests);
  });

  it('pauses it by name, as the dashboard does, and resumes it (I-14)', WAIT, async () => {
    const name = (await botName()) ?? '';
    expect((await operator.sluice(['pause', name])).code).toBe(2);
    const paused = await operator.sluice(['pause', name, '--reason', 'the market is odd', '--json']);
    expect([paused.code, JSON.parse(paused.out).kind]).toEqual([0, 'done']);
    const gate = (await operator.status())?.gate;
    expect(gate).toMatchObject({ state: 'halted', by: 'operator' });
    expect(gate?.reason).toContain('the market is odd');
    await eventually(
      async () => (await operator.sluice(['resume', name, '--reason', 'it is not'])).code === 0,
      'the resume to be taken',
    );
    expect((await operator.status())?.restrictions.map(({ cause }) => cause)).not.toContain('operator');
  });

  it(
    'stops it with Ctrl-C: normally, with an intact journal, and a list of working orders (F-P02)',
    WAIT,
    async () => {
      bot.signal('SIGINT');
      expect(await bot.ended).toBe(130);
      expect(bot.err()).toContain('1 order remains working at the venue: the next start recovers them');
      expect((await operator.sluice(['journal', 'verify'])).out).toContain(': whole, ');
      const status = await operator.sluice(['status']);
      expect([status.code, status.out.includes('does not run')]).toEqual([0, true]);
    },
  );

  it('kills what it left at the venue, although it does not run (I-14, I-3)', WAIT, async () => {
    const kill = await operator.sluice(['kill']);
    expect([kill.code, kill.err]).toEqual([0, '']);
    expect(kill.out).toMatch(/the bot does not run\nOrders cancelled from here: 1 \(\d+\); failed: none/);
    await eventually(
      async () => (await orders()).every(({ status }) => status !== 'NewStatus'),
      'the cancel to be done',
    );
  });

  it(
    'is not started by a program older than the one that wrote its journal: it takes no lease and sends nothing (F-F06, I-25)',
    WAIT,
    async () => {
      const path = join(operator.project, '.sluice', 'accounts', (await botName()) ?? '', 'journal.db');
      const journal = openSqliteJournal(path);
      const taken = [...journal.replay()].findLast((event) => event.kind === 'lease-taken');
      if (taken?.kind !== 'lease-taken') throw new Error('The journal has no lease record');
      journal.append({ ...taken, epoch: taken.epoch + 1, version: '99.0.0' });
      journal.close();
      const sent = await orders();
      const { code, err } = await operator.sluice(['run', 'bot.yaml']);
      expect(code).toBe(4);
      expect(err).toMatch(
        /Cannot trade with version .+: version 99\.0\.0 has written this account's journal/,
      );
      expect(await orders()).toEqual(sent);
      const after = openSqliteJournal(path);
      const last = [...after.replay()].findLast((event) => event.kind === 'lease-taken');
      after.close();
      expect(last).toMatchObject({ version: '99.0.0', epoch: taken.epoch + 1 });
    },
  );
});

async function botName(): Promise<string | undefined> {
  const { out } = await operator.sluice(['status', '--json']);
  return JSON.parse(out).bot;
}
