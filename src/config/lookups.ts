import type { CorporateAction } from '../model/corporate-action.ts';
import type { Period } from '../model/period.ts';
import type { Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import type { SecretDeclarations } from '../plugins/define-notifier.ts';
import type { OtherKind } from '../plugins/plugin-facts.ts';
import type { ParamDeclarations } from '../strategy/params.ts';

/** Why a strategy cannot be used: one sentence after "Cannot load strategy". */
export interface StrategyProblem {
  readonly kind: 'problem';
  readonly code:
    | 'not-found'
    | 'outside-project'
    | 'import-failed'
    | 'no-default-export'
    | 'not-a-strategy'
    | 'not-a-plugin'
    | 'other-name';
  readonly message: string;
  /** The nearest existing name. */
  readonly nearest: string | undefined;
  /** Names of all existing strategies. */
  readonly available: readonly string[];
}

/** Result of looking up a strategy by its name in a YAML. */
export type StrategyLookup = { readonly kind: 'ok'; readonly params: ParamDeclarations } | StrategyProblem;

/** Result of looking up another plugin by its name in a YAML. */
export type PluginLookup =
  | {
      readonly kind: 'ok';
      readonly params: ParamDeclarations;
      /** Declared secrets of a notifier, by name. */
      readonly secrets?: SecretDeclarations;
      /** Names of its functions, such as `onAlarm`. */
      readonly hooks?: readonly string[];
    }
  | StrategyProblem;

/** The securities whose data is in one folder. */
export interface SecurityCatalogue {
  readonly symbols: readonly string[];
  find(symbol: SecuritySymbol): Pick<Security, 'currency' | 'tradable' | 'lotSize'> | undefined;
  /** Catalogue of their bars; absent if a run reads the bars directly. */
  readonly past?: PastCatalogue;
  /** Why the folder cannot be listed; absent if it was. */
  readonly problem?: string;
}

/** Historical data, described without reading all of it. */
export interface PastCatalogue {
  /** Returns the days of the first and the last bar of a symbol, from its file. */
  bars(symbol: SecuritySymbol, period: Period): KnownBars;
  /** Returns the corporate actions of a symbol, or why they cannot be read. */
  actions(symbol: SecuritySymbol): readonly Pick<CorporateAction, 'kind' | 'exDay'>[] | string;
}

/** The first and last day of bars, none, or the error that prevents reading them. */
export type KnownBars =
  | { readonly kind: 'bars'; readonly first: CalendarDay; readonly last: CalendarDay }
  | { readonly kind: 'none' }
  | { readonly kind: 'problem'; readonly message: string };

/** Securities of a config without `data`. */
export const NO_SECURITIES: SecurityCatalogue = { symbols: [], find: () => undefined };

/** External information that a config is checked against. */
export interface ConfigLookups {
  readonly strategies: (nameOrPath: string) => StrategyLookup;
  /** Finds other plugins of the config; undefined, or absent, if the command does not read them. */
  readonly plugins?: (kind: OtherKind, nameOrPath: string) => PluginLookup | undefined;
  /** Whether a variable of the environment is set; absent if the command does not check that. */
  readonly isSet?: ((variable: string) => boolean) | undefined;
  /** Returns the catalogue of a data folder (`data.dir`). */
  readonly securities: (dir: string) => SecurityCatalogue;
}
