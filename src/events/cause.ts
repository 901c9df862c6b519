import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';

/** What made a strategy ask for an order: kept with the intent, so that `why` can tell it. */
export interface Cause {
  readonly kind:
    | 'signal'
    | 'bar'
    | 'bars'
    | 'quote'
    | 'fill'
    | 'order'
    | 'timer'
    | 'start'
    | 'stop'
    | 'operator';
  /** Name of the signal, or of the event. */
  readonly name: string;
  readonly symbol: SecuritySymbol | undefined;
  readonly time: Millis;
  /** Inputs of the decision by name, for example the two averages of a crossover. */
  readonly inputs: Readonly<Record<string, number>>;
}
