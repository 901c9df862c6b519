import { type Millis, SECOND_MS } from './time.ts';

/** The instant as the wire states it: whole seconds, the fraction cut off. */
export function wholeSeconds(at: Millis): Millis {
  return (Math.floor(at / SECOND_MS) * SECOND_MS) as Millis;
}
