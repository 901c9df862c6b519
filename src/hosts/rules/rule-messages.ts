import { printable } from '../../model/printable.ts';
import type { RuleAnswer } from '../../risk/custom-rules.ts';
import { fieldsOf } from '../strategy/fields-of.ts';
import type { WorkerMessage } from '../workers/rpc-worker.ts';

/** A rule that can be asked nothing more, so that nothing opens. */
export type RuleFailure = Extract<RuleAnswer, { kind: 'failed' }>;

const TEXT_CHARS_MAX = 2_500;

/** Reads what came out of the thread of rules; undefined when our own part of the thread would say no such thing. */
export function readRuleMessage(value: unknown): WorkerMessage<undefined, RuleAnswer> | undefined {
  const fields = fieldsOf(value);
  switch (fields['kind']) {
    case 'ready':
      return { kind: 'ready', ready: undefined };
    case 'over':
      return { kind: 'over', what: textOf(fields['what']), stack: '' };
    case 'answer': {
      const { number } = fields;
      const answer = readAnswer(fields['answer']);
      return answer && typeof number === 'number' ? { kind: 'answer', number, answer } : undefined;
    }
    default:
      return undefined;
  }
}

function readAnswer(value: unknown): RuleAnswer | undefined {
  const fields = fieldsOf(value);
  const rule = textOf(fields['rule']);
  switch (fields['kind']) {
    case 'pass':
      return { kind: 'pass' };
    case 'deny':
      return { kind: 'deny', rule, reason: textOf(fields['reason']) };
    case 'failed':
      return { kind: 'failed', rule, message: textOf(fields['message']) };
    default:
      return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? printable(value, TEXT_CHARS_MAX) : '';
}
