import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';

/** A rule in the setup of its thread. */
export interface RuleFile {
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
}

/** What the thread of rules is started with. */
export interface RuleThreadSetup {
  readonly rules: readonly RuleFile[];
  readonly startsAt: number;
  readonly seed: number;
  readonly heldBytesMax: number;
}
