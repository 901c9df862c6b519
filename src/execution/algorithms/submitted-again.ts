import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import type { Millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import { bracketAgainAt } from './bracket.ts';
import { type FactParts, factsFor, rebalanceFacts } from './facts-for.ts';
import { legAgainAt } from './rebalance.ts';
import { sliceAgainAt } from './slices.ts';

/**
 * When an algorithm submits an order again that was denied, refused or not sent, at the same or another quantity, unless something
 * else happens before; undefined: never. Each algorithm answers by the rule that its plan follows.
 */
export function submittedAgainAt(
  algorithm: TrackedAlgorithm,
  order: TrackedOrder,
  parts: FactParts,
): Millis | undefined {
  const { spec, isSplit } = algorithm;
  switch (spec.kind) {
    case 'rebalance':
      return legAgainAt(algorithm, spec, rebalanceFacts(algorithm, parts), order);
    case 'bracket':
      return bracketAgainAt(algorithm, spec, factsFor(algorithm, spec, parts), order);
    case 'slices':
      // A split ends it.
      return isSplit ? undefined : sliceAgainAt(algorithm, spec, factsFor(algorithm, spec, parts), order);
    case 'oco':
    case 'chase':
      return undefined;
    default:
      return unreachable(spec);
  }
}
