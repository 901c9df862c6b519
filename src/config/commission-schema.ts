import { z } from 'zod';
import type { SimulationRules } from '../simulation/rules.ts';
import { says, withUnit } from './fields.ts';
import { exactFigure, percentage } from './units.ts';

const flag = says('true or false', (error) => z.boolean({ error }));

const figure = says('a number above 0, such as "0.5"', (error) =>
  z.number({ error }).positive({ error }).max(1_000_000, { error }).transform(exactFigure),
);

const unrounded = flag.optional().describe('Not rounded to cents, as research programs reckon');

/** `simulation.commission`: the broker's own. */
export const commissionSchema = says(
  'none, or one of { percent: 0.1% }, { perShare: 0.005 }, { perOrder: 5 }, the first two with a "minimum" if there is one',
  (error) =>
    z.union(
      [
        z.literal('none'),
        z.strictObject({ percent: withUnit(percentage(100)), minimum: figure.optional(), exact: unrounded }),
        z.strictObject({ perShare: figure, minimum: figure.optional(), exact: unrounded }),
        z.strictObject({ perOrder: figure, exact: unrounded }),
      ],
      { error },
    ),
);

/** The commission that a section asks for; none where it says so. */
export function commissionOf(written: z.output<typeof commissionSchema>): SimulationRules['commission'] {
  if (written === 'none') return undefined;
  const exact = written.exact === true ? { exact: true } : {};
  if ('perOrder' in written) return { kind: 'per-order', amount: written.perOrder, ...exact };
  const minimum = { ...(written.minimum === undefined ? {} : { minimum: written.minimum }), ...exact };
  if ('percent' in written) return { kind: 'percent', rate: written.percent, ...minimum };
  return { kind: 'per-share', perShare: written.perShare, ...minimum };
}
