import { Decimal as DecimalJs } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asDecimal, Decimal, decimal, parseDecimal, ZERO } from '#src/model/decimal.ts';
import { toDecimal } from '#src/strategy/numeric.ts';

describe('Decimal', () => {
  it('is decimal.js', () => {
    expect(DecimalJs.isDecimal(new Decimal('1.5'))).toBe(true);
    expect(new Decimal('1.5').plus(new DecimalJs('0.25')).toString()).toBe('1.75');
    expect(new DecimalJs('0.25').plus(new Decimal('1.5')).toString()).toBe('1.75');
  });

  it('keeps 40 significant digits and rounds half up', () => {
    expect(new Decimal(2).div(3).toString()).toBe(`0.${'6'.repeat(39)}7`);
    expect(new Decimal('0.5').toDecimalPlaces(0).toString()).toBe('1');
    expect(new Decimal('-2.5').toDecimalPlaces(0).toString()).toBe('-3');
  });

  it('does not change the settings of other users of decimal.js', () => {
    expect(DecimalJs.precision).toBe(20);
    expect(new DecimalJs(2).div(3).toString()).toBe('0.66666666666666666667');
  });

  it('prints exponents only beyond 40 digits', () => {
    expect(new Decimal('1e39').toString()).toBe(`1${'0'.repeat(39)}`);
    expect(new Decimal('1e-39').toString()).toBe(`0.${'0'.repeat(38)}1`);
    expect(new Decimal('1e40').toString()).toBe('1e+40');
    expect(new Decimal('1e-40').toString()).toBe('1e-40');
  });

  it('prints a negative zero without its sign', () => {
    expect([ZERO.neg().toString(), `${ZERO.neg()}`, ZERO.neg().toFixed(2)]).toEqual(['0', '0', '0.00']);
    expect(ZERO.neg().lt(ZERO)).toBe(false);
  });
});

describe('parseDecimal', () => {
  it('reads plain decimal texts', () => {
    expect(parseDecimal('412.40')?.toString()).toBe('412.4');
    expect(parseDecimal('-0.01')?.toString()).toBe('-0.01');
  });

  it('reads every text as decimal.js does', () => {
    const digits = (most: number) => fc.stringMatching(new RegExp(`^\\d{1,${most}}$`));
    const text = fc
      .tuple(fc.constantFrom('', '-'), digits(20), fc.option(digits(10), { nil: undefined }))
      .map(([sign, whole, part]) => `${sign}${whole}${part === undefined ? '' : `.${part}`}`);
    fc.assert(
      fc.property(text, (each) => {
        expect(parseDecimal(each)).toEqual(new Decimal(each));
      }),
    );
    for (const each of ['0', '0.000000', '-0', '000412.400', '9007199254.740991', '9007199254.740992'])
      expect(parseDecimal(each)).toEqual(new Decimal(each));
  });

  it.each(['', '1e9', '1,000', 'NaN', 'Infinity', '0x1f', ' 1', '1.', '.5', '.', '1.2.3', '+1', '--1'])(
    'returns undefined for "%s"',
    (text) => {
      expect(parseDecimal(text)).toBeUndefined();
      expect(() => decimal(text)).toThrow(`Cannot read "${text}" as a decimal number`);
    },
  );
});

describe('asDecimal', () => {
  it('accepts a Decimal of any copy of decimal.js, with every digit', () => {
    const Other = DecimalJs.clone({ precision: 60 });
    const long = `1.${'3'.repeat(50)}`;
    expect(asDecimal(new Other(long))?.toFixed()).toBe(long);
    expect(asDecimal(new Decimal('12.50'))?.toString()).toBe('12.5');
    expect(toDecimal(new DecimalJs('1e-9'))?.toFixed()).toBe('0.000000001');
  });

  it('returns undefined for anything else, also if it looks like one', () => {
    expect(toDecimal(new DecimalJs(Number.NaN))).toBeUndefined();
    for (const value of [undefined, null, 1, '1', { d: [1], e: 0, s: 1 }])
      expect(asDecimal(value)).toBeUndefined();
    expect(asDecimal({ toStringTag: '[object Decimal]' })).toBeUndefined();
  });
});
