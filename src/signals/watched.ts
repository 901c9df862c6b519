import type { Machine } from './machine.ts';
import type { Outcomes } from './outcomes.ts';
import type { Positions } from './series.ts';
import type { EventKind } from './signal-events.ts';
import { type Voice, voiceOf } from './speech.ts';

/** A signal of a program with the columns of one machine that it speaks from. */
export interface WatchedSignal extends EventKind {
  readonly direction: Float64Array;
  readonly strength: Float64Array;
  readonly watched: readonly Float64Array[];
  /** Where it spoke among the bars of the last take, if it lists that. */
  readonly said: Positions | undefined;
  /** Evaluated at every decided bar in place of the columns; absent where these are what the signal says. */
  readonly voice: Voice | undefined;
}

/** The signals among the outcomes, in their order, tied to a machine's columns. */
export function watchSignals(outcomes: Outcomes, machine: Machine): readonly WatchedSignal[] {
  return [...outcomes].flatMap(([name, outcome]) => {
    if (outcome.kind !== 'signal-node') return [];
    const { node, watches, speech } = outcome;
    return [
      {
        name,
        labels: watches.map((series) => series.label),
        direction: machine.columnOf({ node, output: 0 }),
        strength: machine.columnOf({ node, output: 1 }),
        watched: watches.map(machine.columnOf),
        said: machine.saidBy({ node }),
        voice: speech && voiceOf(name, speech, machine),
      },
    ];
  });
}
