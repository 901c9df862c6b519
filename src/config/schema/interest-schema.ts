import { z } from 'zod';
import { Decimal } from '../../model/decimal.ts';
import { once } from '../../model/once.ts';
import {
  DEFAULT_INTEREST,
  type InterestModel,
  NO_INTEREST,
  type YearlyRates,
} from '../../simulation/books/interest.ts';
import { says, symbolField, withUnit } from './fields.ts';
import { yearlyRate } from './units.ts';

const rate = once(() => withUnit(yearlyRate));

const currencyCode = once(() =>
  says('a currency such as "USD"', (error) => z.string({ error }).regex(/^[A-Z]{3}$/, { error })),
);

const byCurrency = once(() =>
  says('a rate such as 6.5%/year, or one for each currency: { USD: 6.5%/year }', (error) =>
    z.union([rate(), z.record(currencyCode(), rate())], { error }),
  ),
);

const bySymbol = once(() =>
  says('a rate such as 1%/year, or one for each symbol: { GME.US: 30%/year }', (error) =>
    z.union([rate(), z.record(symbolField(), rate())], { error }),
  ),
);

/** `simulation.interest`: daily cost of loans and borrowed shares. */
export const interestSchema = once(() =>
  says(
    'none, or a map of debit, credit, rebate, borrow and dayCount, such as { debit: 6.5%/year }',
    (error) =>
      z.union(
        [
          z.literal('none'),
          z.strictObject({
            debit: byCurrency()
              .optional()
              .describe('A year, on settled cash below zero; currencies that are not named pay 6%/year'),
            credit: byCurrency()
              .optional()
              .describe('A year, on settled cash above zero; currencies that are not named get nothing'),
            rebate: byCurrency()
              .optional()
              .describe(
                'Per year, on the cash collateral of short positions at their last price; currencies that are not named get nothing, as retail accounts do',
              ),
            borrow: bySymbol()
              .optional()
              .describe(
                'A year, on the last price of what is sold short; symbols that are not named cost 1%/year',
              ),
            dayCount: says('market, 360 or 365', (wanted) =>
              z.union([z.literal('market'), z.literal(360), z.literal(365)], { error: wanted }),
            )
              .optional()
              .describe('Days of a year: as the currency counts them (USD 360, HKD 365), or always so many'),
          }),
        ],
        { error },
      ),
  ),
);

type Written = z.output<ReturnType<typeof interestSchema>>;

/** The interest model of a section; the default one if it is absent. */
export function interestOf(written: Written | undefined): InterestModel {
  if (written === undefined) return DEFAULT_INTEREST;
  if (written === 'none') return NO_INTEREST;
  const { debit, credit, rebate, borrow, dayCount = 'market' } = written;
  return {
    debit: ratesOf(debit, DEFAULT_INTEREST.debit),
    credit: ratesOf(credit, DEFAULT_INTEREST.credit),
    rebate: ratesOf(rebate, DEFAULT_INTEREST.rebate),
    borrow: ratesOf(borrow, DEFAULT_INTEREST.borrow),
    dayCount,
  };
}

function ratesOf(
  written: YearlyRates['usual'] | YearlyRates['by'] | undefined,
  house: YearlyRates,
): YearlyRates {
  if (written === undefined) return house;
  return written instanceof Decimal ? { usual: written, by: {} } : { ...house, by: written };
}
