import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ratesWithDefaults } from '#src/app/venue/venue-rates.ts';
import type { Ratio } from '#src/model/amount.ts';
import { Decimal, decimal } from '#src/model/decimal.ts';
import { exchangeRates } from '#src/simulation/books/exchange-rates.ts';

const CURRENCIES = ['HKD', 'USD', 'CNH'] as const;
const aRate = fc.integer({ min: 1, max: 100_000 }).map((figure) => decimal(String(figure / 1_000)));

const figureOf = ({ numerator, denominator }: Ratio): Decimal => new Decimal(numerator).div(denominator);

describe('rates of a venue without configured rates', () => {
  it('are 7.80 HKD and 7.20 CNH a dollar', () => {
    const rates = exchangeRates(ratesWithDefaults());
    expect(figureOf(rates.rate('USD', 'HKD')).toString()).toBe('7.8');
    expect(figureOf(rates.rate('USD', 'CNH')).toString()).toBe('7.2');
    expect(figureOf(rates.rate('CNH', 'HKD')).toDecimalPlaces(6).toString()).toBe('1.083333');
  });

  it('keep each configured rate, in either direction, and derive the others from it', () => {
    const rates = exchangeRates(ratesWithDefaults({ HKDUSD: decimal('0.125'), USDEUR: decimal('0.9') }));
    expect(figureOf(rates.rate('USD', 'HKD')).toString()).toBe('8');
    expect(figureOf(rates.rate('USD', 'EUR')).toString()).toBe('0.9');
    expect(figureOf(rates.rate('HKD', 'CNH')).toString()).toBe('0.9');
  });

  it('allow no gain by converting back and forth, whatever the dollar rates', () => {
    fc.assert(
      fc.property(aRate, aRate, (hkd, cnh) => {
        const { rate } = exchangeRates(ratesWithDefaults({ USDHKD: hkd, CNHUSD: cnh }));
        for (const a of CURRENCIES)
          for (const b of CURRENCIES)
            for (const c of CURRENCIES) {
              const [first, second, third] = [rate(a, b), rate(b, c), rate(c, a)].map(figureOf);
              const round = (first as Decimal).times(second as Decimal).times(third as Decimal);
              expect(round.minus(1).abs().lt('1e-15')).toBe(true);
            }
      }),
    );
  });
});
