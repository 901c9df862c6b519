import type { ColumnEvaluator } from './column-evaluator.ts';
import { type Emitter, emitterOf } from './emission-rule.ts';
import type { NamedOutputs } from './named-outputs.ts';
import type { Positions } from './series.ts';
import type { EventKind } from './signal-events.ts';

/** A signal of a program with the columns of one evaluator that it is derived from. */
export interface WatchedSignal extends EventKind {
  readonly direction: Float64Array;
  readonly strength: Float64Array;
  readonly watched: readonly Float64Array[];
  /** Where it spoke among the bars of the last take, if it lists that. */
  readonly emitted: Positions | undefined;
  /** Evaluated at every decided bar in place of the columns; absent where these are the signal. */
  readonly emitter: Emitter | undefined;
}

/** The signals among the outcomes, in their order, tied to a machine's columns. */
export function watchSignals(outputs: NamedOutputs, evaluator: ColumnEvaluator): readonly WatchedSignal[] {
  return [...outputs].flatMap(([name, output]) => {
    if (output.kind !== 'signal-node') return [];
    const { node, loggedInputs, emission } = output;
    return [
      {
        name,
        labels: loggedInputs.map((series) => series.label),
        direction: evaluator.columnOf({ node, output: 0 }),
        strength: evaluator.columnOf({ node, output: 1 }),
        watched: loggedInputs.map(evaluator.columnOf),
        emitted: evaluator.emissionsOf({ node }),
        emitter: emission && emitterOf(name, emission, evaluator),
      },
    ];
  });
}
