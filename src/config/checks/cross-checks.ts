import { marketRecord, orderMarketsText } from '../../markets/market-records.ts';
import { nextDue } from '../../markets/schedule-times.ts';
import { nearestName } from '../../model/nearest-name.ts';
import { parseOptionSymbol } from '../../model/option-symbol.ts';
import { printable } from '../../model/printable.ts';
import { marketOf } from '../../model/symbol.ts';
import { millis, NEVER } from '../../model/time.ts';
import { resolveParams } from '../../strategy/params.ts';
import type { ConfigParts, MemberParts } from '../config-parts.ts';
import { type ConfigProblem, suggestion } from '../config-problem.ts';
import { type ConfigLookups, NO_SECURITIES, type SecurityCatalogue } from '../lookups.ts';
import { cronTime } from '../schema/cron-fields.ts';
import { badValue, type LocatedTree, located } from '../yaml/located.ts';
import { valueAt } from '../yaml/tree-value.ts';
import { moneyProblems } from './money-checks.ts';
import { paramProblem } from './param-problem.ts';
import { pluginProblems } from './plugin-checks.ts';
import { sessionProblems } from './session-checks.ts';

/** Returns problems between sections, and between the config and the available symbols and strategies. */
export function crossProblems(
  where: LocatedTree,
  parts: ConfigParts,
  lookups: ConfigLookups,
): readonly ConfigProblem[] {
  const listed = parts.dir === undefined ? undefined : lookups.securities(parts.dir);
  const catalogue = listed?.problem === undefined ? listed : undefined;
  return [
    ...(listed?.problem === undefined ? [] : [folderProblem(where, parts.dir, listed.problem)]),
    ...severalProblems(where, parts),
    ...pluginProblems(where, parts.uses, lookups),
    ...strategiesOf(parts).flatMap((member) => [
      ...strategyProblems(where, member, lookups),
      ...repeatedSymbols(where, member),
      ...(catalogue === undefined ? [] : symbolProblems(where, member, catalogue, parts.dir ?? '')),
      ...optionProblems(where, member),
      ...liveProblems(where, member),
      ...executionProblems(where, member),
    ]),
    ...sweepProblems(where, parts, lookups),
    ...dataProblems(where, parts),
    ...sessionProblems(where),
    ...scheduleProblems(where, parts),
    ...missingSectionProblems(where, parts),
    ...(parts.has.data ? [] : unusedUpstream(where, parts)),
    ...moneyProblems(where, parts, catalogue ?? NO_SECURITIES),
  ];
}

function folderProblem(where: LocatedTree, dir: unknown, why: string): ConfigProblem {
  return badValue(where, ['data', 'dir'], dir, `a folder with one folder per symbol: ${why}`);
}

/** Returns the bot's only strategy, or all of them. */
function strategiesOf(parts: ConfigParts): readonly MemberParts[] {
  return parts.isSeveral ? parts.members : [{ ...parts, path: [], name: undefined }];
}

/** Finds keys that are not allowed together with several strategies, and duplicate names. */
function severalProblems(where: LocatedTree, { members, isSeveral }: ConfigParts): ConfigProblem[] {
  if (!isSeveral) return [];
  const beside = ['strategy', 'symbols', 'params'].flatMap((key) => {
    const value = valueAt(where.tree.value, [key]);
    const wanted = `no "${key}" together with "strategies": each entry has its own`;
    return value === undefined ? [] : [badValue(where, [key], value, wanted, { code: 'conflict' })];
  });
  const names = members.map(memberName);
  const twice = members.flatMap(({ path, name }, at) => {
    const own = names[at];
    if (own === undefined || names.indexOf(own) === at) return [];
    const wanted = 'a different "name" for each strategy';
    return [
      badValue(where, [...path, name === undefined ? 'strategy' : 'name'], own, wanted, { code: 'conflict' }),
    ];
  });
  return [...beside, ...twice];
}

/** The name of one of several strategies: its `name`, or the name of its strategy. */
export function memberName({ name, strategy }: Pick<MemberParts, 'name' | 'strategy'>): string | undefined {
  return (
    name ??
    strategy
      ?.split('/')
      .at(-1)
      ?.replace(/\.[cm]?[jt]s$/, '')
  );
}

