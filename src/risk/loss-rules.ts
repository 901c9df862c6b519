import { Decimal, ZERO } from '../model/decimal.ts';
import { plural } from '../model/plural.ts';
import type { RiskFacts } from './facts.ts';
import type { GateTransition } from './gate-state.ts';
import type { RiskLimits } from './limits.ts';
import { number, passes, percent, type RiskRule, type RuleResult } from './rule.ts';

/** Figures of the loss limits, in the account's currency. */
interface LossFigures {
  readonly equity: Decimal;
  /** Profit since the exchanges' day started; undefined if a price is missing. */
  readonly dayProfit: Decimal | undefined;
  /** Equity from which the day counts after an operator's resume. */
  readonly resumedEquity: Decimal | undefined;
  readonly peakEquity: Decimal | undefined;
}

/** A loss of the day above `maxDailyLoss` of its opening equity kills the gate. */
export const dailyLoss: RiskRule = {
  name: 'daily-loss',
  breach: 'killed',
  judge: (_intent, facts, limits) => dayLossResult(figuresOf(facts), limits),
};

/** While equity is more than `maxDrawdown` below its peak, only reducing orders pass. */
export const drawdown: RiskRule = {
  name: 'drawdown',
  breach: 'reduce-only',
  judge: (_intent, facts, limits) => drawdownResult(figuresOf(facts), limits),
};

/** Returns how losses by themselves change the gate, whether or not an order is judged. */
export function lossBreach(figures: LossFigures, limits: RiskLimits): GateTransition | undefined {
  const lost = dayLossResult(figures, limits)?.denied;
  if (lost !== undefined) return { to: 'killed', by: 'gate', rule: dailyLoss.name, reason: lost };
  const drawdownText = drawdownResult(figures, limits)?.denied;
  return drawdownText === undefined
    ? undefined
    : { to: 'reduce-only', by: 'gate', rule: drawdown.name, reason: drawdownText };
}

function figuresOf({ equity, ...facts }: RiskFacts): LossFigures | undefined {
  return equity === undefined ? undefined : { ...facts, equity };
}

function dayLossResult(
  figures: LossFigures | undefined,
  { maxDailyLoss }: RiskLimits,
): RuleResult | undefined {
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

function drawdownResult(
  figures: LossFigures | undefined,
  { maxDrawdown }: RiskLimits,
): RuleResult | undefined {
  if (figures === undefined) return undefined;
  const { equity, peakEquity } = figures;
  const peak = Decimal.max(peakEquity ?? equity, equity);
  const drawdownText = (): string => percent(shareLost(peak, equity));
  return passes(
    isWithin(maxDrawdown, peak, equity),
    () => [number('drawdown', drawdownText(), percent(maxDrawdown))],
    () => `Equity fell ${drawdownText()} from its peak, limit is ${percent(maxDrawdown)}`,
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

/** True if at most that share of `from` is lost at `now`. */
function isWithin(share: Decimal, from: Decimal, now: Decimal): boolean {
  return from.gt(0) ? from.minus(now).lte(from.times(share)) : shareLost(from, now).lte(share);
}

/** The share of `from` that is lost at `now`; 0 for a gain, 1 if `from` is 0 or less. */
function shareLost(from: Decimal, now: Decimal): Decimal {
  if (!from.gt(0)) return now.lt(from) ? new Decimal(1) : ZERO;
  return Decimal.max(ZERO, from.minus(now).div(from));
}
