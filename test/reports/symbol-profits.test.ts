import { describe, expect, it } from 'vitest';
import type { RunRecord } from '#src/events/run-record.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { reportJson } from '#src/reports/json.ts';
import { runHtml } from '#src/reports/page/run-html.ts';
import { performanceOf } from '#src/reports/performance.ts';
import { runPage } from '#src/reports/run-page.ts';
import { symbolJson, symbolProfits } from '#src/reports/symbol-profits.ts';
import { terminalReport } from '#src/reports/terminal.ts';
import { SOURCE } from './a-page.ts';
import { aFill, aRun, aSecurity, START } from './a-run.ts';

const [SPX, AAPL, IBM, TENCENT] = ['SPX.US', 'AAPL.US', 'IBM.US', '700.HK'].map((text) =>
  securitySymbol(text),
) as [
  ReturnType<typeof securitySymbol>,
  ReturnType<typeof securitySymbol>,
  ReturnType<typeof securitySymbol>,
  ReturnType<typeof securitySymbol>,
];

const equity = [100_100, 100_300, 100_200, 100_450];
const fills = [
  aFill('buy', 10, '100', { symbol: SPX }),
  aFill('sell', 10, '112.5', { symbol: SPX, day: 1 }),
  // Half of it is sold: 5 x 4 realized, and 5 held.
  aFill('buy', 10, '20', { symbol: AAPL }),
  aFill('sell', 5, '24', { symbol: AAPL, day: 1 }),
  aFill('sell', 8, '50', { symbol: IBM, day: 2 }),
];

const TRADED: Partial<RunRecord> = {
  securities: [SPX, IBM, AAPL, TENCENT].map((symbol) => aSecurity({ symbol })),
  bounds: {
    opened: START,
    cash: { USD: decimal('100000') },
    prices: new Map([
      [SPX, 115],
      [AAPL, 23],
      [IBM, 52.5],
    ]),
    rates: new Map(),
  },
};
const record = aRun(equity, { ...TRADED, fills });

