import type { RuleAnswer, RuleQuestion } from '../risk/custom-rules.ts';
import type { Request } from './task.ts';

/** Runs custom risk rules. Each request gets exactly one answer; the first denial is the result. */
export interface RuleHost {
  evaluate(question: RuleQuestion): Request<RuleAnswer>;
}
