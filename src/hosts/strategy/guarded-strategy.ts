import { omitUndefined } from '../../model/omit-undefined.ts';
import type { FillModelPlugin } from '../../plugins/define-fill-model.ts';
import type { RiskRulePlugin } from '../../plugins/define-risk-rule.ts';
import type { Strategy } from '../../strategy/define-strategy.ts';
import { HOOKS } from '../../strategy/strategy-facts.ts';
import { authorCall } from '../sandbox/author-calls.ts';

/** Wraps each hook of a strategy in a guarded call, at the market time of its context. */
export function guardedStrategy(strategy: Strategy): Strategy {
  const { name } = strategy;
  const hooks = Object.values(HOOKS).flatMap((hook) => {
    const own: unknown = strategy[hook];
    if (typeof own !== 'function') return [];
    const guarded = (event: unknown, context: { readonly now: number }): unknown =>
      authorCall(name, hook, context.now, () => Reflect.apply(own, strategy, [event, context]));
    return [[hook, guarded] as const];
  });
  const { exits } = strategy;
  return {
    ...strategy,
    ...Object.fromEntries(hooks),
    ...(exits === undefined
      ? {}
      : { exits: (given) => authorCall(name, 'exits', undefined, () => exits.call(strategy, given)) }),
  };
}

/** Wraps a risk rule in the same way, at the market time of its question. */
export function guardedRule(rule: RiskRulePlugin): RiskRulePlugin {
  return {
    ...rule,
    judge: (question, own) =>
      authorCall(RULES, `the risk rule "${rule.name}"`, question.now, () => rule.judge(question, own)),
  };
}

/** Time that `Date` shows to a fill model, which has no clock; the same as in its process in paper trading. */
const NO_CLOCK = 0;

/** Wraps a fill model in the same way. */
export function guardedFillModel(model: FillModelPlugin): FillModelPlugin {
  const { slippage, room } = model;
  const guardedHook = <A extends readonly unknown[], T>(hook: string, hookOf: (...given: A) => T) => {
    return (...given: A): T => authorCall(model.name, hook, NO_CLOCK, () => hookOf(...given));
  };
  return {
    ...model,
    ...omitUndefined({
      slippage: slippage && guardedHook('slippage', slippage.bind(model)),
      room: room && guardedHook('room', room.bind(model)),
    }),
  };
}

/** Risk rules share one random stream, as they share one process in paper trading. */
export const RULES = 'risk rules';