describe('profit by symbol', () => {
  it('has the realized and the unrealized profit, the fees and what is open of each traded symbol', () => {
    const row = { currency: 'USD', quantity: '0' };
    expect(symbolProfits(record, performanceOf(record)).map(symbolJson)).toEqual([
      { ...row, symbol: SPX, trades: 1, realized: '125', unrealized: '0', fees: '2', profit: '123' },
      // A short position loses 2.5 a share.
      {
        ...row,
        symbol: IBM,
        trades: 0,
        quantity: '-8',
        realized: '0',
        unrealized: '-20',
        fees: '1',
        profit: '-21',
      },
      {
        ...row,
        symbol: AAPL,
        trades: 0,
        quantity: '5',
        realized: '20',
        unrealized: '15',
        fees: '2',
        profit: '33',
      },
    ]);
  });

  it('does not know an unrealized profit without a last price', () => {
    const { bounds: _, ...without } = TRADED;
    const rowsOf = (change: Partial<RunRecord>) =>
      symbolProfits(aRun(equity, { ...without, ...change, fills }), performanceOf(record))
        .map(symbolJson)
        .map(({ unrealized, profit }) => [unrealized, profit]);
    expect(rowsOf({})).toEqual([
      ['0', '123'],
      [null, null],
      [null, null],
    ]);
    // A bot on a broker account has the closes of the bars that it keeps.
    const keptPrices: RunRecord['keptPrices'] = [
      {
        symbol: AAPL,
        period: '1m',
        bars: [
          [START, 21, 22, 20, 21],
          [START + 1, 21, 26, 21, 25],
        ],
        indicators: [],
      },
    ];
    expect(rowsOf({ keptPrices })).toEqual([
      ['0', '123'],
      [null, null],
      ['25', '43'],
    ]);
  });

  it('is in the summary of several symbols, the largest amounts first, as far as a line has room', () => {
    const text = terminalReport(record, { colour: false });
    expect(text).toContain(
      'Profit by symbol, USD: SPX.US +123.00, AAPL.US +33.00, IBM.US -21.00\n' +
        'Unrealized, USD: IBM.US -20.00, AAPL.US +15.00\n',
    );
    expect(text.split('\n').length).toBeLessThanOrEqual(24);
    const symbols = Array.from({ length: 40 }, (_, at) => securitySymbol(`A${at}.US`));
    const many = aRun(equity, {
      securities: symbols.map((symbol) => aSecurity({ symbol })),
      fills: symbols.flatMap((symbol) => [
        aFill('buy', 10, '100', { symbol }),
        aFill('sell', 10, '101', { symbol, day: 1 }),
      ]),
    });
    const [line = ''] = terminalReport(many, { colour: false })
      .split('\n')
      .filter((each) => each.startsWith('Profit by symbol'));
    expect(line).toMatch(/^Profit by symbol, USD: A0\.US \+8\.00, .*, and 3\d more$/);
    expect(line.length).toBeLessThanOrEqual(80);
  });

  it('is one line of the summary of one symbol, if it is held', () => {
    const one = { ...TRADED, securities: [aSecurity()] };
    const flat = terminalReport(aRun(equity, { ...one, fills: fills.slice(0, 2) }), { colour: false });
    expect(flat).not.toMatch(/by symbol|Unrealized/);
    const held = terminalReport(aRun(equity, { ...one, fills: fills.slice(0, 1) }), { colour: false });
    expect(held).toContain('\nUnrealized, USD: SPX.US +150.00\n');
    expect(held).not.toContain('by symbol');
  });

  it('is a table of 80 columns with explanations, with currencies if there are several', () => {
    const explained = { colour: false, explained: true };
    const text = terminalReport(record, explained);
    expect(text).toContain(
      [
        'By symbol, USD',
        'Symbol      Trades      Open     Realized  Unrealized       Fees      Profit',
        'SPX.US           1         -       125.00        0.00       2.00      123.00',
        'IBM.US           0        -8         0.00      -20.00       1.00      -21.00',
        'AAPL.US          0         5        20.00       15.00       2.00       33.00',
      ].join('\n'),
    );
    const both = aRun(equity, {
      ...TRADED,
      fills: [
        ...fills.slice(0, 2),
        aFill('buy', 100_000_000, '300', { symbol: TENCENT, currency: 'HKD' }),
        aFill('sell', 100_000_000, '301', { symbol: TENCENT, currency: 'HKD', day: 1 }),
      ],
    });
    const rows = terminalReport(both, explained)
      .split('\n')
      .filter((line) => /^(SPX|700)/.test(line));
    expect(rows.slice(-2)).toEqual([
      'SPX.US           1         -       125.00        0.00       2.00      123.00 USD',
      '700.HK           1         -  100,000,000        0.00       2.00  99,999,998 HKD',
    ]);
  });

  it('is in the report and its JSON, with the last price and the unrealized profit of what is still open', () => {
    const { open, symbols } = reportJson(record);
    expect(symbols.map(({ symbol }) => symbol)).toEqual([SPX, IBM, AAPL]);
    expect(open.map(({ symbol, price, unrealized }) => [symbol, price, unrealized])).toEqual([
      [AAPL, '23', '15'],
      [IBM, '52.5', '-20'],
    ]);
    const page = runPage(record, [], SOURCE);
    const html = runHtml(page);
    expect(html).toContain('<h2 id="symbols">By symbol</h2>');
    expect(html.match(/>By symbol</g)).toHaveLength(1);
    expect(html).toContain(
      '<tr><th scope="row">IBM.US</th><td>0</td><td>-</td><td>-</td><td>-8</td><td>0.00 USD</td><td class="bad">-20.00 USD</td><td>1.00 USD</td><td class="bad">-21.00 USD</td></tr>',
    );
    expect(html).toMatch(
      /<td>5<\/td><td>20\.00<\/td><td>23\.00<\/td><td class="good">\+15\.00 USD<\/td><\/tr>/,
    );
    // A run saved by an earlier version has neither.
    const { symbols: _symbols, ...report } = page.report;
    const old = {
      ...report,
      open: report.open.map(({ price: _price, unrealized: _unrealized, ...rest }) => rest),
    };
    const earlier = runHtml({ ...page, report: old as typeof page.report });
    expect(earlier).not.toContain('By symbol');
    expect(earlier).toContain('<td>not known</td><td>not known</td></tr>');
  });
});
