import { millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { fromCallback, type Request } from '../../ports/task.ts';

export function delay(clock: Clock, ms: number): Request<void> {
  return fromCallback((answer) => clock.at(millis(clock.now() + ms), 'timer', answer));
}
