import type { EngineParts } from '../engine/engine-parts.ts';
import type { Millis } from '../model/time.ts';
import { applicableInterest, homeMarket } from '../simulation/books/interest.ts';
import { DEFAULT_RULES } from '../simulation/rules.ts';
import type { ReplaySetup } from './setup.ts';

/** From when until when the venue may move money by itself, by interest or by writing off what a closed account owes; nothing where it never does. */
export function interestAccrual(
  { rules, margin, short = false, currency }: Pick<ReplaySetup, 'rules' | 'margin' | 'short' | 'currency'>,
  from: Millis,
  until: Millis,
): Pick<EngineParts, 'interestAccrual'> {
  const interestRules = applicableInterest((rules ?? DEFAULT_RULES).interest, { margin, short });
  return interestRules === undefined && margin.closeOut !== 'equity'
    ? {}
    : { interestAccrual: { home: homeMarket(currency), from, until } };
}
