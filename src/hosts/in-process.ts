import { atOnce } from '../ports/steps.ts';
import type { StrategyHost } from '../ports/strategy-host.ts';
import { hooksOf } from '../strategy/strategy-facts.ts';
import { answerQuestion, type HostedStrategy } from './answer-question.ts';
import { declaredState } from './hosted-state.ts';

/** Most orders that a strategy may ask for at one event; more is taken for a runaway. */
export const DRAFTS_MAX = 1_000;

/** Runs a strategy in this very process: fast, for backtests and for strategies that are trusted. */
export function createInProcessHost(hosted: HostedStrategy): StrategyHost {
  return {
    listensTo: hooksOf(hosted.strategy),
    remembers: declaredState(hosted.strategy),
    ask: (question) => atOnce(() => answerQuestion(hosted, question, DRAFTS_MAX)),
  };
}
