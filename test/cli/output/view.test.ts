import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineStepMs, PLAIN_LINES_MAX } from '../../../src/cli/output/line-view.ts';
import { openView } from '../../../src/cli/output/open-view.ts';
import { panelLines } from '../../../src/cli/output/panel-view.ts';
import { canDraw, mayColour } from '../../../src/cli/output/terminal.ts';
import type { View, ViewUpdate } from '../../../src/cli/output/view.ts';
import { calendarDay, DAY_MS, dayToUtc, millis } from '../../../src/model/time.ts';
import { sparkText } from '../../../src/reports/spark.ts';
import { screenOf } from '../a-screen.ts';

const from = dayToUtc(calendarDay('2000-01-03'));
const to = dayToUtc(calendarDay('2020-04-17'));

function update(day: number, change: Partial<ViewUpdate> = {}): ViewUpdate {
  return {
    marketTime: millis(from + day * DAY_MS),
    flow: { quotes: 4 * day, bars: day, signals: 3, intents: 3, denied: 1, orders: 2, fills: 2 },
    equity: 100_000 + day,
    currency: 'USD',
    label: 'sma-cross on SPX.US',
    origin: 'real',
    ...change,
  };
}

function viewOf(isTTY: boolean, span = { from, to }): { readonly view: View; readonly text: () => string } {
  let text = '';
  const view = openView({ isTTY, colour: false, write: (more) => (text += more) }, span);
  return { view, text: () => text };
}

function written(isTTY: boolean, updates: readonly ViewUpdate[], span = { from, to }): string {
  const { view, text } = viewOf(isTTY, span);
  for (const one of updates) view.show(one);
  view.end();
  return text();
}

const some = (update: ViewUpdate, done: number | undefined = 0.4999) => ({
  update,
  done,
  equities: [100_000, Number.NaN, 110_000, 105_000],
  first: 100_000,
});

