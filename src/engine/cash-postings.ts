import type { Recorder } from '../execution/recorder.ts';
import { dayEnds } from '../markets/sessions.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Market } from '../model/symbol.ts';
import { type Millis, millis, SECOND_MS } from '../model/time.ts';
import type { Broker } from '../ports/broker.ts';
import type { Clock } from '../ports/clock.ts';
import { awaitAnswer, type Task, type TaskFactory } from '../ports/task.ts';

/** The days at whose end a venue books interest. */
export interface InterestAccrual {
  /** The market at whose midnight a day ends. */
  readonly home: Market;
  readonly from: Millis;
  /** No day that ends later is read. */
  readonly until: Millis;
}

/** Dependencies of booking interest. */
interface CashPostingParts {
  /** Its timers end with the run. */
  readonly clock: Clock;
  readonly broker: Broker;
  readonly recorder: Recorder;
  /** Runs a task outside the event queue; its error ends the run. */
  readonly runDetached: (turn: TaskFactory<never>) => void;
}

/** Delay after which a day has certainly ended and its bookings, in whole seconds, are complete. */
const READ_DELAY_MS = SECOND_MS;

/** Books the venue's own postings; nothing without days. */
export function createCashBooker(days: InterestAccrual | undefined, parts: CashPostingParts) {
  if (days === undefined) return { startReading: () => undefined, foreignFilled: () => undefined };
  const { home, from, until } = days;
  const { clock, broker, recorder, runDetached } = parts;
  let readUntil = from;
  let isFillPending = false;

  /** Runs before bars close and timers fire at that time: the venue's own events come first. */
  function scheduleRead(at: Millis, afterRead: () => void): void {
    clock.at(at, 'venue', () => runDetached(() => readPostings(at, afterRead)));
  }

  function* readPostings(at: Millis, afterRead: () => void): Task {
    const answer = yield* awaitAnswer(broker.cashPostings({ from: readUntil, to: at }));
    if (answer.kind === 'ok') {
      const newPostings = answer.value.filter((move) => move.at > readUntil);
      readUntil = at;
      for (const { kind: move, currency, amount, symbol } of newPostings) {
        const posting = { currency, amount, move, ...omitUndefined({ symbol }) };
        recorder.record({ kind: 'interest-booked', at: clock.now(), ...posting });
      }
    }
    afterRead();
  }

  function scheduleDailyRead(after: Millis): void {
    const at = millis(dayEnds(home, after) + READ_DELAY_MS);
    if (at <= until) scheduleRead(at, () => scheduleDailyRead(at));
  }

  /** Reads postings after a fill of a foreign order: the venue may have closed the account out and charged it. */
  function foreignFilled(): void {
    const at = millis(clock.now() + READ_DELAY_MS);
    if (isFillPending || at >= until) return;
    isFillPending = true;
    scheduleRead(at, () => {
      isFillPending = false;
    });
  }

  return {
    /** Reads postings after the end of each day from now on. A day without an answer is read again with the next. */
    startReading: () => scheduleDailyRead(from),
    foreignFilled,
  };
}
