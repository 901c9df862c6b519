import type { CorporateAction } from '../model/corporate-action.ts';
import type { Period } from '../model/period.ts';
import type { Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import type { OtherKind } from '../plugins/plugin-facts.ts';
import type { ParamDeclarations } from '../strategy/params.ts';

/** Why a strategy cannot be used, as one sentence after "Cannot load strategy". */
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
  /** The existing strategy that was most likely meant. */
  readonly nearest: string | undefined;
  /** Names of the strategies that there are. */
  readonly available: readonly string[];
}

/** What is known of a strategy by its name in the YAML. */
export type StrategyLookup = { readonly kind: 'ok'; readonly params: ParamDeclarations } | StrategyProblem;

/** What is known of a plugin of another kind by its name in the YAML. */
export type PluginLookup =
  | {
      readonly kind: 'ok';
      readonly params: ParamDeclarations;
      /** Secrets that a notifier declares, by name. */
      readonly secrets?: Readonly<Record<string, string>>;
    }
  | StrategyProblem;

/** The securities whose data is in one folder. */
export interface SecurityCatalogue {
  readonly symbols: readonly string[];
  find(symbol: SecuritySymbol): Pick<Security, 'currency' | 'tradable' | 'lotSize'> | undefined;
  /** Catalogue of their bars; absent where a run reads the bars directly. */
  readonly past?: PastCatalogue;
}

/** What there is of a past without reading all of it. */
export interface PastCatalogue {
  /** The days of the first and the last bar of a symbol, from its file. */
  bars(symbol: SecuritySymbol, period: Period): KnownBars;
  /** What the company of a symbol did to its shares, or why that cannot be read. */
  actions(symbol: SecuritySymbol): readonly Pick<CorporateAction, 'kind' | 'exDay'>[] | string;
}

/** The first and last day of bars, none, or the error that prevents reading them. */
export type KnownBars =
  | { readonly kind: 'bars'; readonly first: CalendarDay; readonly last: CalendarDay }
  | { readonly kind: 'none' }
  | { readonly kind: 'problem'; readonly message: string };

/** For a config without `data`. */
export const NO_SECURITIES: SecurityCatalogue = { symbols: [], find: () => undefined };

/** What a config is checked against beyond itself. */
export interface ConfigLookups {
  readonly strategies: (nameOrPath: string) => StrategyLookup;
  /** Plugins of other kinds that the config names; absent where none can be loaded. */
  readonly plugins?: (kind: OtherKind, nameOrPath: string) => PluginLookup;
  /** The catalogue of a data folder, as `data.dir` names it. */
  readonly securities: (dir: string) => SecurityCatalogue;
}
