import type { z } from 'zod';
import type { Money } from '../model/money.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import { botSchema, type ParsedBot } from './bot-schema.ts';
import type { ConfigPath } from './config-problem.ts';
import { valueAt } from './tree-value.ts';

/**
 * The parts of a config that have to fit together, each read by itself, so that a mistake in one hides none in another.
 * A part of the wrong shape, or one that is not there and has no default, is undefined.
 */
export interface ConfigParts {
  readonly strategy: string | undefined;
  readonly params: ParsedBot['params'];
  /** One entry per symbol written. */
  readonly symbols: readonly (SecuritySymbol | undefined)[];
  readonly account: ParsedBot['account'] | undefined;
  readonly from: CalendarDay | undefined;
  readonly to: CalendarDay | undefined;
  readonly dir: string | undefined;
  readonly maxOrderNotional: Money | undefined;
  /** Undefined when it is no boolean. */
  readonly useMargin: boolean | undefined;
  readonly orderType: 'MO' | 'LO' | undefined;
  readonly offsetTicks: number | undefined;
}

/** Reads the parts out of a YAML value, whatever else is wrong with it. */
export function partsOf(value: unknown): ConfigParts {
  const { shape } = botSchema;
  const written = valueAt(value, ['symbols']);
  const data = shape.data.shape;
  const { orderType, offset } = shape.execution.unwrap().shape;
  const { maxOrderNotional, useMargin } = shape.risk.unwrap().shape;
  const read = <S extends z.ZodType>(schema: S, path: ConfigPath) => passed(schema, valueAt(value, path));
  return {
    strategy: read(shape.strategy, ['strategy']),
    params: read(shape.params, ['params']),
    symbols: Array.isArray(written) ? written.map((symbol) => passed(shape.symbols.element, symbol)) : [],
    account: read(shape.account, ['account']),
    from: read(data.from, ['data', 'from']),
    to: read(data.to, ['data', 'to']),
    dir: read(data.dir, ['data', 'dir']),
    maxOrderNotional: read(maxOrderNotional, ['risk', 'maxOrderNotional']),
    useMargin:
      valueAt(value, ['risk', 'useMargin']) === undefined ? false : read(useMargin, ['risk', 'useMargin']),
    orderType: read(orderType, ['execution', 'orderType']),
    offsetTicks: read(offset, ['execution', 'offset']),
  };
}

function passed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> | undefined {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
