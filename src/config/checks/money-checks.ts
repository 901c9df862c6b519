import { rateBetween } from '../../model/fx.ts';
import type { Currency } from '../../model/money.ts';
import type { ConfigParts } from '../config-parts.ts';
import type { ConfigProblem } from '../config-problem.ts';
import type { SecurityCatalogue } from '../lookups.ts';
import { badValue, type LocatedTree, located } from '../yaml/located.ts';

/** Finds conflicts between the account's cash and rates, the symbols' currencies, and the limits. */
export function moneyProblems(
  where: LocatedTree,
  parts: ConfigParts,
  catalogue: SecurityCatalogue,
): readonly ConfigProblem[] {
  return [
    ...limitProblems(where, parts),
    ...ratesTwice(where, parts),
    ...seriesWithoutFigure(where, parts),
    ...unratedCash(where, parts),
    ...currencyProblems(where, parts, catalogue),
  ];
}

function limitProblems(
  where: LocatedTree,
  { account, maxOrderNotional: limit }: ConfigParts,
): ConfigProblem[] {
  if (limit === undefined || account === undefined || limit.currency === account.currency) return [];
  const wanted = `an amount in the account's currency "${account.currency}"`;
  const value = `${limit.amount} ${limit.currency}`;
  return [badValue(where, ['risk', 'maxOrderNotional'], value, wanted, { code: 'conflict' })];
}

function ratesTwice(where: LocatedTree, { account }: ConfigParts): ConfigProblem[] {
  const rates = account?.fx ?? {};
  return Object.keys(rates).flatMap((pair) => {
    const inverse = `${pair.slice(3)}${pair.slice(0, 3)}`;
    if (pair < inverse || !Object.hasOwn(rates, inverse)) return [];
    const wanted = `one rate between them ("${inverse}" is there too)`;
    return [badValue(where, ['account', 'fx', pair], rates[pair], wanted, { code: 'conflict' })];
  });
}

/**
 * Finds rate files without a figure in "fx", which applies before a file's first day, live, and where a single figure
 * is needed.
 */
function seriesWithoutFigure(where: LocatedTree, { account }: ConfigParts): ConfigProblem[] {
  return Object.entries(account?.fxSeries ?? {}).flatMap(([pair, file]) => {
    if (Object.hasOwn(account?.fx ?? {}, pair)) return [];
    const wanted = `a figure for "${pair}" in "fx", which counts before the file begins`;
    return [badValue(where, ['account', 'fxSeries', pair], file, wanted, { code: 'conflict' })];
  });
}

function unratedCash(where: LocatedTree, { account }: ConfigParts): ConfigProblem[] {
  if (account === undefined) return [];
  return Object.keys(account.cash ?? {})
    .filter((currency) => rateBetween(currency, account.currency, account.fx ?? {}) === undefined)
    .map((currency) => missingRate(where, currency, account.currency, `there is cash in "${currency}"`));
}

function currencyProblems(
  where: LocatedTree,
  parts: ConfigParts,
  catalogue: SecurityCatalogue,
): ConfigProblem[] {
  const { account, useMargin, has } = parts;
  if (account === undefined) return [];
  return [...firstSymbolByCurrency(parts, catalogue)].flatMap(([currency, symbol]) => {
    const problems: ConfigProblem[] = [];
    const held = account.cash?.[currency];
    const rated = rateBetween(currency, account.currency, account.fx ?? {}) !== undefined;
    if (!rated && held === undefined && !has.broker) {
      problems.push(missingRate(where, currency, account.currency, `"${symbol}" trades in it`));
    }
    const isTold = account.cash !== undefined;
    if (isTold && (held === undefined || held.isZero()) && useMargin === false) {
      problems.push(missingCash(where, currency, symbol));
    }
    return problems;
  });
}

function firstSymbolByCurrency(
  { symbols }: ConfigParts,
  catalogue: SecurityCatalogue,
): Map<Currency, string> {
  const users = new Map<Currency, string>();
  for (const symbol of symbols) {
    const currency = symbol === undefined ? undefined : catalogue.find(symbol)?.currency;
    if (symbol !== undefined && currency !== undefined && !users.has(currency)) users.set(currency, symbol);
  }
  return users;
}

function missingCash(where: LocatedTree, currency: Currency, symbol: string): ConfigProblem {
  const wanted = `some, as "${symbol}" trades in it and nothing is exchanged by itself`;
  return located(where, {
    code: 'conflict',
    path: ['account', 'cash'],
    at: 'key',
    wanted,
    what: `"cash" has no "${currency}", want ${wanted}`,
  });
}

function missingRate(where: LocatedTree, from: Currency, into: Currency, why: string): ConfigProblem {
  const wanted = `"${into}${from}" (what one ${into} is worth in ${from})`;
  return located(where, {
    code: 'missing',
    path: ['account', 'fx'],
    at: 'key',
    wanted,
    what: `"fx" has no rate between "${into}" and "${from}" though ${why}, want ${wanted}`,
  });
}
