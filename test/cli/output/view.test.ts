import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineStepMs, lineView, PLAIN_LINES_MAX } from '../../../src/cli/output/line-view.ts';
import { canDraw, mayColour } from '../../../src/cli/output/terminal.ts';
import type { ViewSpan, ViewUpdate } from '../../../src/cli/output/view.ts';
import { calendarDay, DAY_MS, dayToUtc, millis } from '../../../src/model/time.ts';
import { sparkText } from '../../../src/reports/spark.ts';

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

function written(updates: readonly ViewUpdate[], span: ViewSpan = { from, to }): string {
  let text = '';
  const view = lineView({ isTTY: false, colour: false, write: (more) => (text += more) }, span);
  for (const one of updates) view.show(one);
  view.end();
  return text;
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

  it('draws in place unless TERM is dumb', () => {
    expect([canDraw({}, true), canDraw({ TERM: 'dumb' }, true), canDraw({}, false)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('draws sparklines from the lowest figure to the highest, with blanks for unknown ones', () => {
    expect(sparkText([0, 1, 2, 3, 4, 5, 6, 7, Number.NaN])).toBe('▁▂▃▄▅▆▇█ ');
    expect([sparkText([5, 5]), sparkText([])]).toEqual(['▅▅', '']);
  });
});

describe('the lines of a run', () => {
  it('writes a heading and paced lines without escape characters, including the last update', () => {
    const text = written(Array.from({ length: 7411 }, (_, day) => update(day)));
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

  it('writes about one line a day for a month', () => {
    const month = { from, to: millis(from + 28 * DAY_MS) };
    const hours = Array.from({ length: 28 * 24 }, (_, hour) => update(hour / 24));
    const lines = written(hours, month).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(28);
    expect(lines.length).toBeLessThanOrEqual(PLAIN_LINES_MAX);
    expect(lines[2]).toMatch(/^2000-01-03 00:00 {2}/);
  });

  it('never writes more than its maximum number of lines', () => {
    const days = fc.array(fc.integer({ min: -10, max: 50_000 }), { maxLength: 300 });
    fc.assert(
      fc.property(days, fc.integer({ min: 0, max: 8_000 }), (list, spanDays) => {
        const span = { from, to: millis(from + spanDays * DAY_MS) };
        const lines =
          written(
            list.map((day) => update(day)),
            span,
          ).split('\n').length - 1;
        expect(lines).toBeLessThanOrEqual(PLAIN_LINES_MAX);
      }),
    );
  });

  it('writes at once what the gate permits and why, whenever that changes', () => {
    const gateTexts = ['killed (kill: enough (cli))', 'reduce-only (drawdown: 12 %)'];
    const lines = written([update(1), update(1), update(1, { gateTexts }), update(1)]).split('\n');
    expect(lines.filter((line) => /Gate|also/.test(line))).toEqual([
      '2000-01-04 00:00  Gate is killed (kill: enough (cli))',
      '2000-01-04 00:00     also reduce-only (drawdown: 12 %)',
      '2000-01-04 00:00  Gate is active',
    ]);
  });

  it('writes a line per hour in a run without an end', () => {
    const day = { from, to: millis(from + DAY_MS), isEndless: true };
    const hours = Array.from({ length: 100 }, (_, hour) => update(hour / 24));
    expect(written(hours, day).trimEnd().split('\n').length).toBeGreaterThanOrEqual(100);
  });

  it('writes no equity before the account was read', () => {
    const lines = written([update(0, { equity: Number.NaN })])
      .trimEnd()
      .split('\n');
    expect(lines.at(-1)).toMatch(/ -$/);
  });

  it('writes nothing without updates', () => {
    expect(written([])).toBe('');
  });
});

describe('lineStepMs', () => {
  it('returns the shortest usual step that stays within the maximum number of lines', () => {
    expect(lineStepMs(37 * DAY_MS)).toBe(DAY_MS);
    expect(lineStepMs(37 * DAY_MS + 1)).toBe(7 * DAY_MS);
    expect(lineStepMs(to - from)).toBe(365 * DAY_MS);
  });
});
