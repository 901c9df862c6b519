import { z } from 'zod';
import { once } from '../../model/once.ts';
import { STRATEGY_LIMITS } from '../../risk/strategy-limits.ts';
import { executionSchema } from './execution-schema.ts';
import { says, symbolField } from './fields.ts';
import { paramValue } from './plugin-use.ts';
import { riskSchema } from './risk-schema.ts';

/** Maximum number of symbols in one config. */
const SYMBOLS_MAX = 500;
/** Maximum number of strategies of one bot: each runs in its own thread. */
const STRATEGIES_MAX = 20;

/** The strategy of a bot, or of one of its entries. */
export const strategyField = once(() =>
  says('the name of a strategy, such as "sma-cross", or a file, such as "./my/own.ts"', (error) =>
    z.string({ error }).min(1, { error }).max(1_024, { error }).describe('Name or file of the strategy'),
  ),
);

export const symbolsField = once(() =>
  says(`a list of 1 to ${SYMBOLS_MAX} symbols`, (error) =>
    z
      .array(symbolField(), { error })
      .min(1, { error })
      .max(SYMBOLS_MAX, { error })
      .describe('What it trades; the order of the entries is the order in which strategies are called'),
  ),
);

export const paramsField = once(() =>
  says('a map of parameters', (error) =>
    z
      .record(z.string(), paramValue(), { error })
      .optional()
      .describe("The strategy's parameters; one left out has its default"),
  ),
);

const ownLimits = once(() =>
  riskSchema()
    .pick(
      Object.fromEntries(STRATEGY_LIMITS.map((name) => [name, true])) as Record<
        (typeof STRATEGY_LIMITS)[number],
        true
      >,
    )
    .describe(
      "Limits of this strategy's own part, beneath those of the account; one left out is the account's alone",
    ),
);

/** The name of one of several strategies. */
export const nameField = once(() =>
  says('a name such as "trend": small letters, digits and dashes', (error) =>
    z
      .string({ error })
      .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, { error })
      .max(40, { error })
      .optional()
      .describe("Its name in this bot, used in orders, state and reports; default: the strategy's name"),
  ),
);

/** One of several strategies. */
export const strategyEntry = once(() =>
  z.strictObject(
    {
      name: nameField(),
      strategy: strategyField(),
      symbols: symbolsField(),
      params: paramsField(),
      risk: ownLimits().optional(),
      execution: executionSchema().optional(),
    },
    'a map with "strategy" and "symbols"',
  ),
);

/** Several strategies in one bot, in place of `strategy`, `symbols` and `params`. */
export const strategiesSchema = once(() =>
  says(`a list of 1 to ${STRATEGIES_MAX} strategies`, (error) =>
    z
      .array(strategyEntry(), { error })
      .min(1, { error })
      .max(STRATEGIES_MAX, { error })
      .optional()
      .describe(
        'Several strategies that share the account, in place of "strategy", "symbols" and "params"; each sees the positions of its fills only',
      ),
  ),
);
