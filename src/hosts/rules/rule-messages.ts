import type { RuleAnswer } from '../../risk/custom-rules.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import { fieldsOf, lineOf } from '../workers/read-fields.ts';

/** A rule in the setup of its worker. */
export interface RuleFile {
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
}

/** What the worker of rules is started with. */
export interface RuleSetup {
  readonly rules: readonly RuleFile[];
  readonly startsAt: number;
  readonly seed: number;
  readonly heldBytesMax: number;
}

/** A rule that can be asked nothing more, so that nothing opens. */
export type RuleFailure = Extract<RuleAnswer, { kind: 'failed' }>;

/** Reads an answer from the worker of rules; undefined when our own part of the worker would send no such thing. */
export function readRuleAnswer(value: unknown): RuleAnswer | undefined {
  const { kind, rule: name, reason, message } = fieldsOf(value);
  const rule = lineOf(name);
  switch (kind) {
    case 'pass':
      return { kind };
    case 'deny':
      return { kind, rule, reason: lineOf(reason) };
    case 'failed':
      return { kind, rule, message: lineOf(message) };
    default:
      return undefined;
  }
}
