import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayVerdicts } from './replay-verdicts.ts';

/** Three days; the third goes ex a dividend of 1.005, which is one dollar after rounding to cents, half to even. */
const DIVIDEND = {
  id: 'dividend',
  data: 'A.US/1d.csv + A.US/events.csv 2024-03-04..2024-03-06',
  published: { 'Total Orders': 1, 'End Equity': 1028.95, 'Total Fees': 0.05 },
  how: 'RAW prices, cash 1,000; decided at the close of 2024-03-04, 10 units at the OPEN of 2024-03-05; fee 0.005 x units; every dividend credited, value rounded to cents',
};

/** The order is decided after the first minute, when the ask is 10.10. */
const QUOTES = {
  id: 'quotes',
  data: 'A.US/1m.csv + A.US/quotes.1m.csv, 2024-03-04..2024-03-04',
  price_factor: 2,
  published: { 'Total Orders': 1, 'End Equity': 1035.2, 'Total Fees': 2 },
  how: 'cash 1000; buy floor(1000*0.5/price) = 24 units at the ASK of that minute; fee max(2, 0.01 x units) = 2',
};

const RUNS = [
  DIVIDEND,
  QUOTES,
  { ...DIVIDEND, id: 'dearer', published: { ...DIVIDEND.published, 'End Equity': 1028.94 } },
  { ...DIVIDEND, id: 'fees', how: DIVIDEND.how.replace('fee', 'costs') },
  { ...DIVIDEND, id: 'later', how: DIVIDEND.how.replace('close of 2024-03-04', 'close of 2024-03-05') },
  { ...DIVIDEND, id: 'silent', how: undefined },
  { ...DIVIDEND, id: 'empty', data: DIVIDEND.data.replaceAll('2024', '2030') },
];

const HEAD = 'timestamp,open,high,low,close,volume';
const FILES: Readonly<Record<string, readonly string[]>> = {
  '1d.csv': [
    HEAD,
    '2024-03-04T05:00:00Z,10,10,10,10,900',
    '2024-03-05T05:00:00Z,11,12,11,12,900',
    '2024-03-06T05:00:00Z,12,13,12,12.9,900',
  ],
  'events.csv': ['ex_date,type,value,reference_close', '2024-03-06,dividend,1.005,12'],
  '1m.csv': [HEAD, '2024-03-04T14:30:00Z,10,10,10,10,900', '2024-03-04T14:31:00Z,10.2,11,10,10.875,900'],
  'quotes.1m.csv': [
    'timestamp,bid,bid_size,ask,ask_size',
    '2024-03-04T14:31:00Z,9.9,100,10.1,100',
    '2024-03-04T14:32:00Z,10.8,100,10.9,100',
  ],
};

describe('a list of published runs', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-published-'));
    mkdirSync(join(folder, 'A.US'));
    for (const [name, lines] of Object.entries(FILES))
      writeFileSync(join(folder, 'A.US', name), `${lines.join('\n')}\n`);
    writeFileSync(join(folder, 'published.json'), JSON.stringify(RUNS));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is replayed by its stated cash, units, fees and dividends, or reported with what it does not state', () => {
    const reported = [...replayVerdicts(folder, folder)].map(
      ({ id, problem }) => `${id}: ${problem ?? 'passes'}`,
    );
    expect(reported).toEqual([
      'dividend: passes',
      'quotes: passes',
      'dearer: End Equity: want 1028.94, got 1028.95',
      'fees: Cannot replay "fees": its "how" does not say "fee N x units"',
      'later: Cannot replay "later": decided on 2024-03-05, but its days begin on 2024-03-04',
      'silent: Cannot replay "silent": its "how" does not say "cash N"',
      'empty: Cannot replay "empty", its data has no row in its days',
    ]);
  });
});