function strategyProblems(where: LocatedTree, parts: MemberParts, lookups: ConfigLookups): ConfigProblem[] {
  if (parts.strategy === undefined) return [];
  const found = lookups.strategies(parts.strategy);
  if (found.kind === 'problem') {
    const isKnown = found.code !== 'not-found';
    const named = isKnown || found.available.length === 0 ? '' : ` (there are ${found.available.join(', ')})`;
    return [
      located(where, {
        code: isKnown ? 'bad-strategy' : 'unknown-strategy',
        path: [...parts.path, 'strategy'],
        at: 'value',
        value: parts.strategy,
        wanted: isKnown ? 'that mistake in the file corrected' : `a strategy that loads${named}`,
        nearest: found.nearest,
        what: found.message,
      }),
    ];
  }
  const resolved = resolveParams(found.params, parts.params ?? {});
  if (resolved.kind === 'ok') return [];
  const names = Object.keys(found.params);
  return resolved.problems.map((problem) =>
    paramProblem(where, problem, names, { path: [...parts.path, 'params'], noun: 'strategy' }),
  );
}

/** Finds axes of a sweep that no strategy of the bot declares as a parameter. */
function sweepProblems(where: LocatedTree, parts: ConfigParts, lookups: ConfigLookups): ConfigProblem[] {
  const axes = valueAt(where.tree.value, ['sweep', 'axes']);
  if (typeof axes !== 'object' || axes === null || Array.isArray(axes)) return [];
  const found = strategiesOf(parts).map((member) => ({
    prefix: parts.isSeveral ? `${memberName(member) ?? ''}.` : '',
    strategy: member.strategy === undefined ? undefined : lookups.strategies(member.strategy),
  }));
  // Mistakes of a strategy are reported where it is named.
  if (found.some(({ strategy }) => strategy?.kind !== 'ok')) return [];
  const names = found.flatMap(({ prefix, strategy }) =>
    strategy?.kind === 'ok' ? Object.keys(strategy.params).map((name) => `${prefix}${name}`) : [],
  );
  return Object.entries(axes)
    .filter(([name]) => !names.includes(name))
    .map(([name, value]) =>
      paramProblem(where, { name, value, wanted: '' }, names, { path: ['sweep', 'axes'], noun: 'strategy' }),
    );
}

function repeatedSymbols(where: LocatedTree, { symbols, path }: MemberParts): ConfigProblem[] {
  return symbols.flatMap((symbol, index) =>
    symbol === undefined || symbols.indexOf(symbol) === index
      ? []
      : [badValue(where, [...path, 'symbols', index], symbol, 'each symbol once', { code: 'conflict' })],
  );
}

function symbolProblems(
  where: LocatedTree,
  parts: MemberParts,
  catalogue: SecurityCatalogue,
  dir: string,
): ConfigProblem[] {
  const untradable = 'a symbol with "tradable: true" in its security.json';
  return parts.symbols.flatMap((symbol, index) => {
    if (symbol === undefined) return [];
    const path = [...parts.path, 'symbols', index];
    const security = catalogue.find(symbol);
    if (security?.tradable === true) return [];
    if (security !== undefined) return [badValue(where, path, symbol, untradable, { code: 'conflict' })];
    const nearest = nearestName(symbol, catalogue.symbols);
    return [
      located(where, {
        code: 'unknown-symbol',
        path,
        at: 'value',
        value: symbol,
        wanted: `a symbol with a folder in "${dir}"`,
        nearest,
        what: `"${symbol}" has no data in "${printable(dir)}", ${suggestion(nearest, catalogue.symbols)}; import bars with "sluice data import FILE --symbol ${symbol} --period 1d"`,
      }),
    ];
  });
}

/**
 * Finds options among the symbols. Limits count shares and an option's contract is on a hundred of them, so a bot
 * trades none; an option in the account is valued by its contract.
 */
function optionProblems(where: LocatedTree, { symbols, path }: MemberParts): ConfigProblem[] {
  return symbols.flatMap((symbol, index) => {
    const option = symbol === undefined ? undefined : parseOptionSymbol(symbol);
    if (symbol === undefined || option === undefined) return [];
    const wanted = `a share such as "${option.root}.US": a bot trades no options. One that the account holds is valued at 100 shares a contract; trade it by "sluice order"`;
    return [badValue(where, [...path, 'symbols', index], symbol, wanted, { code: 'conflict' })];
  });
}

/** Finds markets that cannot be traded with real money: the broker documents orders for fewer markets than quotes. */
function liveProblems(where: LocatedTree, { symbols, path }: MemberParts): ConfigProblem[] {
  if (valueAt(where.tree.value, ['mode']) !== 'live') return [];
  return symbols.flatMap((symbol, index) => {
    if (symbol === undefined || marketRecord(marketOf(symbol))?.takesOrders === true) return [];
    const wanted = `a symbol of ${orderMarketsText()} with "mode: live": the broker documents orders for no other market. "mode: paper" trades it on the embedded venue`;
    return [badValue(where, [...path, 'symbols', index], symbol, wanted, { code: 'conflict' })];
  });
}

