import type { RuleAnswer, RuleQuestion } from '../risk/custom-rules.ts';
import type { Question } from './task.ts';

/** Runs custom risk rules. Each question gets exactly one answer; the first denial is the result. */
export interface RuleHost {
  ask(question: RuleQuestion): Question<RuleAnswer>;
}
