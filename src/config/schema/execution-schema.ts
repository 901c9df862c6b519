import { z } from 'zod';
import { STRATEGY_FAILURE_POLICIES } from '../../execution/orders/order-style.ts';
import { MISSED_SLICES } from '../../model/algorithm.ts';
import { once } from '../../model/once.ts';
import { says, withUnit } from './fields.ts';
import { duration, ticks } from './units.ts';

/** Order type. */
export const orderTypeField = once(() =>
  z
    .enum(['MO', 'LO'])
    .default('MO')
    .describe('MO takes what the market gives, LO never pays beyond its limit'),
);

/** Distance of a limit beyond the last price. */
export const offsetField = once(() =>
  withUnit(ticks)
    .optional()
    .describe('LO only: distance of the limit beyond the last price; default 0 ticks'),
);

/** The `execution` section of a bot, or of one of several strategies. */
export const executionSchema = once(() =>
  z
    .strictObject(
      {
        orderType: orderTypeField(),
        offset: offsetField(),
        outsideRth: z
          .enum(['rth-only', 'any-time', 'overnight'])
          .optional()
          .describe(
            'LO in New York only: the sessions that orders trade in; any-time: pre-market, regular and post-market, overnight: that session alone; default rth-only. risk.maxSession has to allow it',
          ),
        cancelAfter: withUnit(duration)
          .optional()
          .describe(
            'Cancels what is still open this long after the venue took it, entries with exits included; exits, chases, legs of an OCO and parts of an order have their own end; default never',
          ),
        exclusive: says('true or false', (error) =>
          z
            .boolean({ error })
            .default(false)
            .describe('An order that enters first cancels open orders of its symbol and closes what is held'),
        ),
        missedSlices: z
          .enum(MISSED_SLICES)
          .default('drop')
          .describe(
            'What becomes of parts of a twap or vwap whose time passed while the bot was down or had no free calls: drop them, or spread them over the parts still to come',
          ),
        whenStrategyFails: z
          .enum(STRATEGY_FAILURE_POLICIES)
          .default('cancel')
          .describe(
            'What becomes of orders when the strategy throws, loops or floods: keep, cancel, or close positions, too',
          ),
      },
      'a map of settings',
    )
    .describe('How orders are written when the strategy does not say'),
);
