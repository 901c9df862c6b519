import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importBars } from '../../src/market-data/import-bars.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { put, temporaryFolder } from './fixtures.ts';
import { FACTS, HEADER } from './importing.ts';

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
/** One-minute rows from one minute of the day up to another. */
const minutes = (from: number, to: number): string =>
  [HEADER, ...Array.from({ length: to - from }, (_, at) => `2024-01-02 ${clock(from + at)},1,1,1,1,1`)].join(
    '\n',
  );

async function notesOf(text: string, zone: string, period: '1m' | '1d' = '1m'): Promise<readonly string[]> {
  const dir = temporaryFolder();
  const { notes } = await importBars({
    ...{ file: put(dir, 'a.csv', text), symbol: securitySymbol('AAPL.US'), period, zone },
    ...{ dir: join(dir, 'data'), onBadRow: 'stop', security: FACTS },
  });
  return notes;
}

const REGULAR = minutes(570, 960);

it.each([
  ['New York read as UTC', REGULAR, 'UTC', '23%'],
  ['UTC read as New York', minutes(870, 1260), 'America/New_York', '23%'],
  ['New York read as Hong Kong', REGULAR, 'Asia/Hong_Kong', '0%'],
])('reports that most minutes are outside regular hours: %s', async (_, text, zone, share) => {
  expect(await notesOf(text, zone)).toEqual([
    `ONLY ${share} of the first 390 bars are in the regular hours of US: is the time zone of the stamps right?`,
  ]);
});

it.each([
  ['regular hours', REGULAR],
  ['pre-market to post-market', minutes(240, 1200)],
])('reports nothing about %s in their own zone', async (_, text) => {
  expect(await notesOf(text, 'America/New_York')).toEqual([]);
});

it('reports nothing about days', async () => {
  expect(await notesOf(`${HEADER}\n2024-01-02,1,1,1,1,1\n`, 'UTC', '1d')).toEqual([]);
});
