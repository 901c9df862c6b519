import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BailOut } from '#src/backtest/express/bail-out.ts';
import { exactDouble } from '#src/backtest/express/plain-price.ts';
import { TickSteps } from '#src/backtest/express/tick-steps.ts';
import { isOnTick, tickSize } from '#src/markets/ticks.ts';
import { Decimal, decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { toDecimal } from '#src/strategy/numeric.ts';

const someText = fc.oneof(
  fc.stringMatching(/^-?\d{1,20}(\.\d{1,20})?$/),
  fc.stringMatching(/^\d{1,6}\.\d{1,4}$/),
  fc.constantFrom('', '.', '1.', '.5', '-', '1e5', '1,000', ' 1', '00.10', '1.2.3', '0', '-0', 'NaN'),
);

describe('a price in plain numbers', () => {
  it('is the double that reads as the same decimal as its text, NaN for a text without one, and absent if no double is equal', () => {
    fc.assert(
      fc.property(someText, (text) => {
        const figure = toDecimal(text);
        let price: number | undefined;
        try {
          price = exactDouble(text);
        } catch (error) {
          expect(error).toBeInstanceOf(BailOut);
        }
        if (figure === undefined) expect(price).toBeNaN();
        else if (price === undefined) expect(new Decimal(figure.toNumber()).eq(figure)).toBe(false);
        else expect(new Decimal(price).eq(figure)).toBe(true);
      }),
    );
  });

  it('is on a price step exactly when the decimal price is, on any ladder and day', () => {
    const someKind = fc.constantFrom('stock' as const, 'etf' as const, 'warrant' as const, 'index' as const);
    const someDays = fc.array(
      fc.constantFrom('2024-03-04', '2025-08-04', '2026-08-03').map((day) => calendarDay(day)),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(
        fc.constantFrom('US', 'HK'),
        someKind,
        someDays,
        fc.integer({ min: 1, max: 60_000_000 }),
        (market, kind, days, tenThousandths) => {
          const steps = new TickSteps({ market, kind });
          const price = decimal((tenThousandths / 10_000).toFixed(4));
          for (const day of days) {
            const on = isOnTick(price, tickSize({ market, kind }, price, day));
            expect(steps.isOn(tenThousandths * 100, day)).toBe(on);
          }
        },
      ),
    );
  });
});
