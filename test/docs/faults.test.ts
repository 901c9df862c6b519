import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** The most important faults, by number. @see docs/reliability.md, "Faults" */
const MATTER_MOST = [
  ...['F-N01', 'F-N06', 'F-N10', 'F-N11', 'F-N13', 'F-B01', 'F-B03', 'F-B07', 'F-B09', 'F-B12', 'F-B14'],
  ...['F-B21', 'F-D01', 'F-C01', 'F-K01', 'F-K03', 'F-P01', 'F-M01', 'F-G01', 'F-G04', 'F-F01', 'F-F06'],
  ...['F-O01', 'S-02', 'S-11'],
];
/** Outages of a part of the network, listed in addition. */
const IN_PART = ['F-N09', 'F-N15', 'F-N16'];
/** Faults that are rarer than those above but expensive. */
const RARER = [
  'F-B17',
  'F-B18',
  'F-B30',
  'F-B35',
  'F-C02',
  'F-C03',
  'F-C04',
  'F-D07',
  'F-P04',
  'F-P06',
  'F-P08',
  'F-P10',
];
/** Attacks, listed in addition. */
const HOSTILE = ['S-04', 'S-12', 'S-15', 'S-03', 'S-06', 'S-07', 'S-17', 'S-23', 'F-D08', 'F-D09', 'F-D10'];
/**
 * Long-term effects, manual changes by the owner, misspellings and the time zone of the machine, listed in addition.
 */
const SLOW_AND_BY_HAND = ['F-K10', 'F-O03', 'F-F02', 'F-F07'];
/** Not listed: there is no lease in a database yet. */
const WAITS = 'F-M01';

describe('the page of faults', () => {
  const page = readFileSync(join(root, 'docs/faults.md'), 'utf8');
  const rows = [...page.matchAll(/^\| ([A-Z0-9-]+) \|.*\| (?:`(test\/.+?)`|nothing yet) \|$/gm)].map(
    ([, number = '', file]) => ({ number, file }),
  );

  it('has one row for each of the most important and the additional faults, and for no other', () => {
    expect(rows.map(({ number }) => number)).toEqual([
      ...[...MATTER_MOST, ...IN_PART, ...RARER],
      ...[...HOSTILE, ...SLOW_AND_BY_HAND],
    ]);
  });

  it('names a test for each, except for the listed one without', () => {
    expect(rows.filter(({ file }) => file === undefined)).toEqual([{ number: WAITS, file: undefined }]);
  });

  it.each(rows.flatMap(({ number, file }) => (file === undefined ? [] : [{ number, file }])))(
    'finds $number in the name of a test of $file',
    ({ number, file }) => {
      const text = readFileSync(join(root, file), 'utf8');
      const named = text.split('\n').filter((line) => new RegExp(`['"].*\\b${number}\\b`).test(line));
      expect(named).not.toEqual([]);
    },
  );
});
