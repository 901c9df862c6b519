import { z } from 'zod';
import { once } from '../../model/once.ts';
import { NO_SLIPPAGE, type SlippageModel } from '../../simulation/models.ts';
import { positiveFigure, says, withUnit } from './fields.ts';
import { basisPoints } from './units.ts';

/** Maximum slippage in ticks. */
const TICKS_MAX = 100;

const ticks = once(() =>
  says(`a whole number from 1 to ${TICKS_MAX}`, (error) =>
    z.number({ error }).int({ error }).min(1, { error }).max(TICKS_MAX, { error }),
  ),
);

/** `simulation.slippage`: what an order that takes liquidity pays beyond the print. */
export const slippageSchema = once(() =>
  says('none, or one of { fixed: 2 bps }, { ticks: 1 }, { spread: 4 bps }, { squareRoot: 0.5 }', (error) =>
    z.union(
      [
        z.literal('none'),
        z.strictObject({ fixed: withUnit(basisPoints) }),
        z.strictObject({ ticks: ticks() }),
        z.strictObject({ spread: withUnit(basisPoints) }),
        z.strictObject({ squareRoot: positiveFigure() }),
      ],
      { error },
    ),
  ),
);

/** The slippage model of a section. */
export function slippageOf(written: z.output<ReturnType<typeof slippageSchema>>): SlippageModel {
  if (written === 'none') return NO_SLIPPAGE;
  if ('fixed' in written) return { kind: 'fixed', ratio: written.fixed };
  if ('ticks' in written) return { kind: 'ticks', ticks: written.ticks };
  if ('spread' in written) return { kind: 'spread', ratio: written.spread };
  return { kind: 'square-root', coefficient: written.squareRoot };
}
