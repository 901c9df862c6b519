import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextMarketEvent } from '#src/app/dashboard/market-event.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { endOf, startOf } from '#src/backtest/setup.ts';
import { botLines, botScreen, latestOrder, orderRows, type ScreenState } from '#src/cli/output/bot-screen.ts';
import { keysIn } from '#src/cli/output/screen.ts';
import { effectOf } from '#src/cli/output/watch-keys.ts';
import { BotFollower, type BotSnapshot } from '#src/dashboard/bot-follower.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { tailSqliteJournal } from '#src/journal/tail.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay, millis } from '#src/model/time.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf, TWO_DOLLARS } from '../../fixtures/backtest.ts';
import { bars, FOUR_DAYS } from '../../simulation/world.ts';
import { screenOf } from '../a-screen.ts';

/** Buys 100 at each open; cash covers the first two. */
const buyer = defineStrategy({
  name: 'buyer',
  params: {},
  onBar: ({ symbol }, { orders }) => orders.buy(symbol, 100),
});

const SCREEN: ScreenState = {
  columns: 80,
  rows: 24,
  colour: false,
  pendingCommand: undefined,
  message: undefined,
  selected: undefined,
  story: undefined,
  run: undefined,
};

let folder: string;
let bot: BotSnapshot;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-screen-'));
  const path = join(folder, 'journal.db');
  const journal = openSqliteJournal(path);
  runBacktest(
    setupOf(buyer, [bars('AAPL.US', '1d', FOUR_DAYS)], {
      charges: TWO_DOLLARS,
      cash: { USD: decimal('2000') },
    }),
    { journal },
  );
  journal.close();
  const follower = new BotFollower(() => tailSqliteJournal(path), { pause: () => Promise.resolve() });
  await follower.read();
  const listed = { name: 'buyer-1', strategy: 'buyer', config: 'bot.yaml', mode: 'paper' } as const;
  bot = follower.snapshot({ ...listed, state: 'running', since: '2024-03-04T00:00:00Z' }, undefined);
  follower.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function killed(snapshot: BotSnapshot): BotSnapshot {
  const { gate } = snapshot;
  return {
    ...snapshot,
    gate: { ...gate, state: 'killed', by: 'operator', rule: 'kill', reason: 'enough' },
  };
}

