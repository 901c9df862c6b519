import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DataError } from '../../src/market-data/data-error.ts';
import { parseSecurity, writeSecurity } from '../../src/market-data/security-file.ts';
import { decimal } from '../../src/model/decimal.ts';
import { SECURITY_KINDS, type Security } from '../../src/model/security.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { aSecurity } from './fixtures.ts';

const SYMBOL = securitySymbol('700.HK');
const FILE = 'data/700.HK/security.json';
const sound = aSecurity('700.HK');

function faultOf(json: string): DataError {
  try {
    parseSecurity(json, SYMBOL, FILE);
  } catch (error) {
    if (error instanceof DataError) return error;
    throw error;
  }
  throw new Error(`Read without a complaint: ${json}`);
}

/** The valid file with some top-level values replaced. */
const changed = (values: Record<string, unknown>): string =>
  JSON.stringify({ ...JSON.parse(writeSecurity(sound)), ...values });

describe('security.json', () => {
  it('returns the facts that were written', () => {
    const aRatio = fc.integer({ min: 1, max: 1000 }).map((part) => decimal(String(part / 1000)));
    const anyFacts = fc.record({
      kind: fc.constantFrom(...SECURITY_KINDS),
      lotSize: fc.integer({ min: 1, max: 1_000_000 }),
      tradable: fc.boolean(),
      company: fc.record({ totalShares: fc.integer({ min: 1 }), eps: fc.constantFrom('-1.5', '0', '22.4') }),
      margin: aRatio.map((factor) => ({ initial: factor, maintenance: factor, forced: factor })),
      origin: fc.oneof(
        fc.constant({ kind: 'real', source: 'exchange', license: 'ours' } as const),
        fc.nat().map((seed) => ({ kind: 'generated', seed, method: 'walk' }) as const),
      ),
    });
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const security: Security = { ...sound, ...facts };
        expect(parseSecurity(writeSecurity(security), SYMBOL, FILE)).toEqual(security);
      }),
    );
  });

  it('reads margin factors as exact decimals', () => {
    expect(parseSecurity(writeSecurity(sound), SYMBOL, FILE).margin.initial.toString()).toBe('0.35');
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'a margin factor that is a number',
      { margin: { initial: 0.35, maintenance: '0.3', forced: '0.2' } },
      'margin.initial',
    ],
    [
      'a margin factor above one',
      { margin: { initial: '1.2', maintenance: '0.3', forced: '0.2' } },
      'margin.initial',
    ],
    [
      'maintenance above initial',
      { margin: { initial: '0.3', maintenance: '0.4', forced: '0.2' } },
      'margin',
    ],
    ['earnings that are no decimal', { company: { eps: 'many' } }, 'company.eps'],
    ['half an issued share', { company: { totalShares: 0.5 } }, 'company.totalShares'],
    ['a lot of zero', { lotSize: 0 }, 'lotSize'],
    ['a lot of one and a half shares', { lotSize: 1.5 }, 'lotSize'],
    ['a lot of nothing', { lotSize: 0 }, 'lotSize'],
    ['an unknown kind', { kind: 'bond' }, 'kind'],
    ['a currency in small letters', { currency: 'hkd' }, 'currency'],
    ['a line break in a name', { names: { en: 'A\n{"level":"fill"}', zhCn: 'a', zhHk: 'a' } }, 'names.en'],
    ['an origin without a licence', { origin: { kind: 'real', source: 'exchange' } }, 'origin.license'],
    ['no origin', { origin: undefined }, 'origin'],
    ['an unknown fact', { lot: 100 }, 'lot'],
  ])('refuses %s and names where', (_, values, path) => {
    const fault = faultOf(changed(values));
    expect(fault.code).toBe('bad-security');
    expect(fault.file).toBe(FILE);
    expect(fault.message).toContain(path);
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'refuses the key "%s" and touches no prototype',
    (key) => {
      const json = writeSecurity(sound).replace('"symbol"', `"${key}": { "polluted": true }, "symbol"`);
      expect(faultOf(json).code).toBe('bad-security');
      expect('polluted' in {}).toBe(false);
    },
  );

  it('refuses facts of another symbol than that of the folder', () => {
    expect(faultOf(writeSecurity(aSecurity('5.HK'))).message).toContain('saw "5.HK", want "700.HK"');
  });

  it('names every wrong value at once, the symbol of another folder included', () => {
    const json = JSON.stringify({ symbol: '5.HK', kind: 'bond', lotSize: 0 });
    const { message } = faultOf(json);
    for (const path of ['symbol: saw "5.HK"', 'kind: ', 'lotSize: ', 'names: ', 'currency: ', 'origin: '])
      expect(message).toContain(path);
  });

  it('refuses text that is no JSON, and text that is too long', () => {
    expect(faultOf('{').code).toBe('bad-security');
    expect(faultOf(' '.repeat(64 * 1024 + 1)).message).toContain('more than 65536 characters');
  });
});

describe('the message about a wrong value', () => {
  const sound = JSON.parse(writeSecurity(aSecurity('700.HK')));
  it.each([
    [{ tradable: undefined }, 'tradable: is missing, want true or false'],
    [{ tradable: 'yes' }, 'tradable: saw "yes", want true or false'],
    [{ kind: 'shares' }, 'kind: saw "shares", want one of stock, etf, reit,'],
    [{ board: '' }, 'board: saw "", want at least 1 character'],
    [{ board: 'B'.repeat(41) }, 'want at most 40 characters'],
    [{ lotSize: 1.5 }, 'lotSize: saw 1.5, want a whole number of shares, or a fraction of one such as 0.01'],
    [{ names: { en: 'x', zhCn: 'x' } }, 'names.zhHk: is missing, want text in quotes'],
    [{ origin: { kind: 'made' } }, 'origin.kind: saw another kind, want "real", "generated" or "unknown"'],
    [{ origin: [] }, 'origin: saw a list, want an object'],
    [{ sector: 'banks' }, 'the whole file: has "sector": unknown key'],
  ])('%j: %s', (change, words) => {
    const { message } = faultOf(JSON.stringify({ ...sound, ...change }));
    expect(message).toContain(words);
    expect(message).not.toMatch(/Invalid|expected|received/);
  });
});
