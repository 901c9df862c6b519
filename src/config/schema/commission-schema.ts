import { z } from 'zod';
import type { Commission } from '../../markets/charge-schedules.ts';
import type { Decimal } from '../../model/decimal.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { once } from '../../model/once.ts';
import type { SimulationRules } from '../../simulation/rules.ts';
import { positiveFigure, says, withUnit } from './fields.ts';
import { percentage } from './units.ts';

const percent = once(() => withUnit(percentage(100)));

/** The parts of one commission; exactly one of the first three is its basis. */
const parts = once(() => ({
  percent: percent().optional().describe('Of what the order trades'),
  perShare: positiveFigure().optional().describe("Of each share, in the security's currency"),
  perOrder: positiveFigure().optional().describe("Of each order and day, in the security's currency"),
  minimum: positiveFigure()
    .optional()
    .describe("Least that an order costs on a day, in the security's currency"),
  maximum: positiveFigure()
    .optional()
    .describe("Most that an order costs on a day, in the security's currency"),
  maximumShare: percent()
    .optional()
    .describe(
      'Most that an order costs on a day, as a share of what it trades, also where the minimum is more',
    ),
  exact: says('true or false', (error) => z.boolean({ error }))
    .optional()
    .describe('Not rounded to cents, as research programs reckon'),
}));

const ONE = '{ percent: 0.1% }, { perShare: 0.005 } or { perOrder: 5 }';

const one = once(() =>
  says(`one of ${ONE}`, (error) =>
    z
      .strictObject(parts(), { error })
      .refine((written) => basesOf(written) === 1, { error })
      .refine(isInOrder, OUT_OF_ORDER),
  ),
);

/** `simulation.commission`: the broker's own commission. */
export const commissionSchema = once(() =>
  says(
    `none, or one of ${ONE}, with a "minimum" and a "maximum" if there are such, or one of these for each market: { US: ..., HK: ..., SG: ... }`,
    (error) =>
      z.union(
        [
          z.literal('none'),
          z
            .strictObject({
              ...parts(),
              US: one().optional().describe('In New York, in place of all others'),
              HK: one().optional().describe('In Hong Kong, in place of all others'),
              SG: one().optional().describe('In Singapore, in place of all others'),
            })
            .refine(
              ({ US, HK, SG, ...all }) =>
                US === undefined && HK === undefined && SG === undefined
                  ? basesOf(all) === 1
                  : Object.values(all).every((part) => part === undefined),
              { error },
            )
            .refine(isInOrder, OUT_OF_ORDER),
        ],
        { error },
      ),
  ),
);

type Written = z.output<ReturnType<typeof commissionSchema>>;
type WrittenOne = z.output<ReturnType<typeof one>>;

const OUT_OF_ORDER = { path: ['minimum'], error: 'a "minimum" no more than the "maximum"' };

function isInOrder({
  minimum,
  maximum,
}: {
  readonly minimum?: Decimal | undefined;
  readonly maximum?: Decimal | undefined;
}): boolean {
  return minimum === undefined || maximum === undefined || minimum.lte(maximum);
}

/** Number of bases of a commission; a valid one has exactly one. */
function basesOf(written: {
  readonly percent?: unknown;
  readonly perShare?: unknown;
  readonly perOrder?: unknown;
}): number {
  const { percent: share, perShare, perOrder } = written;
  return [share, perShare, perOrder].filter((basis) => basis !== undefined).length;
}

/** The commission of a section; undefined for `none`. */
export function commissionOf(written: Written): SimulationRules['commission'] {
  if (written === 'none') return undefined;
  const { US, HK, SG, ...all } = written;
  const markets = Object.entries({ US, HK, SG }).flatMap(([market, each]) =>
    each === undefined ? [] : [{ ...oneOf(each), market }],
  );
  return markets.length === 0 ? oneOf(all) : markets;
}

function oneOf(written: WrittenOne): Commission {
  const { minimum, maximum, maximumShare, exact } = written;
  return {
    ...basisOf(written),
    ...omitUndefined({ minimum, maximum, maximumRatio: maximumShare }),
    ...(exact === true ? { exact } : {}),
  };
}

function basisOf({ percent: rate, perShare, perOrder }: WrittenOne): Commission {
  if (rate !== undefined) return { kind: 'percent', rate };
  if (perShare !== undefined) return { kind: 'per-share', perShare };
  if (perOrder !== undefined) return { kind: 'per-order', amount: perOrder };
  throw new Error('A commission goes by nothing, though it was read');
}
