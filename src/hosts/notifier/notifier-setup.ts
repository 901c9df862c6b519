import type { Alarm, DayNotice } from '../../model/notice.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';

/** Something that a notifier carries. */
export type Notice =
  | { readonly kind: 'alarm'; readonly alarm: Alarm }
  | { readonly kind: 'day'; readonly day: DayNotice };

/** The setup of a notifier's thread. */
export interface NotifierFile {
  /** Name as the config has it. */
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
  /** Values, from the environment. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** What the thread of a notifier is started with. */
export interface NotifierThreadSetup extends NotifierFile {
  /** Deadline of a notice, in milliseconds from its start. */
  readonly abortMs: number;
}
