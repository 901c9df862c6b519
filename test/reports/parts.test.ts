import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/model/decimal.ts';
import { specText } from '../../src/reports/algorithm-text.ts';
import { equityChart } from '../../src/reports/equity-chart.ts';
import { estimate } from '../../src/reports/estimate.ts';
import {
  countText,
  gainText,
  moneyText,
  percentText,
  ratioText,
  spanText,
  wrapped,
} from '../../src/reports/format.ts';
import { REPORT_SCHEMA, ROWS_MAX, reportJson } from '../../src/reports/json.ts';
import { securityText } from '../../src/reports/origin.ts';
import { spanOfCloses } from '../../src/reports/terminal.ts';
import { aFill, aRun, aSecurity } from './a-run.ts';

describe('equityChart', () => {
  const ends = { from: 'a', to: 'b' };

  it('draws a rise from the lower left to the upper right', () => {
    expect(equityChart({ values: [0, 1, 2, 3, 4, 5, 6, 7], ...ends }, { columns: 10, rows: 2 })).toEqual([
      '7.00 ┤⠀⠀⣠⠞',
      '0.00 ┤⣠⠞⠁⠀',
      '      a  b',
    ]);
  });

  it('draws a line that does not move along the bottom', () => {
    const [top, bottom] = equityChart({ values: [5, 5, 5], ...ends }, { columns: 10, rows: 2 });
    expect(top).toBe('5.00 ┤⠀⠀⠀⠀');
    expect(bottom).toBe('5.00 ┤⣀⣀⣀⣀');
  });

  it('labels ends that are close together with enough digits to distinguish them', () => {
    const lines = equityChart({ values: [1_780_000.03, 1_779_883.13], ...ends }, { columns: 20, rows: 2 });
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['1.7800M', '1.7799M', '']);
  });

  it('draws nothing from fewer than two values', () => {
    expect(equityChart({ values: [5], ...ends }, { columns: 80, rows: 10 })).toEqual([]);
  });

  it('keeps its size and leaves no dot column empty', () => {
    const values = fc.array(fc.double({ min: 1, max: 1e9, noNaN: true }), { minLength: 2, maxLength: 600 });
    fc.assert(
      fc.property(values, (line) => {
        const chart = equityChart({ values: line, ...ends }, { columns: 60, rows: 5 }).slice(0, -1);
        expect(chart).toHaveLength(5);
        const cells = chart.map((row) =>
          Array.from(row.slice(row.indexOf('┤') + 1), (cell) => cell.charCodeAt(0) - 0x2800),
        );
        const columns = cells[0]?.length ?? 0;
        for (let column = 0; column < columns; column++) {
          const dots = cells.reduce((all, row) => all | (row[column] ?? 0), 0);
          expect((dots & 0x47) !== 0 && (dots & 0xb8) !== 0).toBe(true);
        }
      }),
    );
  });
});

describe('format', () => {
  it('writes money with groups and cents, and no minus zero', () => {
    expect(moneyText(new Decimal('1234567.895'), 'HKD')).toBe('1,234,567.90 HKD');
    expect(moneyText(-0.001, 'USD')).toBe('0.00 USD');
    expect(moneyText(-1234.5, 'USD')).toBe('-1,234.50 USD');
    expect(countText(1_000_000)).toBe('1,000,000');
  });

  it('writes shares as percent, with a plus for gains only on request', () => {
    expect(percentText(0.1234)).toBe('12.34%');
    expect(percentText(0.1234, { signed: true })).toBe('+12.34%');
    expect(percentText(-0.00001, { signed: true })).toBe('0.00%');
    expect(ratioText(-0.004)).toBe('0.00');
  });

  it('writes spans and ranges as people do', () => {
    expect(spanText(86_400_000)).toBe('1 day');
    expect(spanText(3 * 3_600_000)).toBe('3 hours');
    expect(spanText(120_000)).toBe('2 minutes');
  });

  it('names the span of a run by trading days, a short one to the minute', () => {
    const closing = (...closes: readonly string[]) =>
      spanOfCloses({
        ...aRun([]),
        equity: {
          time: Float64Array.from(closes, (text) => Date.parse(text)),
          value: new Float64Array(closes.length).fill(100),
          exposure: new Float64Array(closes.length),
        },
      });
    // Friday's post-market ends on Saturday in UTC.
    expect(closing('2024-01-02T16:00-05:00', '2024-01-05T20:00-05:00')).toBe('2024-01-02 to 2024-01-05');
    expect(closing('2024-01-02T16:00-05:00', '2024-01-02T20:00-05:00')).toBe(
      '2024-01-02 21:00 to 2024-01-03 01:00 UTC',
    );
    expect(closing()).toBe('2024-01-01 00:00 to 2024-01-01 00:00 UTC');
  });

  it('wraps at spaces within the columns, and loses no word', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(words, (list) => {
        const text = wrapped(list.join(' '), 20, 2);
        expect(text.split(/\s+/)).toEqual(list);
        for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(20);
      }),
    );
  });
});

