import type { TrackedAlgorithm } from '../../events/algorithm-record.ts';
import type { AlgorithmSpec } from '../../model/algorithm.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { unreachable } from '../../model/unreachable.ts';
import { planBracket } from './bracket.ts';
import { planChase } from './chase.ts';
import { planOco } from './oco.ts';
import type { AlgorithmFacts, Want } from './plan.ts';
import { planSlices } from './slices.ts';

/**
 * How an algorithm decides: from what it was asked for and what became of its orders to what it wants now. Asked twice in
 * the same state it wants the same, so after a restart it goes on where it was.
 */
export function planOf(algorithm: TrackedAlgorithm, facts: AlgorithmFacts): readonly Want[] {
  const { spec } = algorithm;
  switch (spec.kind) {
    case 'bracket':
      return planBracket(algorithm, spec, facts);
    case 'oco':
      return planOco(algorithm, spec, facts);
    case 'slices':
      return planSlices(algorithm, spec, facts);
    case 'chase':
      return planChase(algorithm, spec, facts);
    default:
      return unreachable(spec);
  }
}

/** What an algorithm trades in. Throws RangeError for an OCO without legs, which nobody starts. */
export function symbolOf(spec: AlgorithmSpec): SecuritySymbol {
  switch (spec.kind) {
    case 'bracket':
      return spec.entry.symbol;
    case 'slices':
    case 'chase':
      return spec.order.symbol;
    case 'oco': {
      const [first] = spec.legs;
      if (first === undefined) throw new RangeError('An OCO needs legs');
      return first.symbol;
    }
    default:
      return unreachable(spec);
  }
}
