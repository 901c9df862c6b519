import type { EngineParts } from '../engine/engine-parts.ts';
import type { Millis } from '../model/time.ts';
import { homeMarket, interestFelt } from '../simulation/books/interest.ts';
import { HOUSE_RULES } from '../simulation/rules.ts';
import type { ReplaySetup } from './setup.ts';

/** Whether the days of an account cost interest, and from when until when; nothing where none does. */
export function daysCost(
  { rules, margin, short = false, currency }: Pick<ReplaySetup, 'rules' | 'margin' | 'short' | 'currency'>,
  from: Millis,
  until: Millis,
): Pick<EngineParts, 'daysCost'> {
  const felt = interestFelt((rules ?? HOUSE_RULES).interest, { margin, short });
  return felt === undefined ? {} : { daysCost: { home: homeMarket(currency), from, until } };
}
