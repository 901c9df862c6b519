import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkStore, type FileCheck } from '../../src/market-data/check-store.ts';
import { writeSecurity } from '../../src/market-data/security-file.ts';
import { FAULTS_MAX } from '../../src/market-data/valid-bars.ts';
import type { Security } from '../../src/model/security.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { aSecurity, barText, put, temporaryFolder } from './fixtures.ts';

const REAL_PRICES = new URL('../oracles/data/prices', import.meta.url).pathname;
const APPLE = securitySymbol('AAPL.US');

/** The result of a check of a store with one file of AAPL.US. */
function checked(
  name: string,
  content: string | Uint8Array,
  facts: Partial<Security> = {},
): readonly FileCheck[] {
  const dir = temporaryFolder();
  put(dir, join(APPLE, name), content);
  put(dir, join(APPLE, 'security.json'), writeSecurity(aSecurity(APPLE, facts)));
  return [...checkStore({ dir, symbols: [APPLE] })];
}

/** Severity, kind and line of each finding in the only file. */
function found(checks: readonly FileCheck[]): readonly string[] {
  const [check, ...others] = checks;
  expect(others).toEqual([]);
  return (check?.findings ?? []).map(({ severity, kind, line }) => `${severity} ${kind} ${line}`);
}

const QUOTES = 'timestamp,bid,bid_size,ask,ask_size';

describe('checkStore', () => {
  it('finds nothing in valid bars and counts them', () => {
    const [check] = checked('1m.csv', barText('2024-01-02T14:30:00Z,10,12,9,11,100'));
    expect(check).toMatchObject({ rows: 1, errors: 0, warnings: 0, findings: [] });
  });

  it('names every bad line at once, and checks the valid ones by their own lines', () => {
    const text = barText(
      '2024-01-02T14:30:00Z,10,12,9,11,100',
      '2024-01-02T14:31:00Z,10,12,9,1e309,100',
      '2024-01-02T14:30:00Z,10,12,9,11,100',
      '2024-01-02T14:29:00Z,10,12,9,11,100',
      '2024-01-02T14:32:00Z,10,12,9,11,0',
      'nonsense',
      '2024-01-02T15:00:00Z,10,12,9,11.001,100',
    );
    for (const [name, content] of [
      ['1m.csv', text],
      ['1m.csv.gz', gzipSync(text)],
    ] as const) {
      expect(found(checked(name, content))).toEqual([
        'error bad-number 3',
        'error duplicate-timestamp 4',
        'error unsorted 5',
        'warning zero-volume 6',
        'error column-count 7',
        'warning gap 8',
        'warning off-tick 8',
      ]);
    }
  });

  it(`stops after ${FAULTS_MAX} bad lines with a note`, () => {
    const [check] = checked('1m.csv', barText(...Array.from({ length: FAULTS_MAX + 5 }, () => 'nonsense')));
    expect(check?.counts).toMatchObject({ 'column-count': FAULTS_MAX, 'too-many-bad-rows': 1 });
    expect(check?.findings.length).toBeLessThan(60);
  });

  it('distinguishes errors from warnings', () => {
    const days = barText('2024-01-02T00:00:00Z,10,12,9,11,100', '2024-01-04T05:00:00Z,5.5,5.6,5.4,5.5,100');
    expect(found(checked('1d.csv', days))).toEqual(
      expect.arrayContaining(['error off-midnight 2', 'warning split 3']),
    );
  });

  it('expects no price step of adjusted prices, and no session for extended hours', () => {
    expect(found(checked('1d.adj.csv', barText('2024-01-02T05:00:00Z,10.001,12,9,11,100')))).toEqual([]);
    expect(found(checked('1m.ext.csv', barText('2024-01-02T10:00:00Z,10,12,9,11,100')))).toEqual([]);
    expect(found(checked('1m.csv', barText('2024-01-02T10:00:00Z,10,12,9,11,100')))).toEqual([
      'warning out-of-session 2',
    ]);
  });

  it('reports a file that cannot be read as one error', () => {
    expect(found(checked('1m.csv.gz', 'no gzip'))).toEqual(['error bad-gzip undefined']);
    expect(found(checked('1m.csv', 'Date,Close\n'))).toEqual(['error bad-header 1']);
    expect(found(checked('1m.csv', ''))).toEqual(['error empty-file undefined']);
  });

  it('finds crossed and locked quotes, missing sides, and lines that are wrong', () => {
    const text = [
      QUOTES,
      '2024-01-02T14:30:00Z,10.01,100,10.02,100',
      '2024-01-02T14:30:00Z,10.03,100,10.02,100',
      '2024-01-02T14:30:01Z,10.02,100,10.02,100',
      '2024-01-02T14:30:02Z,10.02,100,,',
      '2024-01-02T14:30:01Z,10.01,100,10.02,100',
      '2024-01-02T14:30:03Z,10.01,100,1e5,100',
      '2024-01-02T14:30:04Z,10.01,100,10.02',
      '2024-01-02T14:30:05Z,10.011,100,10.02,100',
      '2024-01-02T02:30:05Z,10.01,100,10.02,100',
      '2024-01-06T14:30:05Z,10.01,100,10.02,100',
      '',
    ].join('\n');
    expect(found(checked('quotes.1s.csv', text))).toEqual([
      'warning crossed 3',
      'warning locked 4',
      'warning one-sided 5',
      'error unsorted 6',
      'error bad-number 7',
      'error column-count 8',
      'warning off-tick 9',
      'error unsorted 10',
      'warning out-of-session 11',
    ]);
    expect(found(checked('quotes.csv', 'timestamp,bid\n'))).toEqual(['error bad-header 1']);
  });

  it('reports facts that are missing or wrong, and checks the bars nevertheless', () => {
    const dir = temporaryFolder();
    put(dir, 'AAPL.US/1m.csv', barText('2024-01-02T14:30:00Z,10,12,9,11,0'));
    expect([...checkStore({ dir, symbols: [APPLE] })].map(({ counts }) => counts)).toEqual([
      { 'bad-security': 1 },
      { 'zero-volume': 1 },
    ]);
    put(dir, 'AAPL.US/security.json', '{}');
    expect([...checkStore({ dir, symbols: [APPLE] })][0]).toMatchObject({
      errors: 1,
      findings: [{ kind: 'bad-security' }],
    });
  });

  it('checks only one period on request', () => {
    const dir = temporaryFolder();
    put(dir, 'AAPL.US/1m.csv', barText('2024-01-02T14:30:00Z,10,12,9,11,100'));
    put(dir, 'AAPL.US/1d.csv', barText('2024-01-02,10,12,9,11,100'));
    put(dir, 'AAPL.US/quotes.csv', `${QUOTES}\n`);
    put(dir, 'AAPL.US/security.json', writeSecurity(aSecurity(APPLE)));
    const files = [...checkStore({ dir, symbols: [APPLE], period: '1d' })].map(({ file }) => file);
    expect(files).toEqual([join(dir, 'AAPL.US/1d.csv')]);
  });
});

describe('checkStore on real quotes', () => {
  it('finds nearly every consolidated quote of IBM locked or crossed', () => {
    const checks = [...checkStore({ dir: REAL_PRICES, symbols: [securitySymbol('IBM.US')] })];
    const quotes = checks.find(({ file }) => file.endsWith('quotes.csv.gz'));
    expect((quotes?.counts['crossed'] ?? 0) + (quotes?.counts['locked'] ?? 0)).toBe(8681);
    expect(quotes?.errors).toBe(0);
  });
});
