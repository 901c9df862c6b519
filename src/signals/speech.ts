import type { Machine } from './machine.ts';
import type { GraphNode, SignalNode, Speech } from './series.ts';

/** A signal as an expression. */
export function speechOf({ node, speech }: SignalNode): Speech {
  return speech ?? { kind: 'node', node };
}

/** Every node whose columns an expression reads. */
export function nodesOfSpeech(speech: Speech): readonly GraphNode[] {
  switch (speech.kind) {
    case 'node':
      return [speech.node];
    case 'when':
      return [...nodesOfSpeech(speech.of), speech.condition.node];
    case 'once':
    case 'inverse':
      return nodesOfSpeech(speech.of);
    case 'either':
      return [...nodesOfSpeech(speech.one), ...nodesOfSpeech(speech.other)];
  }
}

/** The names of the `once` expressions that have had their event: one set per run, also where its bars are read again after a split. */
export type SpentSignals = Set<string>;

/** What an expression says at one position: its direction, 0 if nothing; `strength` is that of the latest direction that was not 0. */
export interface Voice {
  readonly at: (position: number, spent: SpentSignals) => number;
  readonly strength: () => number;
}

/** Ties an expression to the columns of a machine. It must be evaluated at every decided bar, in order. */
export function voiceOf(name: string, speech: Speech, machine: Machine): Voice {
  let count = 0;
  let strength = 0;

  function bind(part: Speech): Voice['at'] {
    switch (part.kind) {
      case 'node': {
        const direction = machine.columnOf({ node: part.node, output: 0 });
        const strengths = machine.columnOf({ node: part.node, output: 1 });
        return (position) => {
          const found = direction[position] as number;
          if (!(found > 0 || found < 0)) return 0;
          strength = strengths[position] as number;
          return found;
        };
      }
      case 'once': {
        count += 1;
        const key = `${name}#${count}`;
        const inner = bind(part.of);
        return (position, spent) => {
          if (spent.has(key)) return 0;
          const found = inner(position, spent);
          if (found !== 0) spent.add(key);
          return found;
        };
      }
      case 'when': {
        const inner = bind(part.of);
        const condition = machine.columnOf(part.condition);
        return (position, spent) => {
          const found = inner(position, spent);
          const isOpen = condition[position] as number;
          return isOpen > 0 || isOpen < 0 ? found : 0;
        };
      }
      case 'inverse': {
        const inner = bind(part.of);
        return (position, spent) => 0 - inner(position, spent);
      }
      case 'either': {
        const [one, other] = [bind(part.one), bind(part.other)];
        return (position, spent) => {
          const first = one(position, spent);
          const firstStrength = strength;
          // The other is evaluated in any case: an event that is not passed on is its event all the same.
          const second = other(position, spent);
          if (first !== 0) strength = firstStrength;
          return first === 0 ? second : first;
        };
      }
    }
  }

  return { at: bind(speech), strength: () => strength };
}
