import { z } from 'zod';
import type { Schedule, ScheduledTime } from '../../execution/operator/schedule.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { once } from '../../model/once.ts';
import { cronTime } from './cron-fields.ts';
import { fail, says } from './fields.ts';

const time = once(() =>
  says('a cron expression of five fields, such as "55 15 * * 1-5"', (error) =>
    z
      .string({ error })
      .max(200, { error })
      .transform(
        (expression, context): ScheduledTime => cronTime(expression) ?? fail(context, expression, error),
      ),
  ),
);

/** When a bot starts, stops, flattens and cancels, in the time of each market. */
export const scheduleSchema = once(() =>
  z
    .strictObject(
      {
        start: time().optional().describe('From here on the bot may open positions'),
        stop: time().optional().describe('From here on it opens nothing; orders and positions stay'),
        flatten: time().optional().describe('Cancels its orders and closes its positions at the market'),
        cancelAll: time().optional().describe('Cancels its orders; positions stay'),
      },
      'a map of times',
    )
    .transform(({ start, stop, flatten, cancelAll }): Schedule => {
      return {
        ...omitUndefined({ start, stop, flatten, cancelAll }),
      };
    })
    .describe(
      "When the bot opens, stops and cleans up: cron expressions in each market's own time, on its trading days; on a half day, times of an hour before the usual close and later come as much earlier as it closes",
    ),
);