describe('panelLines', () => {
  it('shows the date, how far the run is, equity on the way, and what flowed', () => {
    expect(panelLines(some(update(3704)), false)).toEqual([
      'sma-cross on SPX.US  REAL PRICES',
      '2010-02-23 00:00 UTC  ██████████████░░░░░░░░░░░░░░   49%',
      `equity                ▁ █▅${' '.repeat(24)}  103,704.00 USD  +3.70%`,
      '     quotes       bars    signals    intents     denied     orders      fills',
      '     14,816      3,704          3          3          1          2          2',
    ]);
  });

  it('shows every cause that restricts the gate in its own line', () => {
    const gateTexts = ['killed (kill: enough (cli))', 'reduce-only (drawdown: 12 %)'];
    expect(panelLines(some(update(1, { gateTexts })), false).slice(-2)).toEqual([
      'Gate is killed (kill: enough (cli))',
      '   also reduce-only (drawdown: 12 %)',
    ]);
    expect(panelLines(some(update(1)), false)).toHaveLength(5);
  });

  it('draws no bar of a run without an end, and takes a line of the gate off again', () => {
    const span = { from, to: millis(from + DAY_MS), isEndless: true };
    const { view, text } = viewOf(true, span);
    view.show(update(0.5));
    view.show(update(0.5, { gateTexts: ['halted (drawdown)'] }));
    expect(screenOf(text()).join('\n')).toContain('Gate is halted');
    view.show(update(0.6));
    const shown = screenOf(text()).join('\n');
    expect(shown).toContain('until it is stopped');
    expect(shown).not.toContain('Gate');
  });

  it('shows no share of a run that has no end, and no equity that is not known', () => {
    const [, time, equity] = panelLines(
      { ...some(update(1, { equity: Number.NaN })), done: undefined, equities: [] },
      false,
    );
    expect(time).toBe('2000-01-04 00:00 UTC  until it is stopped');
    expect(equity).toMatch(/^equity +equity not known yet$/);
  });

  it('keeps within 80 columns and shows that prices are generated', () => {
    const flow = { quotes: 1e8, bars: 1e8, signals: 1e8, intents: 1e8, denied: 1e8, orders: 1e8, fills: 1e8 };
    const lines = panelLines(some(update(9e5, { flow, label: 'x'.repeat(200), origin: 'generated' })), false);
    expect(lines[0]).toContain('GENERATED PRICES');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('shows denials and losses in red, gains in green', () => {
    const [, , equity, , counts] = panelLines(some(update(1, { equity: 90_000 })), true);
    expect(equity).toContain('\u001b[31m-10.00%\u001b[39m');
    expect(counts).toContain(`\u001b[31m${'1'.padStart(11)}\u001b[39m`);
    expect(panelLines(some(update(1_000)), true)[2]).toContain('\u001b[32m+1.00%\u001b[39m');
  });
});

describe('a view on a terminal', () => {
  it('draws over what it drew before, also on a narrow one', () => {
    const text = written(true, [update(1), update(2), update(3)]);
    expect(screenOf(text)).toEqual([...panelLines(seen(3, [1, 2, 3]), false), '', '']);
    const narrow = screenOf(text, 30);
    expect(narrow).toHaveLength(7);
    expect(narrow[0]).toHaveLength(30);
  });

  it('keeps an alarm above what it draws, and all of it', () => {
    const { view, text } = viewOf(true);
    view.say('before the first look\n');
    view.show(update(1));
    view.say('alarm: one\n  and its second line\n');
    view.show(update(2));
    view.end(update(3), true);
    view.say('after the end\n');
    const lines = screenOf(text());
    expect(lines.slice(0, 4)).toEqual([
      'before the first look',
      'alarm: one',
      '  and its second line',
      'sma-cross on SPX.US  REAL PRICES',
    ]);
    expect(lines[4]).toContain('100%');
    expect(lines.slice(8)).toEqual(['', 'after the end', '']);
  });

  it('shows nothing after the end', () => {
    const { view, text } = viewOf(true);
    view.end(update(1));
    const atEnd = text();
    view.show(update(2));
    view.end(update(3));
    expect(text()).toBe(atEnd);
    expect(text()).toContain('100,001.00 USD');
  });
});

function seen(day: number, days: readonly number[]): Parameters<typeof panelLines>[0] {
  const done = (day * DAY_MS) / (to - from);
  return { update: update(day), done, equities: [100_000 + Math.max(...days)], first: 100_001 };
}

describe('what a terminal can do', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: 'false' }, true, false],
  ] as const)('colours with %j on a terminal (%s): %s', (env, isTTY, colours) => {
    expect(mayColour(env, isTTY)).toBe(colours);
  });

  it('draws in place on terminals that are not dumb', () => {
    expect([canDraw({}, true), canDraw({ TERM: 'dumb' }, true), canDraw({}, false)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('sparks go from the lowest figure to the highest, with blanks where none is known', () => {
    expect(sparkText([0, 1, 2, 3, 4, 5, 6, 7, Number.NaN])).toBe('▁▂▃▄▅▆▇█ ');
    expect([sparkText([5, 5]), sparkText([])]).toEqual(['▅▅', '']);
  });
});

describe('a view on anything else', () => {
  it('writes a heading and paced lines without escape characters, the last update among them', () => {
    const text = written(
      false,
      Array.from({ length: 7411 }, (_, day) => update(day)),
    );
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toBe('sma-cross on SPX.US  REAL PRICES');
    expect(lines.slice(1, 3)).toEqual([
      'UTC         quotes   bars signals intents denied orders fills         equity USD',
      '2000-01-03       0      0       3       3      1      2     2         100,000.00',
    ]);
    expect(lines.at(-1)).toMatch(/^2020-04-17 .* 107,410\.00$/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.length).toBeLessThanOrEqual(PLAIN_LINES_MAX);
    expect(text).not.toContain('\u001b');
  });

  it('writes about a line a day for a month', () => {
    const month = { from, to: millis(from + 28 * DAY_MS) };
    const hours = Array.from({ length: 28 * 24 }, (_, hour) => update(hour / 24));
    const lines = written(false, hours, month).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(28);
    expect(lines.length).toBeLessThanOrEqual(PLAIN_LINES_MAX);
    expect(lines[2]).toMatch(/^2000-01-03 00:00 {2}/);
  });

  it('never writes more than its lines, whatever comes', () => {
    const days = fc.array(fc.integer({ min: -10, max: 50_000 }), { maxLength: 300 });
    fc.assert(
      fc.property(days, fc.integer({ min: 0, max: 8_000 }), (list, spanDays) => {
        const span = { from, to: millis(from + spanDays * DAY_MS) };
        const lines =
          written(
            false,
            list.map((day) => update(day)),
            span,
          ).split('\n').length - 1;
        expect(lines).toBeLessThanOrEqual(PLAIN_LINES_MAX);
      }),
    );
  });

  it('writes at once what the gate lets through and why, whenever that changes', () => {
    const gateTexts = ['killed (kill: enough (cli))', 'reduce-only (drawdown: 12 %)'];
    const lines = written(false, [update(1), update(1), update(1, { gateTexts }), update(1)]).split('\n');
    expect(lines.filter((line) => /Gate|also/.test(line))).toEqual([
      '2000-01-04 00:00  Gate is killed (kill: enough (cli))',
      '2000-01-04 00:00     also reduce-only (drawdown: 12 %)',
      '2000-01-04 00:00  Gate is active',
    ]);
  });

  it('writes a line an hour of a run without an end, for as long as it runs', () => {
    const day = { from, to: millis(from + DAY_MS), isEndless: true };
    const hours = Array.from({ length: 100 }, (_, hour) => update(hour / 24));
    expect(written(false, hours, day).trimEnd().split('\n').length).toBeGreaterThanOrEqual(100);
  });

  it('writes no equity before the account was read', () => {
    const lines = written(false, [update(0, { equity: Number.NaN })])
      .trimEnd()
      .split('\n');
    expect(lines.at(-1)).toMatch(/ -$/);
  });

  it('writes nothing when nothing came', () => {
    expect(written(false, [])).toBe('');
  });
});

describe('lineStepMs', () => {
  it('takes the shortest usual step that keeps within the lines', () => {
    expect(lineStepMs(37 * DAY_MS)).toBe(DAY_MS);
    expect(lineStepMs(37 * DAY_MS + 1)).toBe(7 * DAY_MS);
    expect(lineStepMs(to - from)).toBe(365 * DAY_MS);
  });
});
