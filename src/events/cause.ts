import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';

/** The event that made a strategy request an order. Stored with the intent; `sluice why` prints it. */
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
