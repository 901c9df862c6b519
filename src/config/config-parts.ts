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
 * The parts of a config that have to fit together, each read by itself, so that a mistake in one hides none in another.
 * A part of the wrong shape, or one that is not there and has no default, is undefined.
 */
export interface ConfigParts {
  readonly strategy: string | undefined;
  readonly params: ParsedBot['params'];
  /** One entry per symbol written. */
  readonly symbols: readonly (SecuritySymbol | undefined)[];
  /** Several strategies, each with its path; empty for a config with one strategy. */
  readonly members: readonly MemberParts[];
  /** Whether there is a list of strategies, whatever is in it. */
  readonly isSeveral: boolean;
  readonly account: ParsedBot['account'] | undefined;
  readonly from: CalendarDay | undefined;
  readonly to: CalendarDay | undefined;
  readonly dir: string | undefined;
  /** Whether a section of that name is written, whatever is in it. */
  readonly has: Readonly<Record<'data' | 'broker' | 'account', boolean>>;
  /** Whether paper takes its market from a real broker. */
  readonly isUpstream: boolean;
  readonly maxOrderNotional: Money | undefined;
  /** Undefined when it is no boolean. */
  readonly useMargin: boolean | undefined;
  readonly orderType: 'MO' | 'LO' | undefined;
  readonly offsetTicks: number | undefined;
  /** Plugins that the config uses in addition to the strategy. */
  readonly uses: readonly UsedPlugin[];
}

/** The parts of one strategy that have to fit together. */
export interface MemberParts
  extends Pick<ConfigParts, 'strategy' | 'params' | 'symbols' | 'orderType' | 'offsetTicks'> {
  /** Its path in the config; empty for the only strategy of a bot. */
  readonly path: ConfigPath;
  /** Its name in the bot; undefined where it has that of its strategy. */
  readonly name: string | undefined;
}

/** A plugin that a config names, and where it does. */
export interface UsedPlugin {
  readonly kind: OtherKind;
  readonly use: string;
  /** Undefined when they have the wrong shape. */
  readonly params: WrittenUse['params'];
  /** Names of the secrets that it is given. */
  readonly secrets: readonly string[];
  readonly path: ConfigPath;
}

/** Reads the parts out of a YAML value, whatever else is wrong with it. */
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
    // A bot on a broker's prices and without own data trades whatever is listed there.
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

/** One strategy with what is its own: the bot's only one, at the top, or one of several. */
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

/** Where lists of plugins stand, and what is in them. */
const LISTS: readonly (readonly [kind: OtherKind, path: ConfigPath])[] = [
  ['risk-rule', ['risk', 'rules']],
  ['notifier', ['notify']],
];

/** Every plugin that a config uses in addition to its strategy, in the order of the sections. */
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
