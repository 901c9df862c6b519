import { millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Question, sentBy } from '../../ports/task.ts';

export function after(clock: Clock, ms: number): Question<void> {
  return sentBy((answer) => clock.at(millis(clock.now() + ms), 'timer', answer));
}
