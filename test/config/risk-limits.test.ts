import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal, decimal } from '../../src/model/decimal.ts';
import { defaultLimits, LIMITS, type LimitName } from '../../src/risk/limits.ts';
import { onlyText, readWith } from './reading.ts';

const NAMES = Object.keys(LIMITS).filter((name): name is LimitName => name in LIMITS);

function limitsWith(risk: string) {
  const reading = readWith({ risk: `risk: { ${risk} }`, params: 'params: { weight: 5% }' });
  return reading.kind === 'ok' ? reading.config.risk : undefined;
}

describe('risk limits of a config', () => {
  it('are read with their units', () => {
    const limits = limitsWith(
      [
        'maxOrderQuantity: 100 shares, maxPositionQuantity: 1 share, maxGrossExposure: 250%, maxNetExposure: 80.5%',
        'maxOrderRate: 30/min, maxRepeats: 1, repeatWindow: 90s, maxQuoteJump: 10%, maxSession: overnight',
        'restricted: [700.HK, GME.US], allowShort: true, marginHeadroom: 10%, maxDailyLoss: 1%, maxDrawdown: 8%',
        'maxUnattendedFills: 50, maxBreaches: 4, breachWindow: 5m, maxQuoteAge: 500ms, maxEstimateAge: 2s',
        'maxBalanceAge: 1m, maxPositionsAge: 2m, maxMarginAge: 1h',
      ].join(', '),
    );
    expect(limits).toEqual({
      ...defaultLimits('USD'),
      maxOrderQuantity: decimal('100'),
      maxPositionQuantity: decimal('1'),
      maxGrossExposure: decimal('2.5'),
      maxNetExposure: decimal('0.805'),
      maxOrderRate: 30,
      maxRepeats: 1,
      repeatWindow: 90_000,
      maxQuoteJump: decimal('0.1'),
      maxSession: 'overnight',
      restricted: ['700.HK', 'GME.US'],
      allowShort: true,
      marginHeadroom: decimal('0.1'),
      maxDailyLoss: decimal('0.01'),
      maxDrawdown: decimal('0.08'),
      maxUnattendedFills: 50,
      maxBreaches: 4,
      breachWindow: 300_000,
      maxQuoteAge: 500,
      maxEstimateAge: 2_000,
      maxBalanceAge: 60_000,
      maxPositionsAge: 120_000,
      maxMarginAge: 3_600_000,
    });
  });

  it('report the expected unit if it is missing or wrong', () => {
    const text = (risk: string) => onlyText(readWith({ risk: `risk: { ${risk} }` }));
    expect(text('maxOrderRate: 10')).toMatch(
      /want a number per minute from 1\/min to 1000\/min, such as "10\/min"/,
    );
    expect(text('maxOrderQuantity: 100')).toMatch(/want a number of shares from 1 on, such as "100 shares"/);
    expect(text('maxQuoteAge: 3')).toMatch(/want a length of time from 1ms to 1h with its unit/);
    expect(text('maxSession: always')).toMatch(/want one of rth-only, any-time, overnight/);
    expect(text('restricted: [gme]')).toMatch(/"restricted\[0\]" is "gme", want a symbol such as "700.HK"/);
  });

  it('are accepted at the largest value that may be written, and not beyond', () => {
    expect(limitsWith('maxQuoteAge: 1h')?.maxQuoteAge).toBe(3_600_000);
    expect(limitsWith('maxQuoteAge: 61m')).toBeUndefined();
    expect(limitsWith('maxOrderRate: 1000/min')?.maxOrderRate).toBe(1_000);
    expect(limitsWith('maxOrderRate: 1001/min')).toBeUndefined();
    expect(limitsWith('maxGrossExposure: 500%')?.maxGrossExposure).toEqual(new Decimal(5));
    expect(limitsWith('maxGrossExposure: 501%')).toBeUndefined();
  });

  it('are never unlimited for any text: refused, or a figure within bounds (F-F03, I-15)', () => {
    const figures = [
      '0',
      '-1',
      '1e9',
      '1,000',
      '1_000',
      '.inf',
      '-.inf',
      '.nan',
      'Infinity',
      'null',
      '~',
      '""',
      '[]',
    ];
    const units = ['', ' USD', '%', ' shares', '/min', 's', 'h'];
    const aText = fc.oneof(
      fc.constantFrom(...figures.flatMap((figure) => units.map((unit) => `${figure}${unit}`))),
      fc
        .tuple(fc.double({ noNaN: true }), fc.constantFrom(...units))
        .map(([figure, unit]) => `${figure}${unit}`),
    );
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), aText, (name, text) => {
        const limits = limitsWith(`${name}: ${text}`);
        if (limits === undefined) return;
        const { unit, max } = LIMITS[name];
        const value = limits[name];
        if (unit === 'symbols' || unit === 'flag' || unit === 'sessions') return;
        const figure = typeof value === 'object' && 'amount' in value ? value.amount : value;
        const scaled = unit === 'share' ? Number(figure) * 100 : Number(figure);
        expect(scaled).toBeGreaterThan(0);
        expect(scaled).toBeLessThan(Number.POSITIVE_INFINITY);
        expect(scaled).toBeLessThanOrEqual(max);
      }),
    );
  });
});

describe('a warning', () => {
  const warningsOf = (changes: Readonly<Record<string, string>>): readonly string[] => {
    const reading = readWith(changes);
    if (reading.kind === 'problems') throw new Error('The config has problems');
    return reading.warnings.map(({ line, column, message }) => `${line}:${column} ${message}`);
  };

  it('reports a weight above the limit for one symbol', () => {
    expect(warningsOf({ params: 'params: { weight: 50% }' })).toEqual([
      '6:19 Parameter "weight" asks for 50% of equity in one symbol, "maxPositionWeight" lets through 20%: what goes beyond is denied',
    ]);
  });

  it('reports a weight whose orders exceed the limit for one order', () => {
    const risk = 'risk: { maxPositionWeight: 50%, maxOrderNotional: 30000 USD }';
    expect(warningsOf({ params: 'params: { weight: 40% }', risk })).toEqual([
      '6:19 Parameter "weight" asks for orders of up to 40000 USD, "maxOrderNotional" lets through 30000 USD: what goes beyond is denied',
    ]);
    expect(warningsOf({ params: 'params: { weight: 30% }', risk })).toEqual([]);
  });

  it('is also given for a default value', () => {
    expect(warningsOf({})).toHaveLength(1);
  });
});
