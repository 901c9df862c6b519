import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineStepMs, openView, PLAIN_LINES_MAX, panelLines, type ViewUpdate } from '../../src/cli/view.ts';
import { calendarDay, DAY_MS, dayToUtc, millis } from '../../src/model/time.ts';

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

function written(isTTY: boolean, updates: readonly ViewUpdate[], span = { from, to }): string {
  let text = '';
  const view = openView({ isTTY, write: (more) => (text += more) }, { colour: false, ...span });
  for (const one of updates) view.show(one);
  view.end();
  return text;
}

describe('panelLines', () => {
  it('shows the date, how far the run is, and what flowed', () => {
    expect(panelLines(update(3704), { colour: false, from, to })).toEqual([
      'sma-cross on SPX.US  REAL PRICES',
      '2010-02-23 00:00 UTC  ███████████████░░░░░░░░░░░░░░░  49.99%',
      'quotes 14,816     bars 3,704      signals 3          intents 3',
      'denied 1          orders 2          fills 2',
      'equity 103,704.00 USD',
    ]);
  });

  it('keeps within 80 columns and says that prices are generated', () => {
    const flow = { quotes: 1e8, bars: 1e8, signals: 1e8, intents: 1e8, denied: 1e8, orders: 1e8, fills: 1e8 };
    const lines = panelLines(update(9e6, { flow, label: 'x'.repeat(200), origin: 'generated' }), {
      colour: false,
      from,
      to,
    });
    expect(lines[0]).toContain('GENERATED PRICES');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('a view on a terminal', () => {
  it('draws over what it drew before', () => {
    const text = written(true, [update(1), update(2)]);
    const [first, second] = text.split('\u001b[5A\r\u001b[0J');
    expect(first?.split('\n')).toHaveLength(6);
    expect(second).toContain('equity 100,002.00 USD\n');
  });

  it('shows nothing after the end', () => {
    let text = '';
    const view = openView({ isTTY: true, write: (more) => (text += more) }, { colour: false, from, to });
    view.end(update(1));
    const atEnd = text;
    view.show(update(2));
    view.end(update(3));
    expect(text).toBe(atEnd);
    expect(text).toContain('equity 100,001.00 USD');
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
    expect(lines[1]).toBe(
      '2000-01-03  quotes 0 bars 0 signals 3 intents 3 denied 1 orders 2 fills 2  equity 100,000.00 USD',
    );
    expect(lines.at(-1)).toContain('equity 107,410.00 USD');
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
    expect(lines[1]).toMatch(/^2000-01-03 00:00 {2}/);
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

  it('writes nothing when nothing came', () => {
    expect(written(false, [])).toBe('');
  });
});

describe('lineStepMs', () => {
  it('takes the shortest usual step that keeps within the lines', () => {
    expect(lineStepMs(38 * DAY_MS)).toBe(DAY_MS);
    expect(lineStepMs(38 * DAY_MS + 1)).toBe(7 * DAY_MS);
    expect(lineStepMs(to - from)).toBe(365 * DAY_MS);
  });
});
