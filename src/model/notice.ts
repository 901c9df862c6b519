import type { Decimal } from './decimal.ts';
import type { Currency } from './money.ts';
import type { CalendarDay, Millis } from './time.ts';

/** Something a person should know now. `code` is stable, `facts` name both sides of whatever disagrees. */
export interface Alarm {
  readonly code: string;
  readonly message: string;
  readonly at: Millis;
  readonly facts: Readonly<Record<string, string>>;
}

/** How a trading day went, once it is over. */
export interface DayNotice {
  /** The exchange's own day. */
  readonly day: CalendarDay;
  /** Market time of the notice. */
  readonly at: Millis;
  readonly strategy: string;
  readonly currency: Currency;
  /** Cash plus positions at mark, in the account's currency, to the cent. */
  readonly equity: Decimal;
  /** Since the notice before, or since the run began. */
  readonly fills: number;
  readonly orders: number;
  readonly denied: number;
  /** State of the gate: `active`, `reduce-only`, `halted` or `killed`. */
  readonly gate: string;
}
