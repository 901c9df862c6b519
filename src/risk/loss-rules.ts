import { Decimal, ZERO } from '../model/decimal.ts';
import { plural } from '../model/plural.ts';
import type { RiskFacts } from './facts.ts';
import type { GateTransition } from './gate-state.ts';
import type { RiskLimits } from './limits.ts';
import { number, passes, percent, type RiskRule, type RuleResult } from './rule.ts';

/** Figures that losses are computed from, in the account's currency. */
export interface LossFigures {
  readonly equity: Decimal;
  /** Made since the exchanges' day began; undefined when a price is missing. */
  readonly dayProfit: Decimal | undefined;
  /** Equity from which the day counts instead, after an operator's resume. */
  readonly resumedEquity: Decimal | undefined;
  readonly peakEquity: Decimal | undefined;
}

/** A day that cost more than `maxDailyLoss` of its first equity is over: the gate is killed. */
export const dailyLoss: RiskRule = {
  name: 'daily-loss',
  breach: 'killed',
  judge: (_intent, facts, limits) => dayLost(figuresOf(facts), limits),
};

/** Equity that fell farther from its peak than `maxDrawdown` is not put at risk again: only what reduces passes. */
export const drawdown: RiskRule = {
  name: 'drawdown',
  breach: 'reduce-only',
  judge: (_intent, facts, limits) => fallen(figuresOf(facts), limits),
};

/** Where losses by themselves move the gate, whether or not an order wants to open. */
export function lossBreach(figures: LossFigures, limits: RiskLimits): GateTransition | undefined {
  const lost = dayLost(figures, limits)?.denied;
  if (lost !== undefined) return { to: 'killed', by: 'gate', rule: dailyLoss.name, reason: lost };
  const fall = fallen(figures, limits)?.denied;
  return fall === undefined
    ? undefined
    : { to: 'reduce-only', by: 'gate', rule: drawdown.name, reason: fall };
}

function figuresOf({ equity, ...facts }: RiskFacts): LossFigures | undefined {
  return equity === undefined ? undefined : { ...facts, equity };
}

function dayLost(figures: LossFigures | undefined, { maxDailyLoss }: RiskLimits): RuleResult | undefined {
  if (figures === undefined) return undefined;
  const { equity, dayProfit, resumedEquity } = figures;
  const began = resumedEquity ?? (dayProfit === undefined ? undefined : equity.minus(dayProfit));
  if (began === undefined) return undefined;
  const loss = (): string => percent(shareLost(began, equity));
  return passes(
    isWithin(maxDailyLoss, began, equity),
    () => [number('loss of the day', loss(), percent(maxDailyLoss))],
    () => `The day has cost ${loss()} of equity, limit is ${percent(maxDailyLoss)}`,
  );
}

function fallen(figures: LossFigures | undefined, { maxDrawdown }: RiskLimits): RuleResult | undefined {
  if (figures === undefined) return undefined;
  const { equity, peakEquity } = figures;
  const peak = Decimal.max(peakEquity ?? equity, equity);
  const fall = (): string => percent(shareLost(peak, equity));
  return passes(
    isWithin(maxDrawdown, peak, equity),
    () => [number('drawdown', fall(), percent(maxDrawdown))],
    () => `Equity fell ${fall()} from its peak, limit is ${percent(maxDrawdown)}`,
  );
}

/** Stops a bot with more fills than the limit since an operator last looked. */
export const runaway: RiskRule = {
  name: 'runaway',
  breach: 'killed',
  judge(_intent, { opens, recent }, { maxUnattendedFills: most }) {
    if (!opens) return undefined;
    const { unattendedFills: fills } = recent;
    return passes(
      fills <= most,
      () => [number('fills within 24 h without an operator', plural(fills, 'fill'), plural(most, 'fill'))],
      () => `${plural(fills, 'fill')} within 24 h and no operator in between, limit is ${most}`,
    );
  },
};

/** Whether no more than that share of `from` is gone at `now`. */
function isWithin(share: Decimal, from: Decimal, now: Decimal): boolean {
  return from.gt(0) ? from.minus(now).lte(from.times(share)) : shareLost(from, now).lte(share);
}

/** How much of `from` is gone at `now`, as a share; nothing when it grew, everything when there was nothing. */
function shareLost(from: Decimal, now: Decimal): Decimal {
  if (!from.gt(0)) return now.lt(from) ? new Decimal(1) : ZERO;
  return Decimal.max(ZERO, from.minus(now).div(from));
}