describe('the screen of "sluice watch"', () => {
  it('shows mode, gate, positions, fills and denials with their reasons', () => {
    const text = botScreen(bot, SCREEN).join('\n');
    expect(text).toMatch(/^PAPER {2}buyer-1 {2}"buyer" from bot\.yaml, runs\n/);
    expect(text).toMatch(/^gate {10}active/m);
    const [position, fill, denial] = [bot.positions[0], bot.fills[0], bot.denials[0]];
    expect(text).toContain(`positions     ${position?.quantity} AAPL.US at `);
    expect(text).toContain(`buy ${fill?.quantity} AAPL.US at ${fill?.price}, fee ${fill?.fee} USD`);
    expect(text).toContain(`${denial?.terms}: ${denial?.rule}`);
    expect(text).toMatch(/^orders {8}none$/m);
    expect(text).toMatch(
      /\nk kill {3}p pause {3}r resume {3}\u2191\u2193 select {3}w why {3}q leave, the bot continues$/u,
    );
  });

  it.each([
    [80, 24],
    [40, 10],
    [200, 60],
    [80, 3],
  ])('stays within %d columns and %d rows, and keeps the gate and the last line', (columns, rows) => {
    const many = { ...killed(bot), fills: Array.from({ length: 90 }, () => bot.fills).flat() };
    const lines = botScreen(many, { ...SCREEN, columns, rows });
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines.some((line) => line.startsWith('!!! KILLED !!!'))).toBe(true);
    expect(lines.at(-1)).toMatch(/^k kill/);
  });

  it("shows the exchange's day since which equity is counted, and that of the latest equity of a bot that states none", () => {
    // Midnight in Hong Kong is the day before in UTC.
    const midnight = Date.parse('2024-03-05T00:00:00+08:00');
    const equityCurve = [
      [midnight, 2_000],
      [midnight + 1, 2_020],
    ] as const;
    const text = botScreen(
      { ...bot, equity: 2_020, equityAt: midnight, equityCurve, zone: 'Asia/Hong_Kong' },
      { ...SCREEN, columns: 120 },
    ).join('\n');
    expect(text).toContain('2,020.00 USD on 2024-03-05');
    expect(text).toContain('+1.00% since 2024-03-05');
  });

  it('shows how many rows a list has when not all fit', () => {
    const many = {
      ...bot,
      fills: Array.from({ length: 90 }, () => bot.fills[0]).filter((row) => row !== undefined),
    };
    expect(botScreen(many, SCREEN).join('\n')).toMatch(/^fills \(90\)/m);
  });

  it('has the same text with and without colour, and a bar across the terminal while the gate is restricted', () => {
    const plain = botScreen(killed(bot), SCREEN);
    const coloured = botScreen(killed(bot), { ...SCREEN, colour: true });
    expect(screenOf(coloured.join('\n'))).toEqual(plain.map((line) => line.trimEnd()));
    expect(plain.slice(1, 4)).toEqual([
      '!'.repeat(80),
      expect.stringMatching(/^!!! KILLED !!! {2}killed by operator .*enough/),
      '!'.repeat(80),
    ]);
    expect(plain[2]).toHaveLength(80);
    for (const line of coloured.slice(1, 4)) expect(line).toContain('\u001b[30;43m');
    expect(botScreen(killed(bot), { ...SCREEN, rows: 8 })[1]).toMatch(/^!!! KILLED !!!/);
  });

  it('shows the whole cause of a kill on 80 columns, and ages of hours as hours', () => {
    const stopped = killed({
      ...bot,
      quoteAgesMs: { 'AAPL.US': 30_521_900 },
    });
    const reason = 'daily-loss: The day has cost 0.3086% of equity, limit is 0.3%, until an operator resumes';
    const lines = botScreen({ ...stopped, gate: { ...stopped.gate, reason } }, SCREEN);
    expect(lines.slice(1, 5).map((line) => line.length)).toEqual([80, 80, 80, 80]);
    expect(`${lines[2]?.trimEnd()} ${lines[3]?.trimEnd()}`).toContain(reason);
    expect(lines).toContain('quote age     AAPL.US 8 hours');
  });

  it('shows REPLAY if a past day is replayed, and PAPER if its time is that of the machine', () => {
    const head = (change: Partial<BotSnapshot>) => botScreen({ ...bot, ...change }, SCREEN)[0];
    const time = bot.marketTime ?? '';
    expect(head({ since: '2026-11-26T09:00:00Z' })).toMatch(/^REPLAY {2}/);
    expect(head({ since: time })).toMatch(/^PAPER {2}/);
    expect(head({ since: '2026-11-26T09:00:00Z', mode: 'live' })).toMatch(/^LIVE {2}/);
  });

  it('shows the profit of a position at the newest price, its exits, and the next event of the market', () => {
    const exit = { symbol: 'AAPL.US', side: 'Sell', open: '200', trail: null, answeredAt: null };
    const view = {
      ...bot,
      levels: [
        { ...exit, intentId: 'a', kind: 'stop', price: '8.5' },
        { ...exit, intentId: 'b', kind: 'target', price: '12' },
        { ...exit, intentId: 'c', kind: 'trailing', price: null, trail: '1.5%' },
        { ...exit, intentId: 'd', kind: 'stop', price: '99', side: 'Buy' },
      ] as const,
      market: {
        period: '1d',
        marks: [{ symbol: 'AAPL.US', currency: 'USD', price: 9, ageMs: 0 }],
        next: nextMarketEvent([securitySymbol('AAPL.US')], '1d', millis(Date.parse(bot.marketTime ?? ''))),
      },
    };
    const text = botScreen(view, SCREEN).join('\n');
    // 200 x (9 - 9.5).
    expect(text).toMatch(
      /^positions {5}200 AAPL\.US at 9\.5, now 9, -100\.00 USD, stop 200 at 8\.5 \(-5\.56%\),\n {14}target 200 at 12 \(\+33\.33%\), trailing stop 200 by 1\.5%$/m,
    );
    expect(text).not.toContain('at 99');
    // New York closed at 16:00 and opens at 9:30 the next day.
    expect(text).toMatch(/^next {10}regular trading of US opens in 18 hours$/m);
  });

  it('shows the newest order, denial and alarm completely on 80 columns', () => {
    const market = bot.marketTime ?? '';
    const order = {
      intentId: 'G4FRB3CXMRSP4WAG',
      orderId: '675678518300000030',
      terms: 'sell 3000 DEMO.HK TSLPPCT trailing by 1.5%, gtc',
      state: 'VarietiesNotReported',
      open: '3000',
      decidedAt: market,
    };
    const level = { symbol: 'DEMO.HK', side: 'Sell', open: '3000', price: null, trail: '1.5%' };
    const { intentId } = order;
    const answeredAt = millis(Date.parse(market) - 125_000);
    const message =
      '3000 of "DEMO.HK" are held without a working trail for 2 s: none was sent yet. Place an exit at the venue';
    const lines = botScreen(
      {
        ...bot,
        openOrders: [order],
        levels: [{ ...level, intentId, kind: 'trailing', answeredAt }],
        alarms: [{ code: 'exits-missing', message, at: millis(Date.parse(market)) }],
      },
      SCREEN,
    );
    const joined = lines.join(' ').replace(/ +/g, ' ');
    expect(joined).toContain(
      'orders sell 3000 DEMO.HK TSLPPCT trailing by 1.5%, gtc; VarietiesNotReported, 3000 open, answer 2 minutes old; G4FRB3CXMRSP4WAG (order 675678518300000030)',
    );
    expect(joined).toContain(bot.denials[0]?.reason ?? 'none');
    expect(joined).toContain(`exits-missing: ${message}`);
    expect(lines.length).toBeLessThanOrEqual(24);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('names the next session with bars, before regular trading too', () => {
    const next = (sessions: 'regular' | 'extended') => {
      const now = millis(Date.parse('2024-03-05T08:00:00Z'));
      const market = {
        period: '1m',
        marks: [],
        next: nextMarketEvent([securitySymbol('AAPL.US')], '1m', now, sessions),
      };
      const lines = botScreen({ ...bot, marketTime: '2024-03-05T08:00:00.000Z', market }, SCREEN);
      return lines.find((line) => line.startsWith('next'));
    };
    expect(next('regular')).toBe('next          regular trading of US opens in 7 hours');
    // Pre-market trading begins at 4:00 in New York.
    expect(next('extended')).toBe('next          trading of US opens in 1 hour');
  });

  it('counts an option contract as 100 shares, and shows no profit if the cost is not known', () => {
    const symbol = 'AAPL261218C250000.US';
    const lineOf = (cost: string) => {
      const market = {
        period: '1d',
        marks: [{ symbol, currency: 'USD', price: 5.5, ageMs: 0 }],
        next: undefined,
      };
      const view = { ...bot, positions: [{ symbol, quantity: '2', cost }], market };
      const lines = botScreen(view, SCREEN);
      const first = lines.findIndex((line) => line.startsWith('positions'));
      const next = lines.findIndex((line) => line.startsWith('orders'));
      return lines.slice(first, next).join(' ').replace(/ +/g, ' ');
    };
    expect(lineOf('5')).toBe(`positions 2 ${symbol} at 5, now 5.5, +100.00 USD, no exit is working`);
    expect(lineOf('0')).toBe(`positions 2 ${symbol}, cost not known, now 5.5, no exit is working`);
  });

  it('marks the selected row, and scrolls its list until the row is visible', () => {
    const [first, last] = [orderRows(bot)[0], orderRows(bot).at(-1)];
    expect(first?.intentId).toBe(bot.fills[0]?.intentId);
    expect(last?.intentId).toBe(bot.denials.at(-1)?.intentId);
    const marked = (selected: string | undefined, rows = 24) =>
      botScreen(bot, { ...SCREEN, rows, selected }).filter((line) => line.slice(12, 14) === '> ');
    expect(marked(undefined)).toEqual([]);
    expect(marked(first?.key)).toEqual([expect.stringMatching(/^fills {7}> 03-07 14:30:00 {2}buy 100/)]);
    expect(marked(last?.key)).toHaveLength(1);
    // Ten rows leave one for each list.
    const deepest = bot.denials.at(-1);
    expect(marked(last?.key, 10)).toEqual([expect.stringContaining(`${deepest?.terms}: ${deepest?.rule}`)]);
  });

  it('shows the story of an order in place of the lists, and keeps the gate', () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`);
    const screen = botScreen(killed(bot), { ...SCREEN, story: { lines, from: 3 } });
    expect(screen).toHaveLength(24);
    expect(screen[2]).toMatch(/^!!! KILLED !!!/);
    expect(screen[4]).toBe('line 3');
    expect(screen.at(-1)).toMatch(/w back/);
  });

  it('explains the newest order if none is selected', () => {
    expect(latestOrder(bot)).toBe(
      [...bot.fills, ...bot.denials].toSorted((one, other) => other.at - one.at)[0]?.intentId,
    );
    expect(latestOrder({ ...bot, fills: [], denials: [], openOrders: [] })).toBeUndefined();
  });

  it('marks a live account, a bot that died and one that does not answer', () => {
    const head = (change: Partial<BotSnapshot>) => botScreen({ ...bot, ...change }, SCREEN)[0];
    expect(head({ mode: 'live' })).toMatch(/^LIVE {2}/);
    expect(head({ state: 'died' })).toMatch(/, DIED$/);
    expect(head({ state: 'silent' })).toMatch(/, DOES NOT ANSWER$/);
    expect(botScreen({ ...bot, mode: 'live' }, { ...SCREEN, colour: true })[0]).toContain(
      '\u001b[30;43mLIVE',
    );
  });

  it('escapes control characters of names and reasons', () => {
    const bad = killed({ ...bot, name: 'a\u001b[2J' });
    const text = botScreen({ ...bad, gate: { ...bad.gate, reason: 'x\u001b]0;y\u0007' } }, SCREEN).join('\n');
    expect(text).not.toContain('\u001b');
    expect(text).toContain('\\u001b[2J');
  });

  it('shows ages of quotes, limits, alarms and an unreadable journal', () => {
    const text = botScreen(
      {
        ...bot,
        quoteAgesMs: { 'AAPL.US': 1_250, '700.HK': null },
        limits: [{ name: 'daily loss', value: '120.00 HKD', limit: '5000 HKD' }],
        warning: { seq: 1, at: bot.at, kind: 'submit-unknown', intentId: null, text: 'outcome unknown' },
        fault: 'file is not a database',
      },
      SCREEN,
    ).join('\n');
    expect(text).toMatch(/^quote age {5}AAPL\.US 1\.\d s, 700\.HK no quote yet$/m);
    expect(text).toMatch(/^limits {8}daily loss 120\.00 HKD of 5000 HKD$/m);
    expect(text).toMatch(/^alarm {9}2024-.* outcome unknown$/m);
    expect(text).toContain('journal cannot be read: file is not a database');
  });

  it('asks before a kill and shows its result', () => {
    expect(botScreen(bot, { ...SCREEN, pendingCommand: 'kill' }).at(-1)).toContain('Press k again');
    expect(botScreen(bot, { ...SCREEN, message: 'Gate is killed' }).at(-1)).toBe('Gate is killed');
  });
});

describe('the screen of "sluice run"', () => {
  const RUN = { notes: [], dashboard: undefined };

  it('explains that q only leaves the view, and Ctrl-C ends the bot', () => {
    const last = botScreen(bot, { ...SCREEN, run: RUN }).at(-1);
    expect(last).toMatch(/^k kill .*w why {2}q leave view {2}Ctrl-C end bot$/u);
    expect(last?.length).toBeLessThanOrEqual(80);
    const story = { lines: ['one'], from: 0 };
    expect(botScreen(bot, { ...SCREEN, run: RUN, story }).at(-1)).toMatch(/w back .*Ctrl-C end bot$/u);
  });

  it('shows the link of the dashboard, and the newest three lines of messages of the run', () => {
    const notes = ['quote package of US: basic', 'Saved:\n  params.fast 5 -> 8', 'Taken up'];
    const dashboard = 'http://127.0.0.1:7000/login#abc';
    const lines = botScreen(bot, { ...SCREEN, run: { notes, dashboard } });
    expect(lines).toContain(dashboard);
    expect(lines.slice(-4, -1)).toEqual([
      'messages      Saved:',
      '                params.fast 5 -> 8',
      '              Taken up',
    ]);
    expect(botScreen(bot, { ...SCREEN, rows: 10, run: { notes, dashboard } }).join('\n')).not.toContain(
      'messages',
    );
  });

  it('shows a login link with a secret of 43 characters completely, in several lines if the terminal is narrow', () => {
    const secret = randomBytes(32).toString('base64url');
    expect(secret).toHaveLength(43);
    const dashboard = `http://127.0.0.1:65535/#login=${secret}`;
    const run = { notes: [], dashboard };
    const lines = botScreen(bot, { ...SCREEN, run });
    expect(lines).toContain(dashboard);
    const narrow = botScreen(bot, { ...SCREEN, columns: 40, run });
    const at = narrow.findIndex((line) => line.startsWith('http'));
    expect(narrow.slice(at, at + 2).join('')).toBe(dashboard);
    for (const line of narrow) expect(line.length).toBeLessThanOrEqual(40);
  });

  it.each(['US', 'HK'] as const)(
    'names the days of a run on data as the exchange of %s dates them',
    (market) => {
      const [first, last] = [calendarDay('2024-03-04'), calendarDay('2024-03-07')];
      const symbol = securitySymbol(market === 'US' ? 'AAPL.US' : '700.HK');
      const span = { from: startOf([symbol], first), to: endOf(symbol, last), days: { first, last } };
      const half = new Date((span.from + span.to) / 2).toISOString();
      const lines = botScreen({ ...bot, span, marketTime: half }, SCREEN);
      expect(lines.find((line) => line.startsWith('market'))).toMatch(
        / UTC {3}50% of 2024-03-04 to 2024-03-07$/,
      );
      const earlier = botScreen({ ...bot, span: { ...span, days: undefined }, marketTime: half }, SCREEN);
      expect(earlier.find((line) => line.startsWith('market'))).toMatch(/ UTC {3}50%$/);
    },
  );

  it('shows how far a run on data is, and the year of what it lists', () => {
    const span = {
      from: millis(Date.parse('2024-03-04T05:00:00Z')),
      to: millis(Date.parse('2024-03-08T05:00:00Z')),
      days: { first: '2024-03-04', last: '2024-03-07' },
    };
    const at = (marketTime: string) => botScreen({ ...bot, span, marketTime }, SCREEN).join('\n');
    const half = at('2024-03-06T05:00:00.000Z');
    expect(half).toMatch(/^market {8}2024-03-06 05:00:00 UTC {3}50% of 2024-03-04 to 2024-03-07$/m);
    expect(half).toMatch(/^fills .* 2024-03-07 14:30 {2}buy 100/m);
    expect(at('2025-01-01T00:00:00.000Z')).toContain(' 100% of ');
    expect(botScreen(bot, SCREEN).join('\n')).not.toContain('% of 2024');
  });

  it('shows the change of equity with its line, and the profit of the day next to the limit of its loss', () => {
    const view = {
      ...bot,
      currency: 'USD',
      equity: 1_900,
      equityAt: null,
      equityCurve: [
        [Date.parse('2024-03-04T14:30:00Z'), 2_000],
        [Date.parse('2024-03-05T14:30:00Z'), 2_100],
        [Date.parse('2024-03-06T14:30:00Z'), 1_900],
      ] as const,
      dayProfit: -100,
      limits: [
        { name: 'open orders', value: '0', limit: '5' },
        { name: 'loss of the day', value: '5%', limit: '2%' },
      ],
    };
    const text = botScreen(view, SCREEN).join('\n');
    expect(text).toMatch(/^equity {8}1,900\.00 USD {2}-5\.00% since 2024-03-04 {2}\u2585\u2588\u2581$/mu);
    expect(text).toMatch(/^day P&L {7}-100\.00 USD, loss 5% of 2%, 0% left$/m);
    expect(text).toMatch(/^limits {8}open orders 0 of 5$/m);
    expect(botScreen({ ...view, dayProfit: 5 }, SCREEN)).toContain(
      'day P&L       +5.00 USD, loss 5% of 2%, 0% left',
    );
    const unknown = botScreen({ ...view, dayProfit: null }, SCREEN).join('\n');
    expect(unknown).toMatch(/^day P&L {7}profit not known, loss 5% of 2%, 0% left$/m);
    const long = Array.from({ length: 500 }, (_, at) => [at + 1, 1_000 + at] as const);
    const line = botScreen({ ...view, equityCurve: long }, SCREEN).find((one) => one.startsWith('equity'));
    expect(line).toMatch(/\u2581.*\u2588$/u);
    expect(line?.length).toBeLessThanOrEqual(80);
  });

  it('shows the source of the prices, however long the names are', () => {
    const head = botScreen({ ...bot, origin: 'generated', config: `${'x'.repeat(200)}.yaml` }, SCREEN)[0];
    expect(head).toMatch(/\.\.\. {2}GENERATED PRICES$/);
    expect(head).toHaveLength(80);
  });
});

