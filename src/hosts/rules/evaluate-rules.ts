import { printable } from '../../model/printable.ts';
import type { RiskRulePlugin } from '../../plugins/define-risk-rule.ts';
import type { RuleHost } from '../../ports/rule-host.ts';
import { ImmediateRequest } from '../../ports/task.ts';
import type { RuleAnswer, RuleQuestion } from '../../risk/custom-rules.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import { readThrown } from '../workers/thrown.ts';

export interface HostedRule {
  /** Name as the config has it. */
  readonly name: string;
  readonly rule: RiskRulePlugin;
  readonly params: ParamValues<ParamDeclarations>;
}

const REASON_CHARS_MAX = 500;
const PASS: RuleAnswer = { kind: 'pass' };

/**
 * Calls rules in this thread, in order, until one denies. A rule fails if it throws or returns neither a reason nor
 * undefined.
 */
export function evaluateRules(rules: readonly HostedRule[], question: RuleQuestion): RuleAnswer {
  for (const hosted of rules) {
    if (!question.opens && hosted.rule.orders !== 'every') continue;
    const answer = evaluateRule(hosted, question);
    if (answer.kind !== 'pass') return answer;
  }
  return PASS;
}

function evaluateRule({ name, rule, params }: HostedRule, question: RuleQuestion): RuleAnswer {
  const failed = (what: string): RuleAnswer => ({
    kind: 'failed',
    rule: name,
    message: `Risk rule "${name}" ${what}`,
  });
  try {
    const answer: unknown = rule.judge(question, { params });
    if (answer === undefined) return PASS;
    if (typeof answer === 'string' && answer.trim() !== '')
      return { kind: 'deny', rule: name, reason: printable(answer, REASON_CHARS_MAX) };
    return failed(`answered ${label(answer)}, want a reason why the order is denied, or undefined`);
  } catch (thrown) {
    const { message, place } = readThrown(thrown);
    return failed(`threw: ${message}${place}`);
  }
}

function label(answer: unknown): string {
  if (answer instanceof Promise) {
    // The promise is not awaited, so its rejection must not end the process.
    answer.catch(() => undefined);
    return 'a Promise (a rule is a plain function, not async)';
  }
  if (answer === '' || typeof answer === 'string') return 'an empty text';
  return answer === null ? 'null' : `a ${typeof answer}`;
}

export interface InProcessRules extends RuleHost {
  /** Message of the first failure; undefined if there is none. */
  failure(): string | undefined;
}

/** Runs rules in this process, for backtests. After the first failure, every answer is that failure. */
export function createInProcessRules(rules: readonly HostedRule[]): InProcessRules {
  let failed: Extract<RuleAnswer, { kind: 'failed' }> | undefined;
  return {
    failure: () => failed?.message,
    evaluate: (question) =>
      new ImmediateRequest(() => {
        if (failed !== undefined) return failed;
        const answer = evaluateRules(rules, question);
        if (answer.kind === 'failed') failed = answer;
        return answer;
      }),
  };
}
