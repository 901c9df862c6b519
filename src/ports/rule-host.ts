import type { RuleAnswer, RuleQuestion } from '../risk/custom-rules.ts';
import type { Question } from './task.ts';

/** Where risk rules of one's own run. Each question gets exactly one answer; the first rule that denies speaks for all. */
export interface RuleHost {
  ask(question: RuleQuestion): Question<RuleAnswer>;
}
