import type { BotState } from '../events/bot-state.ts';
import type { SluiceEvent } from '../events/event.ts';
import type { Fold } from '../events/fold.ts';
import type { Journal } from '../ports/journal.ts';

/** The only way to record an event: first on disk, then in the state, then passed on. */
export interface Recorder {
  readonly state: BotState;
  /** Returns the event once it is journaled and folded. Throws JournalError, in which case the state is unchanged. */
  record<E extends SluiceEvent>(event: E): E;
}

/** Connects a journal to its fold; `onEvent` is called with every event after it was folded. */
export function createRecorder(
  journal: Journal,
  fold: Fold,
  onEvent: (event: SluiceEvent) => void,
): Recorder {
  return {
    state: fold.state,
    record: <E extends SluiceEvent>(event: E): E => {
      journal.append(event);
      fold.apply(event);
      onEvent(event);
      return event;
    },
  };
}
