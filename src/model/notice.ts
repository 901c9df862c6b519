import type { Decimal } from './decimal.ts';
import type { Currency } from './money.ts';
import type { CalendarDay, Millis } from './time.ts';

/** A condition that an operator must know now. `code` is stable; `facts` name both sides of a disagreement. */
export interface Alarm {
  readonly code: string;
  readonly message: string;
  readonly at: Millis;
  readonly facts: Readonly<Record<string, string>>;
}

/** Summary of a finished trading day. */
export interface DayNotice {
  readonly day: CalendarDay;
  readonly at: Millis;
  readonly strategy: string;
  readonly currency: Currency;
  /** Cash plus positions at market value, in the account's currency, to the cent. */
  readonly equity: Decimal;
  /** Counts since the previous notice or the start of the run. */
  readonly fills: number;
  readonly orders: number;
  readonly denied: number;
  /** Gate state: `active`, `reduce-only`, `halted` or `killed`. */
  readonly gate: string;
}
