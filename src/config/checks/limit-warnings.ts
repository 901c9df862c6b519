import { Decimal, ZERO } from '../../model/decimal.ts';
import { rateBetween } from '../../model/fx.ts';
import type { ParamDeclarations } from '../../strategy/params.ts';
import type { BotConfig } from '../bot-config.ts';
import type { ConfigPath, ConfigProblem } from '../config-problem.ts';
import { type LocatedTree, located } from '../yaml/located.ts';

/** Parameters that state the share of equity of one symbol: ratios named `weight`, or `...Weight`. */
const WEIGHT = /^weight$|Weight$/;

/**
 * Warns if a config's parameters request more than its limits allow. Such a bot may run, but the gate denies the
 * excess.
 */
export function limitWarnings(
  where: LocatedTree,
  config: Pick<BotConfig, 'params' | 'risk' | 'account'>,
  declared: ParamDeclarations,
  at: ConfigPath = [],
): readonly ConfigProblem[] {
  return Object.entries(declared).flatMap(([name, { kind }]) => {
    const value = config.params[name];
    if (kind !== 'ratio' || !WEIGHT.test(name) || typeof value !== 'number') return [];
    const clash = clashOf(new Decimal(value).abs(), config);
    return clash === undefined ? [] : [warning(where, [...at, 'params', name], value, clash)];
  });
}

interface Clash {
  /** The value of the parameter, and the limit below it. */
  readonly asks: string;
  readonly limit: string;
  readonly wanted: string;
}

function clashOf(weight: Decimal, { risk, account }: Pick<BotConfig, 'risk' | 'account'>): Clash | undefined {
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
  path: ConfigPath,
  value: number,
  { asks, limit, wanted }: Clash,
): ConfigProblem {
  const place = located(where, {
    code: 'beyond-limit',
    path,
    at: 'value',
    value: percent(new Decimal(value)),
    wanted,
    what: '',
  });
  const message = `Parameter "${path.at(-1)}" asks for ${asks}, ${limit}: what goes beyond is denied`;
  return { ...place, message };
}

function percent(share: Decimal): string {
  return `${share.times(100)}%`;
}
