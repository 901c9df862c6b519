import type { Schedule } from '../execution/operator/schedule.ts';
import type { ExecutionPolicy } from '../execution/orders/order-style.ts';
import type { Decimal } from '../model/decimal.ts';
import type { FxRates } from '../model/fx.ts';
import type { Currency } from '../model/money.ts';
import type { Period } from '../model/period.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import type { TradingSessions } from '../model/trading-sessions.ts';
import type { Isolation } from '../plugins/isolation.ts';
import type { RiskLimits } from '../risk/limits.ts';
import type { StrategyLimits } from '../risk/strategy-limits.ts';
import type { SimulationRules } from '../simulation/rules.ts';
import type { SweepConfig } from './sweep/sweep-axes.ts';

/** Parameter values with the strategy's defaults filled in, all checked. */
export type ParamRecord = Readonly<Record<string, number | boolean | string>>;

/** The account that a backtest or a paper run opens with. */
export interface AccountConfig {
  /** Currency of equity, weights and limits. */
  readonly currency: Currency;
  /** Empty if the account's cash comes from the venue. */
  readonly cash: Readonly<Record<Currency, Decimal>>;
  /** Rates by pair: `USDHKD: 7.80` means that one USD is worth 7.80 HKD. */
  readonly fx: FxRates;
  /** Files of rates by pair, which go before the figures of `fx` from their first day on. */
  readonly fxSeries?: Readonly<Record<string, string>>;
}

/** Which past a run reads: both days included, each the exchange's own. */
export interface DataConfig {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
  /** Folder with one folder per symbol, as written; relative to where the command runs. */
  readonly dir: string;
}

/**
 * How the embedded venue's market clock runs on paper: to the next event as soon as the bot is done (`stepped`), `speed`
 * times as fast as the wall (`scaled`), or with it (`wall`). `upstream`: with the wall, too, and on the prices of a real
 * broker instead of those of the past; orders stay in the venue.
 */
export type PaperClock =
  | { readonly kind: 'stepped' }
  | { readonly kind: 'scaled'; readonly speed: number }
  | { readonly kind: 'wall' }
  | { readonly kind: 'upstream' };

/** A plugin that a config names, by name, package and name, or file, with its parameters checked and completed. */
export interface PluginUse {
  readonly use: string;
  readonly params: ParamRecord;
}

/** A notifier that a config names; `secrets` has the environment variable of each secret. */
export interface NotifierUse extends PluginUse {
  readonly secrets: Readonly<Record<string, string>>;
}

/** How the simulated market behaves, and the section as it was written (JSON), for a venue in its own process. */
export interface SimulationConfig {
  readonly rules: SimulationRules;
  /** The custom fill model; undefined: the default. */
  readonly fills: PluginUse | undefined;
  readonly written: string;
}

/** Names of the charge schedules of this version: each market's own table with a platform fee, the same without it, or no charges at all. */
export const CHARGE_SCHEDULES = ['standard', 'authorities', 'none'] as const;
export type ChargeScheduleName = (typeof CHARGE_SCHEDULES)[number];

/** What a run plays with. */
export const BOT_MODES = ['paper', 'live'] as const;

/** Names of the wire profiles. */
export const BROKER_PROFILES = ['documented', 'longbridge'] as const;

/** A venue that outlives the bot. Credentials come from the environment, and addresses that are not written here. */
export interface BrokerConfig {
  readonly profile: (typeof BROKER_PROFILES)[number];
  /** Id of the account that is traded: names the bot's journal, and must be the one that the venue states. */
  readonly account: string;
  readonly http: string | undefined;
  readonly quoteWs: string | undefined;
  readonly tradeWs: string | undefined;
  /** Admin port of an embedded venue, which has its market clock; without one market time is wall time. */
  readonly admin: string | undefined;
  /** Whether the broker is known to give its first answer again to a repeated `client_request_id`. */
  readonly requestKey: boolean;
  /** Whether it has what the source document describes and nothing more. */
  readonly onlyDocumented: boolean;
}

/** One of several strategies of a bot, checked. */
export interface MemberConfig {
  /** Its name in the bot, each another one. */
  readonly name: string;
  /** Name or file of the strategy, as written. */
  readonly strategy: string;
  readonly symbols: readonly SecuritySymbol[];
  readonly params: ParamRecord;
  /** Limits of this strategy, within those of the account. */
  readonly limits: StrategyLimits;
  readonly execution: ExecutionPolicy;
}

/** A strategy YAML that has been read and found right: every value checked, every default filled in. */
export interface BotConfig {
  /** Path of the YAML as the user gave it. */
  readonly path: string;
  /** Whether real money is meant; `live` takes "--live" and a whole `broker` section as well. */
  readonly mode: (typeof BOT_MODES)[number];
  /** Name or file of the strategy, as written; the first of several. */
  readonly strategy: string;
  /** Several strategies that share the account; empty where there is one. */
  readonly members: readonly MemberConfig[];
  /** 1 to 500, each once; in the order in which they are evaluated. */
  readonly symbols: readonly SecuritySymbol[];
  readonly period: Period;
  /** Sessions whose bars the strategy receives and in which the simulated market trades. */
  readonly sessions: TradingSessions;
  /** Isolation of plugins on paper and live; a backtest always runs in its own process. */
  readonly isolation: Isolation;
  readonly params: ParamRecord;
  readonly account: AccountConfig;
  /** Undefined: a bot on a venue that outlives it takes securities and bars from there. */
  readonly data: DataConfig | undefined;
  readonly risk: RiskLimits;
  /** Custom risk rules, in the order in which they are evaluated. */
  readonly rules: readonly PluginUse[];
  /** Notifiers for alarms and day summaries, in addition to the log. */
  readonly notify: readonly NotifierUse[];
  readonly execution: ExecutionPolicy;
  readonly paper: PaperClock;
  /** Undefined: a run on paper starts its own venue. */
  readonly broker: BrokerConfig | undefined;
  /** Uses only what the API's source document describes, on the embedded venue or the broker. Absent: false. */
  readonly onlyDocumented?: boolean;
  /** Empty when the config has none. */
  readonly schedule: Schedule;
  readonly simulation: SimulationConfig;
  readonly charges: ChargeScheduleName;
  /** What `sluice sweep` varies; absent where the YAML does not say. */
  readonly sweep?: SweepConfig;
}