/** Finds missing sections: data for a replay, and opening cash for an account without a venue. */
function missingSectionProblems(
  where: LocatedTree,
  { has, account, isUpstream }: ConfigParts,
): ConfigProblem[] {
  if (has.broker && isUpstream) {
    const wanted = 'no "market: upstream" together with "broker": orders go to its account';
    return [badValue(where, ['paper', 'market'], 'upstream', wanted, { code: 'conflict' })];
  }
  if (has.broker) return [];
  const missing = (path: readonly string[], name: string, wanted: string): ConfigProblem =>
    located(where, {
      code: 'missing',
      path,
      at: 'key',
      wanted,
      what: `"${name}" is missing, want ${wanted}`,
    });
  return [
    ...(has.data || isUpstream ? [] : [missing(['data'], 'data', 'a map with "from" and "to"')]),
    ...(account === undefined || account.cash !== undefined
      ? []
      : [missing(['account', 'cash'], 'cash', 'a map of currencies to amounts, such as "{ USD: 100000 }"')]),
  ];
}

const FILES_OF_DATA = { corporateActions: 'events.csv', dividendTax: 'events.csv', quotes: 'quotes.csv' };

/**
 * Returns settings of the simulation that a run on upstream quotes cannot have: it reads no file of dividends or
 * quotes.
 */
export function unusedUpstream(
  where: LocatedTree,
  { isUpstream }: Pick<ConfigParts, 'isUpstream'>,
): ConfigProblem[] {
  if (!isUpstream) return [];
  return Object.entries(FILES_OF_DATA).flatMap(([key, file]) => {
    const path = ['simulation', key];
    const value = valueAt(where.tree.value, path);
    if (value === undefined || value === false) return [];
    const wanted = `no "${key}" with "market: upstream": prices come from the broker, and ${file} is read in a replay of "data" alone`;
    return [badValue(where, path, value, wanted, { code: 'conflict' })];
  });
}

function dataProblems(where: LocatedTree, { from, to }: ConfigParts): ConfigProblem[] {
  if (from === undefined || to === undefined || from <= to) return [];
  return [badValue(where, ['data', 'to'], to, `a day on or after "${from}"`, { code: 'conflict' })];
}

/**
 * Finds schedules without a `start`, as only the next `start` ends a stop, which holds across restarts; and times that
 * no trading day of the bot has, such as those of a Saturday.
 */
function scheduleProblems(where: LocatedTree, parts: ConfigParts): ConfigProblem[] {
  const schedule = valueAt(where.tree.value, ['schedule']);
  if (typeof schedule !== 'object' || schedule === null) return [];
  const problem = (name: string, value: unknown, wanted: string): ConfigProblem =>
    badValue(where, ['schedule', name], value, wanted, { code: 'conflict' });
  const { start, stop } = schedule as Readonly<Record<string, unknown>>;
  const endless = 'no "stop" without a "start": after its first stop the bot would never open again';
  const symbols = strategiesOf(parts).flatMap((member) => member.symbols);
  const markets = [...new Set(symbols.flatMap((symbol) => (symbol === undefined ? [] : [marketOf(symbol)])))];
  const isNever = (expression: unknown): boolean => {
    const time = typeof expression === 'string' ? cronTime(expression) : undefined;
    if (time === undefined || markets.length === 0) return false;
    return markets.every((market) => nextDue(time.fields, market, millis(0)) === NEVER);
  };
  return [
    ...(stop !== undefined && start === undefined ? [problem('stop', stop, endless)] : []),
    ...Object.entries(schedule)
      .filter(([, expression]) => isNever(expression))
      .map(([name, expression]) =>
        problem(name, expression, `a time on a trading day of ${markets.join(' or ')}: this one never comes`),
      ),
  ];
}

function executionProblems(
  where: LocatedTree,
  { orderType, offsetTicks, path }: MemberParts,
): ConfigProblem[] {
  if (offsetTicks === undefined || orderType === undefined || orderType === 'LO') return [];
  const wanted = 'no "offset" unless "orderType" is "LO"';
  return [
    badValue(where, [...path, 'execution', 'offset'], `${offsetTicks} ticks`, wanted, { code: 'conflict' }),
  ];
}
