import { z } from 'zod';
import { once } from '../../model/once.ts';
import { fail, says } from '../schema/fields.ts';
import {
  AXIS_WANTED,
  type AxisSpec,
  figureOf,
  IS_FIGURE,
  readAxis,
  SWEEP_METHODS,
  TRIALS_MAX,
  writtenValue,
} from './sweep-axes.ts';

const bound = once(() =>
  says('a number such as "5", or a share such as "25%"', (error) =>
    z
      .union([z.number({ error }), z.string({ error }).regex(IS_FIGURE, { error })], { error })
      .transform((value) => (typeof value === 'number' ? value : figureOf(value))),
  ),
);

const axis = once(() =>
  says(AXIS_WANTED, (error) =>
    z.union(
      [
        z
          .string({ error })
          .min(1, { error })
          .max(10_000, { error })
          .transform((text, context): AxisSpec => readAxis(text) ?? fail(context, text, error)),
        z.number({ error }).transform((value): AxisSpec => ({ kind: 'values', values: [value] })),
        z.boolean({ error }).transform((value): AxisSpec => ({ kind: 'values', values: [value] })),
        z
          .array(z.union([z.number({ error }), z.boolean({ error }), z.string({ error })], { error }), {
            error,
          })
          .min(1, { error })
          .max(10_000, { error })
          .transform(
            (values): AxisSpec => ({
              kind: 'values',
              values: values.map((value) => (typeof value === 'string' ? writtenValue(value) : value)),
            }),
          ),
        z
          .strictObject(
            {
              from: bound().optional().describe('First value; default: the lowest that the parameter allows'),
              to: bound().optional().describe('Last value; default: the highest that the parameter allows'),
              step: bound()
                .optional()
                .describe('Distance between values; default: the step of the parameter, 1 for whole numbers'),
            },
            error,
          )
          .transform((written): AxisSpec => ({ kind: 'range', ...written })),
      ],
      { error },
    ),
  ),
);

const text = (wanted: string, about: string) =>
  says(wanted, (error) =>
    z.string({ error }).min(1, { error }).max(1_000, { error }).optional().describe(about),
  );

const whole = (min: number, max: number, about: string) =>
  says(`a whole number from ${min} to ${max}`, (error) =>
    z.number({ error }).int({ error }).min(min, { error }).max(max, { error }).optional().describe(about),
  );

/** The `sweep` section, and a file of axes. */
export const sweepSchema = once(() =>
  z
    .strictObject(
      {
        axes: says('a map of parameters to the values that are tried', (error) =>
          z
            .record(z.string(), axis(), { error })
            .optional()
            .describe(
              'Parameters that vary, each with its values: "5..50:5", a list, or a map with from, to and step; "{}" takes what the strategy declares. For one of several strategies: trend.fast',
            ),
        ),
        where: text(
          'a condition on the parameters, such as "fast < slow"',
          'Condition on the parameters; other combinations are not tried',
        ),
        objective: text(
          'a figure of the report such as "sharpe", or an expression such as "cagr - 2 * maxDrawdown"',
          'What the best trial has most of: a figure, an expression over figures, or the name of an objective plugin; default sharpe',
        ),
        method: z
          .enum(SWEEP_METHODS)
          .optional()
          .describe(
            'How trials are chosen: grid (all combinations; the default), random, sobol (a sequence that covers the space evenly), tpe and cma-es (search, which learns from the objective of earlier trials)',
          ),
        trials: whole(1, TRIALS_MAX, 'Number of trials, for all methods but grid; default 100'),
        seed: whole(0, 4_294_967_295, 'Seed of random, tpe and cma-es; default 1'),
      },
      'a map with "axes"',
    )
    .describe('What "sluice sweep" varies'),
);
