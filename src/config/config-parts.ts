import type { z } from 'zod';
import type { Money } from '../model/money.ts';
import { once } from '../model/once.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import type { OtherKind } from '../plugins/plugin-facts.ts';
import type { ConfigPath } from './config-problem.ts';
import { accountSchema, dataSchema, type ParsedBot } from './schema/bot-schema.ts';
import { offsetField, orderTypeField } from './schema/execution-schema.ts';
import { symbolField } from './schema/fields.ts';
import { useShape, type WrittenUse } from './schema/plugin-use.ts';
import { limitField } from './schema/risk-schema.ts';
import { nameField, paramsField, strategyField } from './schema/strategies-schema.ts';
import { valueAt } from './yaml/tree-value.ts';

/**
 * The parts of a config that must be consistent, each read separately so that a mistake in one does not hide mistakes
 * in others. A part with the wrong shape, or a missing part without a default, is undefined.
 */
export interface ConfigParts {
  readonly strategy: string | undefined;
  readonly params: ParsedBot['params'];
  /** One entry for each symbol as written. */
  readonly symbols: readonly (SecuritySymbol | undefined)[];
  /** Several strategies, each with its path; empty for a config with one strategy. */
  readonly members: readonly MemberParts[];
  /** True if there is a list of strategies, even an invalid one. */
  readonly isSeveral: boolean;
  readonly account: ParsedBot['account'] | undefined;
  readonly from: CalendarDay | undefined;
  readonly to: CalendarDay | undefined;
  readonly dir: string | undefined;
  /** Whether each section exists, even an invalid one. */
  readonly has: Readonly<Record<'data' | 'broker' | 'account', boolean>>;
  /** True if a paper run takes its quotes from a real broker. */
  readonly isUpstream: boolean;
  readonly maxOrderNotional: Money | undefined;
  /** Undefined if it is not a boolean. */
  readonly useMargin: boolean | undefined;
  readonly orderType: 'MO' | 'LO' | undefined;
  readonly offsetTicks: number | undefined;
  /** Plugins of the config other than strategies. */
  readonly uses: readonly UsedPlugin[];
}

/** The parts of one strategy that must be consistent. */
export interface MemberParts
  extends Pick<ConfigParts, 'strategy' | 'params' | 'symbols' | 'orderType' | 'offsetTicks'> {
  /** Its path in the config; empty for the only strategy of a bot. */
  readonly path: ConfigPath;
  /** Its name in the bot; undefined if it has the name of its strategy. */
  readonly name: string | undefined;
}

/** A plugin in a config, and its place. */
export interface UsedPlugin {
  readonly kind: OtherKind;
  readonly use: string;
  /** Undefined if they have the wrong shape. */
  readonly params: WrittenUse['params'];
  /** Names of the given secrets. */
  readonly secrets: readonly string[];
  readonly path: ConfigPath;
}

/** Reads the parts of a YAML value, even if other parts are wrong. */
export function partsOf(value: unknown): ConfigParts {
  const list = valueAt(value, ['strategies']);
  const members = Array.isArray(list) ? list.map((_, at) => memberIn(value, ['strategies', at])) : [];
  const own = memberIn(value, []);
  const data = dataSchema().shape;
  const read = <S extends z.ZodType>(schema: S, path: ConfigPath) => passed(schema, valueAt(value, path));
  const isWritten = (name: string): boolean => valueAt(value, [name]) !== undefined;
  const isUpstream = valueAt(value, ['paper', 'market']) === 'upstream';
  return {
    strategy: own.strategy,
    params: own.params,
    symbols: list === undefined ? own.symbols : [...new Set(members.flatMap(({ symbols }) => symbols))],
    members,
    isSeveral: list !== undefined,
    account: read(accountSchema(), ['account']),
    from: read(data.from, ['data', 'from']),
    to: read(data.to, ['data', 'to']),
    // A bot on a broker's prices without data trades any symbol that the broker lists.
    dir:
      (isWritten('broker') || isUpstream) && !isWritten('data') ? undefined : read(data.dir, ['data', 'dir']),
    isUpstream,
    has: {
      data: isWritten('data'),
      broker: isWritten('broker'),
      account: isWritten('account'),
    },
    maxOrderNotional: read(limitField('maxOrderNotional'), ['risk', 'maxOrderNotional']),
    useMargin:
      valueAt(value, ['risk', 'useMargin']) === undefined
        ? false
        : read(limitField('useMargin'), ['risk', 'useMargin']),
    orderType: own.orderType,
    offsetTicks: own.offsetTicks,
    uses: usesIn(value),
  };
}

/** Reads one strategy: the only one, at the top level, or one of several. */
function memberIn(value: unknown, path: ConfigPath): MemberParts {
  const read = <S extends z.ZodType>(schema: S, below: ConfigPath) =>
    passed(schema, valueAt(value, [...path, ...below]));
  const written = valueAt(value, [...path, 'symbols']);
  return {
    path,
    name: path.length === 0 ? undefined : read(nameField(), ['name']),
    strategy: read(strategyField(), ['strategy']),
    params: read(paramsField(), ['params']),
    symbols: Array.isArray(written) ? written.map((symbol) => passed(symbolField(), symbol)) : [],
    orderType: read(orderTypeField(), ['execution', 'orderType']),
    offsetTicks: read(offsetField(), ['execution', 'offset']),
  };
}

/** Paths of the lists of plugins. */
const LISTS: readonly (readonly [kind: OtherKind, path: ConfigPath])[] = [
  ['risk-rule', ['risk', 'rules']],
  ['notifier', ['notify']],
];

/** Returns every plugin of a config other than strategies, in the order of the sections. */
export function usesIn(value: unknown): readonly UsedPlugin[] {
  const listed = LISTS.flatMap(([kind, path]) => {
    const list = valueAt(value, path);
    return Array.isArray(list) ? list.flatMap((each, at) => useAt(kind, each, [...path, at])) : [];
  });
  const fills: ConfigPath = ['simulation', 'fills'];
  return [...listed, ...useAt('fill-model', valueAt(value, fills), fills)];
}

const anyUse = once(() => useShape('plugin', 'x'));

function useAt(kind: OtherKind, written: unknown, path: ConfigPath): readonly UsedPlugin[] {
  const named = valueAt(written, ['use']);
  if (named === undefined) return [];
  const shape = anyUse();
  const use = passed(shape.use, named);
  if (use === undefined) return [];
  const secrets = valueAt(written, ['secrets']);
  const names = typeof secrets === 'object' && secrets !== null ? Object.keys(secrets) : [];
  return [{ kind, use, params: passed(shape.params, valueAt(written, ['params'])), secrets: names, path }];
}

function passed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> | undefined {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
