import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fxSeriesIn } from '#src/market-data/fx-series.ts';
import { datedRates } from '#src/model/dated-rates.ts';
import { decimal } from '#src/model/decimal.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-fx-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(text: string): string {
  const file = join(folder, 'USDHKD.csv');
  writeFileSync(file, text);
  return file;
}

const at = (text: string): number => Date.parse(text);

describe('a file of exchange rates', () => {
  it('has no value before a day is over, and overrides the configured rate from then on', () => {
    const file = fileOf('date,rate,source\n2024-03-04,7.82,x\n2024-03-05,7.85,x\n2024-03-06T12:30Z,7.9,x\n');
    const { asOf, changes } = datedRates({ USDHKD: decimal('7.8'), USDCNH: decimal('7.2') }, [
      fxSeriesIn(file, 'USDHKD'),
    ]);
    const reported = [
      '2024-03-04T23:59:59Z',
      '2024-03-05T00:00:00Z',
      '2024-03-06T12:29Z',
      '2024-03-06T12:30Z',
    ].map((instant) => asOf(at(instant))['USDHKD']?.toString());
    expect(reported).toEqual(['7.8', '7.82', '7.85', '7.9']);
    expect(asOf(at('2030-01-01T00:00Z'))['USDCNH']?.toString()).toBe('7.2');
    expect(asOf(at('2024-03-05T10:00Z'))).toBe(asOf(at('2024-03-05T11:00Z')));
    expect(changes).toHaveLength(3);
  });

  it.each([
    ['day,rate\n', 'the header is "day,rate", want "date,rate"'],
    ['date,rate\n', 'it has no rate'],
    ['date,rate\n2024-02-30,7.8\n', 'the date is "2024-02-30"'],
    ['date,rate\n2024-03-05,7.8\n2024-03-04,7.8\n', '"2024-03-04" is not after the previous line'],
    ['date,rate\n2024-03-04,0\n', 'the rate is "0", want a number above 0'],
    ['date,rate\n2024-03-04,1e\n', 'the rate is "1e"'],
  ])('with false content is refused: %j', (text, problem) => {
    expect(() => fxSeriesIn(fileOf(text), 'USDHKD')).toThrow(problem);
  });

  it('that is missing is named', () => {
    expect(() => fxSeriesIn(join(folder, 'none.csv'), 'USDHKD')).toThrow('there is no such file');
  });
});
