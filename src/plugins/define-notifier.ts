import type { Alarm, DayNotice } from '../model/notice.ts';
import { assertDefinition } from '../strategy/assert-definition.ts';
import {
  declaredParams,
  type NoParams,
  type ParamDeclarations,
  type ParamValues,
} from '../strategy/params.ts';
import { hasBrand } from './has-brand.ts';

/** Secrets that a notifier needs, by name, and what each is, as a sentence. */
export type SecretDeclarations = Readonly<Record<string, string>>;

/** `AbortSignal` where the author's types have one, from Node or from the web; else what every one has. */
export type TimeIsUp = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : { readonly aborted: boolean };

/** What a notifier gets in addition to the notice. */
export interface NotifierContext<
  P extends ParamDeclarations = ParamDeclarations,
  S extends SecretDeclarations = SecretDeclarations,
> {
  readonly params: ParamValues<P>;
  /** Values from the environment; they appear in no log, journal or report. */
  readonly secrets: { readonly [K in keyof S]: string };
  /** Aborted once the notifier's time is up; hand it to `fetch`. */
  readonly signal: TimeIsUp;
}

/**
 * A custom notifier: it delivers alarms and daily figures to a person. It runs in a worker thread
 * and reaches the network from there; a notice that is late, or fails, costs the bot nothing.
 */
export interface NotifierDefinition<
  P extends ParamDeclarations = ParamDeclarations,
  S extends SecretDeclarations = SecretDeclarations,
> {
  /** Name by which a YAML asks for it; kebab-case, equal to its file's name. */
  readonly name: string;
  /** One sentence for lists and docs. */
  readonly doc?: string;
  /** Declared with `param`; none when absent. */
  readonly params?: P;
  readonly secrets?: S;
  /** Carries an alarm; rejects, or throws, when it did not get through. */
  onAlarm?(alarm: Alarm, context: NotifierContext<P, S>): void | Promise<void>;
  /** Carries the figures of a day that is over. */
  onDay?(day: DayNotice, context: NotifierContext<P, S>): void | Promise<void>;
}

const NOTIFIER = Symbol.for('sluice.notifier');

/** A definition that went through `defineNotifier`; the loader takes nothing else. */
export type NotifierPlugin<
  P extends ParamDeclarations = ParamDeclarations,
  S extends SecretDeclarations = SecretDeclarations,
> = NotifierDefinition<P, S> & {
  readonly params: P;
  readonly [NOTIFIER]: 1;
};

/** Declares a notifier; the file exports the result by default. Throws TypeError when it is unnamed or handles no notice. */
export function defineNotifier<
  const P extends ParamDeclarations = NoParams,
  const S extends SecretDeclarations = Readonly<Record<never, string>>,
>(definition: NotifierDefinition<P, S>): NotifierPlugin<P, S> {
  assertDefinition('notifier', definition, 'quiet-open');
  const { name, onAlarm, onDay } = definition;
  if (typeof onAlarm !== 'function' && typeof onDay !== 'function')
    throw new TypeError(
      `Cannot define notifier "${name}": it has neither "onAlarm" nor "onDay", so it would never be called`,
    );
  return { ...definition, params: declaredParams(definition), [NOTIFIER]: 1 };
}

/** True for what `defineNotifier` returned, also when it came from another copy of the package. */
export function isNotifier(value: unknown): value is NotifierPlugin {
  return hasBrand(value, NOTIFIER);
}
