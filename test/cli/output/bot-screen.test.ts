import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { botLines, botScreen, type ScreenState } from '#src/cli/output/bot-screen.ts';
import { effectOf } from '#src/cli/output/watch-keys.ts';
import { BotFollower, type BotSnapshot } from '#src/dashboard/bot-follower.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { tailSqliteJournal } from '#src/journal/tail.ts';
import { decimal } from '#src/model/decimal.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf, TWO_DOLLARS } from '../../fixtures/backtest.ts';
import { bars } from '../../simulation/world.ts';
import { screenOf } from '../a-screen.ts';

const DAYS = [
  ['2024-03-04T00:00:00-05:00', 10, 10, 10, 10, 1_000],
  ['2024-03-05T00:00:00-05:00', 10, 12, 10, 12, 1_000],
  ['2024-03-06T00:00:00-05:00', 8, 8, 8, 8, 1_000],
  ['2024-03-07T00:00:00-05:00', 9, 9, 9, 9, 1_000],
] as const;

/** Buys 100 at each open; cash is enough for the first two. */
const buyer = defineStrategy({
  name: 'buyer',
  params: {},
  onBar: ({ symbol }, { orders }) => orders.buy(symbol, 100),
});

const SCREEN: ScreenState = { columns: 80, rows: 24, colour: false, asked: undefined, message: undefined };

let folder: string;
let bot: BotSnapshot;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-screen-'));
  const path = join(folder, 'journal.db');
  const journal = openSqliteJournal(path);
  runBacktest(
    setupOf(buyer, [bars('AAPL.US', '1d', DAYS)], { charges: TWO_DOLLARS, cash: { USD: decimal('2000') } }),
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
    expect(text).toMatch(/\nk kill {3}p pause {3}r resume {3}q leave, the bot continues$/);
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

  it('says how many rows a list has when not all fit', () => {
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
    expect(plain[1]).toMatch(/^!!! KILLED !!! {2}killed by operator .*enough/);
    expect(plain[1]).toHaveLength(80);
    expect(coloured[1]).toContain('\u001b[30;43m');
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

  it('asks before a kill and shows what became of it', () => {
    expect(botScreen(bot, { ...SCREEN, asked: 'kill' }).at(-1)).toContain('Press k again');
    expect(botScreen(bot, { ...SCREEN, message: 'Gate is killed' }).at(-1)).toBe('Gate is killed');
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
    expect(effectOf('\u0003', undefined)).toEqual({ kind: 'leave' });
    expect(effectOf('x', 'kill')).toEqual({ kind: 'none' });
  });
});
