import type { Bar } from '../model/bar.ts';
import type { NodeReading } from '../model/node-reading.ts';
import { type BoundSignal, bindSignals } from './bind-signals.ts';
import { createColumnEvaluator } from './column-evaluator.ts';
import type { DecisionContext, SignalStepper } from './decision-context.ts';
import type { Graph } from './graph.ts';
import { columnBehind, type NamedOutputs, namedOutput } from './named-outputs.ts';
import type { GraphNode, Series } from './series.ts';
import type { RawSignal } from './signal.ts';

const NO_SIGNALS: readonly RawSignal[] = Object.freeze([]);

/** Starts bar-by-bar evaluation with new columns; no signals are emitted before `warmupEnd`. */
export function startStepper(
  graph: Graph,
  outputs: NamedOutputs,
  { warmupEnd, usedUp = new Set() }: DecisionContext,
  /** The series that charts show. */
  drawn: () => readonly Series[],
): SignalStepper {
  const evaluator = createColumnEvaluator(graph, 1);
  const signals = bindSignals(outputs, evaluator);
  let charted: readonly Float64Array[] | undefined;
  let [position, lastTime] = [-1, Number.NEGATIVE_INFINITY];
  const warm = (bar: Bar): void => {
    if (!(bar.time > lastTime)) throw notLater(bar, lastTime);
    position = evaluator.takeBar(bar);
    lastTime = bar.time;
  };
  return {
    fed: evaluator.fed,
    warm,
    push: (bar) => {
      warm(bar);
      if (evaluator.fed() <= warmupEnd) return NO_SIGNALS;
      let emitted: RawSignal[] | undefined;
      for (const signal of signals) {
        const { emitter } = signal;
        const direction =
          emitter === undefined ? (signal.direction[position] as number) : emitter.at(position, usedUp);
        if (!(direction > 0 || direction < 0)) continue;
        emitted ??= [];
        emitted.push(rawSignalOf(signal, direction, position));
      }
      return emitted ?? NO_SIGNALS;
    },
    value: (name) => {
      const column = evaluator.columnOf(columnBehind(namedOutput(outputs, name)));
      return column[position] ?? Number.NaN;
    },
    charted: (series) => {
      charted ??= drawn().map(evaluator.columnOf);
      return charted[series]?.[position] ?? Number.NaN;
    },
    nodes: () =>
      graph.nodes.map((node) => ({
        key: node.key,
        ...nameOf(node, outputs),
        inputs: [...new Set(node.inputs.map((input) => input.node.key))],
        values: Array.from({ length: node.width }, (_, output) => {
          const value = evaluator.columnOf({ node, output })[position];
          return value === undefined || !Number.isFinite(value) ? null : value;
        }),
        warmupLeft: Math.max(0, node.settled + 1 - evaluator.fed()),
      })),
  };
}

function nameOf(node: GraphNode, outputs: NamedOutputs): Pick<NodeReading, 'names' | 'kind'> {
  const named = [...outputs].filter(([, output]) => output.node.key === node.key);
  const isSignal = named.some(([, output]) => output.kind === 'signal-node');
  return {
    names: named.map(([name]) => name),
    kind: node.work.kind === 'source' ? 'source' : isSignal ? 'signal' : 'series',
  };
}

function rawSignalOf(signal: BoundSignal, direction: number, position: number): RawSignal {
  const values: Record<string, number> = {};
  for (const [i, label] of signal.labels.entries()) values[label] = signal.watched[i]?.[position] as number;
  return {
    name: signal.name,
    direction: direction > 0 ? 'up' : 'down',
    strength: signal.emitter?.strength() ?? (signal.strength[position] as number),
    values,
  };
}

function notLater(bar: Bar, lastTime: number): RangeError {
  return new RangeError(
    `Cannot take a bar of "${bar.symbol}" stamped ${bar.time}: the one before is stamped ${lastTime}, want ascending times; drop repeated bars before signals`,
  );
}
