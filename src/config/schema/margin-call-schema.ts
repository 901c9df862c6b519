import { z } from 'zod';
import { once } from '../../model/once.ts';
import type { SimulationRules } from '../../simulation/rules.ts';

type CloseOut = SimulationRules['cover']['closeOut'];

const CLOSE_OUT = {
  tell: 'none',
  reduce: 'as-needed',
  'close-out': 'forced',
  'close-out-at-zero': 'equity',
} as const satisfies Record<string, CloseOut>;

/** `simulation.marginCall`: what the venue does with an account below its margin. */
export const marginCallSchema = once(() =>
  z
    .enum(['tell', 'reduce', 'close-out', 'close-out-at-zero'])
    .default('tell')
    .describe(
      'What the venue does about an account below its forced-liquidation factors: it tells, closes as much as ends the margin call, or everything; at zero: only once equity is gone, for good',
    ),
);

/** Returns the rule for a value of the section. */
export function closeOutOf(written: keyof typeof CLOSE_OUT): CloseOut {
  return CLOSE_OUT[written];
}
