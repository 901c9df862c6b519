import type { Alarm, DayNotice } from '../model/notice.ts';
import { assertDefinition } from '../strategy/assert-definition.ts';
import {
  declaredParams,
  type NoParams,
  type ParamDeclarations,
  type ParamValues,
} from '../strategy/params.ts';
import { hasBrand } from './has-brand.ts';

/** Secrets of a notifier by name, each with a sentence that describes it. */
export type SecretDeclarations = Readonly<Record<string, string>>;

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
  readonly secrets: { readonly [K in keyof S]: string };
  /** Aborted when the notifier's time is up; pass it to `fetch`. */
  readonly signal: TimeIsUp;
}

/**
 * A custom notifier: delivers alarms and daily figures to a person. It runs outside the bot's process or thread and
 * may use the network; a slow or failed notice does not affect the bot.
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
  /** Delivers an alarm; rejects or throws if delivery failed. */
  onAlarm?(alarm: Alarm, context: NotifierContext<P, S>): void | Promise<void>;
  /** Delivers the figures of a completed day. */
  onDay?(day: DayNotice, context: NotifierContext<P, S>): void | Promise<void>;
}

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
    known: ['name', 'doc', 'params', 'secrets', 'onAlarm', 'onDay'],
  });
  const { name, onAlarm, onDay } = definition;
  if (typeof onAlarm !== 'function' && typeof onDay !== 'function')
    throw new TypeError(
      `Cannot define notifier "${name}": it has neither "onAlarm" nor "onDay", so it would never be called`,
    );
  return { ...definition, params: declaredParams(definition), [NOTIFIER]: 1 };
}

/** True for a result of `defineNotifier`, also from another copy of the package. */
export function isNotifier(value: unknown): value is NotifierPlugin {
  return hasBrand(value, NOTIFIER);
}
