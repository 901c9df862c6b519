import type { BotState } from '../../events/bot-state.ts';
import { childrenOf, isOpen } from './children.ts';

/**
 * Exits that brackets have still to send, or would at once if their entries were filled now: the calls that opening more must
 * not take from them.
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
