import { type Millis, SECOND_MS } from './time.ts';

/** Truncates an instant to whole seconds, as the wire states it. */
export function wholeSeconds(at: Millis): Millis {
  return (Math.floor(at / SECOND_MS) * SECOND_MS) as Millis;
}
