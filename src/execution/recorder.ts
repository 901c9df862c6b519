import type { BotState } from '../events/bot-state.ts';
import type { SluiceEvent } from '../events/event.ts';
import type { Fold } from '../events/fold.ts';
import type { Journal } from '../ports/journal.ts';

/** The only way to make something have happened: on disk first, then in the state, then handed on. */
export interface Recorder {
  readonly state: BotState;
  /** Returns the event once it is journaled and folded. Throws JournalError, and then nothing has happened. */
  record<E extends SluiceEvent>(event: E): E;
}

/** Ties a journal to the fold over it; `onRecord` is called with every event right after it was folded. */
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
