import { Decimal, ZERO } from '../model/decimal.ts';
import { rateBetween } from '../model/fx.ts';
import { LIMITS } from '../risk/limits.ts';
import type { ParamDeclarations } from '../strategy/params.ts';
import type { BotConfig } from './bot-config.ts';
import type { ConfigProblem } from './config-problem.ts';
import { type LocatedTree, located } from './located.ts';

/** Parameters that say how much of equity one symbol is to make up: ratios named `weight`, or `...Weight`. */
const WEIGHT = /^weight$|Weight$/;

/**
 * Where a config's own parameters ask for more than its limits let through. Such a bot may run: what is too much is denied.
 * But whoever wrote it should hear of it before it does.
 */
export function limitWarnings(
  where: LocatedTree,
  config: BotConfig,
  declared: ParamDeclarations,
): readonly ConfigProblem[] {
  const weights = Object.entries(declared).flatMap(([name, { kind }]) => {
    const value = config.params[name];
    if (kind !== 'ratio' || !WEIGHT.test(name) || typeof value !== 'number') return [];
    const clash = clashOf(new Decimal(value).abs(), config);
    return clash === undefined ? [] : [warning(where, name, value, clash)];
  });
  return [...weights, ...rateWarning(where, config)];
}

/** Orders that open, a minute, for which the account has calls: three each, of the twelve in 31 s that opens may have. */
const OPENS_A_MINUTE = 8;

/** A broker counts calls; what is asked for beyond is denied by the call budget. @see reliability.md, I-17 */
function rateWarning(where: LocatedTree, { broker, risk }: BotConfig): readonly ConfigProblem[] {
  const isCounted = broker !== undefined && broker.admin === undefined;
  const isAsked = risk.maxOrderRate !== LIMITS.maxOrderRate.default && risk.maxOrderRate > OPENS_A_MINUTE;
  if (!isCounted || !isAsked) return [];
  const place = located(where, {
    code: 'beyond-limit',
    path: ['risk', 'maxOrderRate'],
    at: 'value',
    value: `${risk.maxOrderRate}/min`,
    wanted: `at most ${OPENS_A_MINUTE}/min`,
    what: '',
  });
  const message = `Limit "maxOrderRate" lets through ${risk.maxOrderRate} orders a minute, the account's calls suffice for about ${OPENS_A_MINUTE} that open (30 calls in 30 s): what goes beyond is denied`;
  return [{ ...place, message }];
}

interface Clash {
  /** What the parameter comes to, and the limit that is below it. */
  readonly asks: string;
  readonly limit: string;
  readonly wanted: string;
}

function clashOf(weight: Decimal, { risk, account }: BotConfig): Clash | undefined {
  const { maxPositionWeight, maxOrderNotional } = risk;
  if (weight.gt(maxPositionWeight)) {
    const limit = `"maxPositionWeight" lets through ${percent(maxPositionWeight)}`;
    return {
      asks: `${percent(weight)} of equity in one symbol`,
      limit,
      wanted: `at most ${percent(maxPositionWeight)}`,
    };
  }
  const order = weight.times(openingEquity(account));
  if (order.lte(maxOrderNotional.amount)) return undefined;
  const most = `${maxOrderNotional.amount} ${maxOrderNotional.currency}`;
  const limit = `"maxOrderNotional" lets through ${most}`;
  return {
    asks: `orders of up to ${order.toFixed(0)} ${account.currency}`,
    limit,
    wanted: `orders of at most ${most}`,
  };
}

function openingEquity({ cash, currency, fx }: BotConfig['account']): Decimal {
  return Object.entries(cash).reduce(
    (sum, [held, amount]) => sum.plus(amount.times(rateBetween(held, currency, fx) ?? ZERO)),
    ZERO,
  );
}

function warning(
  where: LocatedTree,
  name: string,
  value: number,
  { asks, limit, wanted }: Clash,
): ConfigProblem {
  const place = located(where, {
    code: 'beyond-limit',
    path: ['params', name],
    at: 'value',
    value: percent(new Decimal(value)),
    wanted,
    what: '',
  });
  const message = `Parameter "${name}" asks for ${asks}, ${limit}: what goes beyond is denied`;
  return { ...place, message };
}

function percent(share: Decimal): string {
  return `${share.times(100)}%`;
}
