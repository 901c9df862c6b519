import type { ColumnEvaluator } from './column-evaluator.ts';
import type { EmissionRule, GraphNode, SignalNode } from './series.ts';

/** A signal as an expression. */
export function emissionRuleOf({ node, emission }: SignalNode): EmissionRule {
  return emission ?? { kind: 'node', node };
}

/** Returns every node whose columns an expression reads. */
export function nodesOfRule(emission: EmissionRule): readonly GraphNode[] {
  switch (emission.kind) {
    case 'node':
      return [emission.node];
    case 'when':
      return [...nodesOfRule(emission.of), emission.condition.node];
    case 'once':
    case 'inverse':
      return nodesOfRule(emission.of);
    case 'either':
      return [...nodesOfRule(emission.one), ...nodesOfRule(emission.other)];
  }
}

/**
 * Names of the `once` expressions that have passed their event: one set per run, also if bars are read again after a
 * split.
 */
export type UsedSignals = Set<string>;

/**
 * Evaluates an expression at one position: its direction, 0 if nothing is emitted. `strength` is that of the latest
 * direction other than 0.
 */
export interface Emitter {
  readonly at: (position: number, usedUp: UsedSignals) => number;
  readonly strength: () => number;
}

/** Binds an expression to the columns of an evaluator. It must be evaluated at every bar after warm-up, in order. */
export function emitterOf(name: string, emission: EmissionRule, evaluator: ColumnEvaluator): Emitter {
  let count = 0;
  let strength = 0;

  function bind(part: EmissionRule): Emitter['at'] {
    switch (part.kind) {
      case 'node': {
        const direction = evaluator.columnOf({ node: part.node, output: 0 });
        const strengths = evaluator.columnOf({ node: part.node, output: 1 });
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
        return (position, usedUp) => {
          if (usedUp.has(key)) return 0;
          const found = inner(position, usedUp);
          if (found !== 0) usedUp.add(key);
          return found;
        };
      }
      case 'when': {
        const inner = bind(part.of);
        const condition = evaluator.columnOf(part.condition);
        return (position, usedUp) => {
          const found = inner(position, usedUp);
          const isOpen = condition[position] as number;
          return isOpen > 0 || isOpen < 0 ? found : 0;
        };
      }
      case 'inverse': {
        const inner = bind(part.of);
        return (position, usedUp) => 0 - inner(position, usedUp);
      }
      case 'either': {
        const [one, other] = [bind(part.one), bind(part.other)];
        return (position, usedUp) => {
          const first = one(position, usedUp);
          const firstStrength = strength;
          // Evaluates the other one in any case: an event that is not passed on still counts as its event.
          const second = other(position, usedUp);
          if (first !== 0) strength = firstStrength;
          return first === 0 ? second : first;
        };
      }
    }
  }

  return { at: bind(emission), strength: () => strength };
}
