import type { Bar } from '../model/bar.ts';
import type { Graph } from './graph.ts';
import { createMachine } from './machine.ts';
import { columnBehind, type Outcomes, outcomeOf } from './outcomes.ts';
import type { DecisionContext, SignalStepper } from './program.ts';
import type { RawSignal } from './signal.ts';
import { type WatchedSignal, watchSignals } from './watched.ts';

const SILENCE: readonly RawSignal[] = Object.freeze([]);

/** Starts the bar-by-bar drive with fresh columns; it is silent on bars before `decideFrom`. */
export function startStepper(
  graph: Graph,
  outcomes: Outcomes,
  { decideFrom, spent = new Set() }: DecisionContext,
): SignalStepper {
  const machine = createMachine(graph, 1);
  const signals = watchSignals(outcomes, machine);
  let [position, lastTime] = [-1, Number.NEGATIVE_INFINITY];
  const warm = (bar: Bar): void => {
    if (!(bar.time > lastTime)) throw notLater(bar, lastTime);
    position = machine.takeBar(bar);
    lastTime = bar.time;
  };
  return {
    fed: machine.fed,
    warm,
    push: (bar) => {
      warm(bar);
      if (machine.fed() <= decideFrom) return SILENCE;
      let said: RawSignal[] | undefined;
      for (const signal of signals) {
        const { voice } = signal;
        const direction =
          voice === undefined ? (signal.direction[position] as number) : voice.at(position, spent);
        if (!(direction > 0 || direction < 0)) continue;
        said ??= [];
        said.push(spoken(signal, direction, position));
      }
      return said ?? SILENCE;
    },
    value: (name) => {
      const column = machine.columnOf(columnBehind(outcomeOf(outcomes, name)));
      return column[position] ?? Number.NaN;
    },
  };
}

function spoken(signal: WatchedSignal, direction: number, position: number): RawSignal {
  const values: Record<string, number> = {};
  for (const [i, label] of signal.labels.entries()) values[label] = signal.watched[i]?.[position] as number;
  return {
    name: signal.name,
    direction: direction > 0 ? 'up' : 'down',
    strength: signal.voice?.strength() ?? (signal.strength[position] as number),
    values,
  };
}

function notLater(bar: Bar, lastTime: number): RangeError {
  return new RangeError(
    `Cannot take a bar of "${bar.symbol}" stamped ${bar.time}: the one before is stamped ${lastTime}, want ascending times; drop repeated bars before signals`,
  );
}
