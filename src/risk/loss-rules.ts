import { Decimal, ZERO } from '../model/decimal.ts';
import type { RiskFacts } from './facts.ts';
import { counted, number, passes, percent, type RiskRule } from './rule.ts';

/** A day that cost more than `maxDailyLoss` of its first equity is over: the gate is killed. */
export const dailyLoss: RiskRule = {
  name: 'daily-loss',
  breach: 'killed',
  judge(_intent, facts, { maxDailyLoss }) {
    if (facts.opening === undefined) return undefined;
    const began = dayBegan(facts, facts.opening.balance.value.equity);
    if (began === undefined) return undefined;
    const loss = shareLost(began, facts.opening.balance.value.equity);
    return passes(
      loss.lte(maxDailyLoss),
      [number('loss of the day', percent(loss), percent(maxDailyLoss))],
      () => `The day has cost ${percent(loss)} of equity, limit is ${percent(maxDailyLoss)}`,
    );
  },
};

/** The equity from which the day's loss counts; undefined when a price is missing. */
function dayBegan({ resumedEquity, dayProfit }: RiskFacts, equity: Decimal): Decimal | undefined {
  return resumedEquity ?? (dayProfit === undefined ? undefined : equity.minus(dayProfit));
}

/** Equity that fell farther from its peak than `maxDrawdown` is not put at risk again: only what reduces passes. */
export const drawdown: RiskRule = {
  name: 'drawdown',
  breach: 'reduce-only',
  judge(_intent, { opening, peakEquity }, { maxDrawdown }) {
    if (opening === undefined) return undefined;
    const { equity } = opening.balance.value;
    const fall = shareLost(Decimal.max(peakEquity ?? equity, equity), equity);
    return passes(
      fall.lte(maxDrawdown),
      [number('drawdown', percent(fall), percent(maxDrawdown))],
      () => `Equity fell ${percent(fall)} from its peak, limit is ${percent(maxDrawdown)}`,
    );
  },
};

/** So many fills and nobody looked: whatever drives them, it is stopped. */
export const runaway: RiskRule = {
  name: 'runaway',
  breach: 'killed',
  judge(_intent, { opens, recent }, { maxUnattendedFills: most }) {
    if (!opens) return undefined;
    const { unattendedFills: fills } = recent;
    return passes(
      fills <= most,
      [number('fills within 24 h without an operator', counted(fills, 'fill'), counted(most, 'fill'))],
      () => `${fills} fills within 24 h and no operator in between, limit is ${most}`,
    );
  },
};

/** How much of `from` is gone at `now`, as a share; nothing when it grew, everything when there was nothing. */
function shareLost(from: Decimal, now: Decimal): Decimal {
  if (!from.gt(0)) return now.lt(from) ? new Decimal(1) : ZERO;
  return Decimal.max(ZERO, from.minus(now).div(from));
}
