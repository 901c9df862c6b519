import { map, type OperatorFunction } from 'rxjs';
import type { Moment } from '../ports/signal-source.ts';

/** Says in every moment, and in every event of it, which of several strategies it is for; marks are the account's. */
export function forMember(strategy: string): OperatorFunction<Moment, Moment> {
  return map((moment) => ({
    ...moment,
    ...{ marks: [], strategy },
    events: moment.events.map((event) => ({ ...event, strategy })),
  }));
}