describe('the lines of "sluice watch"', () => {
  it('lists everything at first, then only what is new', () => {
    const first = botLines(undefined, bot);
    expect(first.filter((line) => line.startsWith('fill '))).toHaveLength(bot.fills.length);
    expect(first.filter((line) => line.startsWith('denied '))).toHaveLength(bot.denials.length);
    expect(botLines(bot, bot)).toEqual([]);
    expect(botLines(bot, killed(bot))).toEqual([expect.stringMatching(/^gate {4}killed by operator/)]);
    expect(botLines(bot, { ...bot, state: 'died' })).toEqual([expect.stringContaining(', DIED')]);
  });
});

describe('the keys of "sluice watch"', () => {
  it('kill and resume at the second press in a row, and pause at the first', () => {
    expect(effectOf('k', undefined)).toEqual({ kind: 'ask', command: 'kill' });
    expect(effectOf('k', 'kill')).toEqual({ kind: 'give', command: 'kill' });
    expect(effectOf('k', 'resume')).toEqual({ kind: 'ask', command: 'kill' });
    expect(effectOf('r', undefined)).toEqual({ kind: 'ask', command: 'resume' });
    expect(effectOf('R', 'resume')).toEqual({ kind: 'give', command: 'resume' });
    expect(effectOf('p', undefined)).toEqual({ kind: 'give', command: 'halt' });
    expect(effectOf('q', 'kill')).toEqual({ kind: 'leave' });
    expect(effectOf('\u0003', undefined)).toEqual({ kind: 'interrupt' });
    expect(effectOf('x', 'kill')).toEqual({ kind: 'none' });
    expect(effectOf('w', 'kill')).toEqual({ kind: 'why' });
    expect(effectOf('up', undefined)).toEqual({ kind: 'move', by: -1 });
    expect(effectOf('down', undefined)).toEqual({ kind: 'move', by: 1 });
    expect(effectOf('escape', undefined)).toEqual({ kind: 'back' });
  });

  it('are read from what a terminal sends at once, without Alt and unused keys', () => {
    expect(keysIn('kk')).toEqual(['k', 'k']);
    expect(keysIn('\u001b[A\u001b[Bw\u001bOA')).toEqual(['up', 'down', 'w', 'up']);
    expect(keysIn('\u001b')).toEqual(['escape']);
    expect(keysIn('\u001bk\u001b[3~\u001b[1;5Ck')).toEqual(['k']);
  });
});