describe('the text of a bracket', () => {
  it('leaves out the binary rest of computed exits', () => {
    const exits = {
      stop: { kind: 'amount', amount: new Decimal(0.30000000000000426) },
      target: { kind: 'price', price: new Decimal('41.95') },
    } as const;
    const { symbol } = aSecurity();
    const entry = { symbol, side: 'buy', type: 'MO', quantity: new Decimal(10), timeInForce: 'day' } as const;
    expect(specText({ kind: 'bracket', entry, exits })).toBe(
      'buy 10 SPX.US MO, day, stop 0.3 a share, target 41.95',
    );
  });
});

describe('reportJson', () => {
  it('has amounts as text, instants as ISO, and reasons for missing values', () => {
    const json = reportJson(aRun([101_000], { fills: [aFill('buy', 3, '10.05'), aFill('sell', 3, '11')] }));
    expect(json).toMatchObject({
      schema: REPORT_SCHEMA,
      mode: 'backtest',
      from: '2024-01-01T00:00:00.000Z',
      figures: { finalEquity: 101_000, sharpe: null, closedTrades: 1, wins: 1 },
      undefined: { sharpe: 'too few samples (1 of 30 days)' },
      trades: [{ symbol: 'SPX.US', entryPrice: '10.05', profit: '0.85', fees: '2' }],
      equity: [['2024-01-02T00:00:00.000Z', 101_000]],
      omitted: { trades: 0, open: 0, equity: 0 },
      journal: null,
    });
    expect(JSON.parse(JSON.stringify(json))).toEqual(json);
    expect(Object.keys(json).slice(0, 4)).toEqual(['schema', 'mode', 'strategy', 'config']);
  });

  it('lists at most 10,000 trades and counts the others', () => {
    const pairs = (count: number) =>
      Array.from({ length: count }, () => [aFill('buy', 1, '10'), aFill('sell', 1, '11')]).flat();
    const json = reportJson(aRun([100], { fills: pairs(ROWS_MAX + 1) }));
    expect(json).toMatchObject({ omitted: { trades: 1 } });
    expect(json['trades']).toHaveLength(ROWS_MAX);
  });
});

describe('estimate', () => {
  it('is undefined rather than infinite', () => {
    expect(estimate(Number.POSITIVE_INFINITY).kind).toBe('undefined');
    expect(estimate(Number.NaN).kind).toBe('undefined');
    expect(estimate(0)).toEqual({ kind: 'value', value: 0 });
  });
});

it('names no seed for prices from other sources', () => {
  const security = aSecurity({ origin: { kind: 'generated', method: 'a walk of my own' } });
  expect(securityText({ ...security, name: 'Some' })).toContain('had these prices; a walk of my own');
});

describe('gainText', () => {
  it('has the sign of a gain and of a loss, and none of an amount that rounds to zero', () => {
    expect([150, -150.005, 0, 0.004, -0.004].map((amount) => gainText(amount, 'HKD'))).toEqual([
      ...['+150.00 HKD', '-150.00 HKD', '0.00 HKD', '0.00 HKD', '0.00 HKD'],
    ]);
  });
});
