import type { ColumnEvaluator } from './column-evaluator.ts';
import { type Emitter, emitterOf } from './emission-rule.ts';
import type { NamedOutputs } from './named-outputs.ts';
import type { Positions } from './series.ts';
import type { EventKind } from './signal-events.ts';

/** A signal of a program with the columns of one evaluator from which it is derived. */
export interface BoundSignal extends EventKind {
  readonly direction: Float64Array;
  readonly strength: Float64Array;
  readonly watched: readonly Float64Array[];
  /** Positions of the last take at which it was emitted, if listed. */
  readonly emitted: Positions | undefined;
  /** Evaluated at every bar after warm-up in place of the columns; absent if the columns are the signal. */
  readonly emitter: Emitter | undefined;
}

/** Binds the signals among the outputs, in their order, to the columns of an evaluator. */
export function bindSignals(outputs: NamedOutputs, evaluator: ColumnEvaluator): readonly BoundSignal[] {
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
