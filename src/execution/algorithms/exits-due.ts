import type { BotState } from '../../events/bot-state.ts';
import { childrenOf, isOpen } from './children.ts';

/**
 * Counts exits that brackets have not sent yet, or would send if their entries filled now: opening orders must leave
 * the calls for these.
 */
export function exitsDue(state: Pick<BotState, 'algorithms' | 'order'>): number {
  let due = 0;
  for (const algorithm of state.algorithms.values()) {
    const { spec } = algorithm;
    if (spec.kind !== 'bracket') continue;
    const children = childrenOf(algorithm, state);
    const { stop, trail, target, breakEven } = spec.exits;
    const wanted = {
      stop: stop !== undefined || breakEven !== undefined,
      trail: trail !== undefined,
      target: target !== undefined,
    };
    for (const slot of ['stop', 'trail', 'target'] as const)
      if (wanted[slot] && !children.of(slot).some(isOpen)) due += 1;
  }
  return due;
}
