import { nearestName } from '../model/nearest-name.ts';
import { printable } from '../model/printable.ts';
import { resolveParams } from '../strategy/params.ts';
import type { ConfigParts } from './config-parts.ts';
import { type ConfigProblem, suggestion } from './config-problem.ts';
import { badValue, type LocatedTree, located } from './located.ts';
import { type ConfigLookups, NO_SECURITIES, type SecurityCatalogue } from './lookups.ts';
import { moneyProblems } from './money-checks.ts';
import { paramProblem } from './param-problem.ts';
import { pluginProblems } from './plugin-checks.ts';

/** Everything that is wrong between sections, or between the config and what there is to trade and to run. */
export function crossProblems(
  where: LocatedTree,
  parts: ConfigParts,
  lookups: ConfigLookups,
): readonly ConfigProblem[] {
  const catalogue = parts.dir === undefined ? undefined : lookups.securities(parts.dir);
  return [
    ...strategyProblems(where, parts, lookups),
    ...pluginProblems(where, parts.uses, lookups),
    ...repeatedSymbols(where, parts),
    ...(catalogue === undefined ? [] : symbolProblems(where, parts, catalogue)),
    ...dataProblems(where, parts),
    ...neededProblems(where, parts),
    ...moneyProblems(where, parts, catalogue ?? NO_SECURITIES),
    ...executionProblems(where, parts),
  ];
}

function strategyProblems(where: LocatedTree, parts: ConfigParts, lookups: ConfigLookups): ConfigProblem[] {
  if (parts.strategy === undefined) return [];
  const found = lookups.strategies(parts.strategy);
  if (found.kind === 'problem') {
    const named = found.available.length === 0 ? '' : ` (there are ${found.available.join(', ')})`;
    return [
      located(where, {
        code: found.code === 'not-found' ? 'unknown-strategy' : 'bad-strategy',
        path: ['strategy'],
        at: 'value',
        value: parts.strategy,
        wanted: `a strategy that loads${named}`,
        nearest: found.nearest,
        what: found.message,
      }),
    ];
  }
  const resolved = resolveParams(found.params, parts.params ?? {});
  if (resolved.kind === 'ok') return [];
  const names = Object.keys(found.params);
  return resolved.problems.map((problem) =>
    paramProblem(where, problem, names, { path: ['params'], noun: 'strategy' }),
  );
}

function repeatedSymbols(where: LocatedTree, { symbols }: ConfigParts): ConfigProblem[] {
  return symbols.flatMap((symbol, index) =>
    symbol === undefined || symbols.indexOf(symbol) === index
      ? []
      : [badValue(where, ['symbols', index], symbol, 'each symbol once', { code: 'conflict' })],
  );
}

function symbolProblems(
  where: LocatedTree,
  parts: ConfigParts,
  catalogue: SecurityCatalogue,
): ConfigProblem[] {
  const dir = parts.dir ?? '';
  const untradable = 'a symbol whose security.json says "tradable: true"';
  return parts.symbols.flatMap((symbol, index) => {
    if (symbol === undefined) return [];
    const path = ['symbols', index];
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
        what: `"${symbol}" has no data in "${printable(dir)}", ${suggestion(nearest, catalogue.symbols)}`,
      }),
    ];
  });
}

/** What only a market elsewhere makes needless: data to replay; and what only an account there does: cash to begin with. */
function neededProblems(where: LocatedTree, { has, account, isUpstream }: ConfigParts): ConfigProblem[] {
  if (has.broker && isUpstream) {
    const wanted = 'no "market: upstream" beside "broker": orders go to its account';
    return [badValue(where, ['paper', 'market'], 'upstream', wanted, { code: 'conflict' })];
  }
  if (has.broker) return [];
  const missing = (path: readonly string[], name: string, wanted: string): ConfigProblem =>
    located(where, {
      ...{ code: 'missing', path, at: 'key', wanted },
      what: `"${name}" is missing, want ${wanted}`,
    });
  return [
    ...(has.data || isUpstream ? [] : [missing(['data'], 'data', 'a map with "from" and "to"')]),
    ...(account === undefined || account.cash !== undefined
      ? []
      : [missing(['account', 'cash'], 'cash', 'a map of currencies to amounts, such as "{ USD: 100000 }"')]),
  ];
}

function dataProblems(where: LocatedTree, { from, to }: ConfigParts): ConfigProblem[] {
  if (from === undefined || to === undefined || from <= to) return [];
  return [badValue(where, ['data', 'to'], to, `a day on or after "${from}"`, { code: 'conflict' })];
}

function executionProblems(where: LocatedTree, { orderType, offsetTicks }: ConfigParts): ConfigProblem[] {
  if (offsetTicks === undefined || orderType === undefined || orderType === 'LO') return [];
  const wanted = 'no "offset" unless "orderType" is "LO"';
  return [badValue(where, ['execution', 'offset'], `${offsetTicks} ticks`, wanted, { code: 'conflict' })];
}
