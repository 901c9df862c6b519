import type { RuleHost } from '../../ports/rule-host.ts';
import { Ready } from '../../ports/task.ts';
import type { RuleAnswer } from '../../risk/custom-rules.ts';
import { askRules, type HostedRule } from './ask-rules.ts';

/** Rules in this very process, and what became of them. */
export interface InProcessRules extends RuleHost {
  /** What a rule did wrong; undefined while none has. */
  failure(): string | undefined;
}

/** Runs rules in this very process: for backtests. From the first failure on every answer is that failure. */
export function createInProcessRules(rules: readonly HostedRule[]): InProcessRules {
  let failed: Extract<RuleAnswer, { kind: 'failed' }> | undefined;
  return {
    failure: () => failed?.message,
    ask: (question) =>
      new Ready(() => {
        if (failed !== undefined) return failed;
        const answer = askRules(rules, question);
        if (answer.kind === 'failed') failed = answer;
        return answer;
      }),
  };
}
