import type { BotConfig, MemberConfig } from '../../config/bot-config.ts';
import type { LoadedMember } from '../../config/load-config.ts';
import { Decimal } from '../../model/decimal.ts';
import type { StrategyLimits } from '../../risk/strategy-limits.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import { amountText, type Explanation, lower, percent } from './explanation-text.ts';

/** Sentences that are the same for a single strategy and for one of several. */
export interface MemberTexts {
  readonly triggerText: (strategy: StrategyFacts) => string;
  readonly orderText: (execution: MemberConfig['execution']) => readonly string[];
}

/** One part for each of several strategies; empty for a single one. */
export function explainMembers(
  { members }: BotConfig,
  loaded: readonly LoadedMember<StrategyFacts>[],
  words: MemberTexts,
): readonly Explanation[] {
  return members.flatMap((member, at) => {
    const strategy = loaded[at]?.strategy;
    return strategy === undefined ? [] : [explained(member, strategy, words)];
  });
}

/** Each parameter with its value and its author's description. */
export function paramTexts(
  { params: declared }: Pick<StrategyFacts, 'params'>,
  params: MemberConfig['params'],
): readonly string[] {
  return Object.entries(declared).map(
    ([name, { doc }]) => `${name} = ${String(params[name])}${doc === undefined ? '' : `: ${lower(doc)}`}`,
  );
}

function explained(member: MemberConfig, strategy: StrategyFacts, words: MemberTexts): Explanation {
  const { name, symbols, params, limits, execution } = member;
  const own = limitTexts(limits);
  return {
    title: `What "${name}" does`,
    sentences: [
      `"${member.strategy}": ${lower(strategy.doc ?? 'no description ("doc")')}`,
      `It trades ${symbols.join(', ')} and sees only the positions of its fills`,
      ...paramTexts(strategy, params),
      `It is called ${words.triggerText(strategy)}`,
      ...words.orderText(execution),
      own.length === 0
        ? 'It has no limits besides those of the account'
        : `Its own limits, in addition to those of the account: ${own.join(', ')}`,
    ],
  };
}

/** Each of a strategy's limits, as a short text. */
export function limitTexts(limits: StrategyLimits): readonly string[] {
  return Object.entries(limits).flatMap(([name, limit]) => {
    if (typeof limit === 'boolean') return [`${name} ${limit ? 'yes' : 'no'}`];
    if (limit === undefined || limit === null) return [];
    if (Array.isArray(limit)) return limit.length === 0 ? [] : [`${name} ${limit.join(' and ')}`];
    return [`${name} ${limitText(name, limit)}`];
  });
}

function limitText(name: string, limit: NonNullable<StrategyLimits[keyof StrategyLimits]>): string {
  if (Decimal.isDecimal(limit)) return SHARES.has(name) ? percent(limit) : limit.toString();
  if (typeof limit === 'object' && 'amount' in limit) return amountText(limit.amount, limit.currency);
  return String(limit);
}

/** Limits that are shares of equity. */
const SHARES: ReadonlySet<string> = new Set([
  'maxPositionWeight',
  'maxGrossExposure',
  'maxNetExposure',
  'maxDailyLoss',
]);

/** The largest position of each of several strategies, and the total; shares of equity. */
export function ownWorstCases({ members, risk, symbols }: BotConfig): readonly string[] {
  if (members.length === 0) return [];
  const account = Decimal.min(risk.maxGrossExposure, risk.maxPositionWeight.times(symbols.length));
  const most = members.map(({ limits, symbols: own }) =>
    Decimal.min(
      account,
      limits.maxGrossExposure ?? risk.maxGrossExposure,
      (limits.maxPositionWeight ?? risk.maxPositionWeight).times(own.length),
    ),
  );
  const sum = most.reduce((all, each) => all.plus(each), new Decimal(0));
  const each = members.map(({ name }, at) => `"${name}" ${percent(most[at] ?? sum)}`);
  return [
    `Maximum share of equity of each: ${each.join(', ')}; ${percent(sum)} in total`,
    sum.gt(account)
      ? `The limits of the account allow ${percent(account)} in total: first come, first served`
      : `The limits of the account (${percent(account)}) allow all of it`,
  ];
}
