import type {
  Alarm,
  DayNotice,
  DenialsNotice,
  FillsNotice,
  GateNotice,
  NoticeKinds,
  NotifyingBot,
  StartNotice,
  StopNotice,
} from '../model/notice.ts';
import { assertDefinition } from '../strategy/assert-definition.ts';
import {
  declaredParams,
  type NoParams,
  type ParamDeclarations,
  type ParamValues,
} from '../strategy/params.ts';
import { hasBrand } from './has-brand.ts';

/** A secret that a config may leave out, with a sentence that describes it. */
export interface OptionalSecret {
  readonly doc: string;
  readonly optional: true;
}

/** Secrets of a notifier by name, each with a sentence that describes it. */
export type SecretDeclarations = Readonly<Record<string, string | OptionalSecret>>;

/** Values of declared secrets; an optional one may be undefined. */
export type SecretValues<S extends SecretDeclarations> = {
  readonly [K in keyof S]: S[K] extends OptionalSecret ? string | undefined : string;
};

/** `AbortSignal` if the author's types have one (Node.js or the web); otherwise the properties that all have. */
export type TimeIsUp = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : { readonly aborted: boolean };

/** What a notifier receives with each notice. */
export interface NotifierContext<
  P extends ParamDeclarations = ParamDeclarations,
  S extends SecretDeclarations = SecretDeclarations,
> {
  readonly params: ParamValues<P>;
  /** Values from the environment; they appear in no log, journal or report. */
  readonly secrets: SecretValues<S>;
  /** The bot that sends the notice. */
  readonly bot: NotifyingBot;
  /** Aborted when the notifier's time is up; pass it to `fetch`. */
  readonly signal: TimeIsUp;
}

/** The hook for each kind of notice. */
export const NOTICE_HOOKS = {
  alarm: 'onAlarm',
  fills: 'onFills',
  denials: 'onDenials',
  gate: 'onGate',
  day: 'onDay',
  start: 'onStart',
  stop: 'onStop',
} as const satisfies { readonly [K in keyof NoticeKinds]: string };

/** The kinds of notices of each event that a config may select. */
export const NOTIFIER_EVENTS = {
  alarms: ['alarm'],
  fills: ['fills'],
  denials: ['denials'],
  gate: ['gate'],
  days: ['day'],
  runs: ['start', 'stop'],
} as const satisfies Readonly<Record<string, readonly (keyof NoticeKinds)[]>>;
export type NotifierEvent = keyof typeof NOTIFIER_EVENTS;

/** Events that a notifier receives if its config selects none: all except denials, of which there may be many. */
export const USUAL_EVENTS: readonly NotifierEvent[] = ['alarms', 'fills', 'gate', 'days', 'runs'];

/**
 * A custom notifier: delivers notices of a bot to a person. It runs outside the bot's process or thread and may use
 * the network; a slow or failed notice does not affect the bot. A hook that rejects or throws has not delivered its
 * notice, which is not repeated.
 */
export interface NotifierDefinition<
  P extends ParamDeclarations = ParamDeclarations,
  S extends SecretDeclarations = SecretDeclarations,
> {
  /** Name that YAML configs refer to; kebab-case, equal to the file's name. */
  readonly name: string;
  /** One sentence for lists and docs. */
  readonly doc?: string;
  /** Parameters, declared with `param`. */
  readonly params?: P;
  readonly secrets?: S;
  /** Delivers an alarm. */
  onAlarm?(alarm: Alarm, context: NotifierContext<P, S>): void | Promise<void>;
  /** Delivers the fills of the last seconds: entries, and exits with their profit. */
  onFills?(fills: FillsNotice, context: NotifierContext<P, S>): void | Promise<void>;
  /** Delivers the denials of the last minute; called only if the config selects `denials`. */
  onDenials?(denials: DenialsNotice, context: NotifierContext<P, S>): void | Promise<void>;
  /** Delivers a change of the gate: paused, killed, resumed. */
  onGate?(gate: GateNotice, context: NotifierContext<P, S>): void | Promise<void>;
  /** Delivers the figures of a completed day. */
  onDay?(day: DayNotice, context: NotifierContext<P, S>): void | Promise<void>;
  /** Reports that the bot trades from now on. */
  onStart?(start: StartNotice, context: NotifierContext<P, S>): void | Promise<void>;
  /** Reports that the bot ended, and why. */
  onStop?(stop: StopNotice, context: NotifierContext<P, S>): void | Promise<void>;
}

const HOOKS = Object.values(NOTICE_HOOKS);

const NOTIFIER = Symbol.for('sluice.notifier');

/** A definition that was checked by `defineNotifier`; the loader accepts nothing else. */
export type NotifierPlugin<
  P extends ParamDeclarations = ParamDeclarations,
  S extends SecretDeclarations = SecretDeclarations,
> = NotifierDefinition<P, S> & {
  readonly params: P;
  readonly [NOTIFIER]: 1;
};

/**
 * Declares a notifier; its file exports the result by default. Throws TypeError if it has no name or handles no
 * notice.
 */
export function defineNotifier<
  const P extends ParamDeclarations = NoParams,
  const S extends SecretDeclarations = Readonly<Record<never, string>>,
>(definition: NotifierDefinition<P, S>): NotifierPlugin<P, S> {
  assertDefinition('notifier', definition, {
    example: 'quiet-open',
    known: ['name', 'doc', 'params', 'secrets', ...HOOKS],
  });
  if (!HOOKS.some((hook) => typeof definition[hook] === 'function')) {
    throw new TypeError(
      `Cannot define notifier "${definition.name}": it has none of ${HOOKS.join(', ')}, so it would never be called`,
    );
  }
  return { ...definition, params: declaredParams(definition), [NOTIFIER]: 1 };
}

/** True for a result of `defineNotifier`, also from another copy of the package. */
export function isNotifier(value: unknown): value is NotifierPlugin {
  return hasBrand(value, NOTIFIER);
}
