import type { Schedule } from '../execution/operator/schedule.ts';
import type { ExecutionPolicy } from '../execution/orders/order-style.ts';
import type { Decimal } from '../model/decimal.ts';
import type { FxRates } from '../model/fx.ts';
import type { Currency } from '../model/money.ts';
import type { Period } from '../model/period.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import type { TradingSessions } from '../model/trading-sessions.ts';
import type { NotifierEvent } from '../plugins/define-notifier.ts';
import type { Isolation } from '../plugins/isolation.ts';
import type { RiskLimits } from '../risk/limits.ts';
import type { StrategyLimits } from '../risk/strategy-limits.ts';
import type { SimulationRules } from '../simulation/rules.ts';
import type { SweepConfig } from './sweep/sweep-axes.ts';

/** Checked parameter values, including the strategy's defaults. */
export type ParamRecord = Readonly<Record<string, number | boolean | string>>;

/** The account at the start of a backtest or a paper run. */
export interface AccountConfig {
  /** Currency of equity, weights and limits. */
  readonly currency: Currency;
  /** Empty if the venue provides the account's cash. */
  readonly cash: Readonly<Record<Currency, Decimal>>;
  /** Rates by pair: with `USDHKD: 7.80`, one USD is worth 7.80 HKD. */
  readonly fx: FxRates;
  /** Files of rates by pair; they take precedence over `fx` from their first day on. */
  readonly fxSeries?: Readonly<Record<string, string>>;
}

/** The days of a run, both included, in the exchange's calendar. */
export interface DataConfig {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
  /** Folder with one folder per symbol, as written; relative to the working directory of the command. */
  readonly dir: string;
}

/**
 * Market clock of the embedded venue on paper: it advances to the next event as soon as the bot is done (`stepped`),
 * at `speed` times wall time (`scaled`), or in wall time (`wall`). `upstream`: wall time with the prices of a real
 * broker; orders stay in the venue.
 */
export type PaperClock =
  | { readonly kind: 'stepped' }
  | { readonly kind: 'scaled'; readonly speed: number }
  | { readonly kind: 'wall' }
  | { readonly kind: 'upstream' };

/** A plugin in a config, by name, package and name, or file; its parameters are checked and completed. */
export interface PluginUse {
  readonly use: string;
  readonly params: ParamRecord;
}

/** A notifier in a config. */
export interface NotifierUse extends PluginUse {
  /** The environment variable of each given secret. */
  readonly secrets: Readonly<Record<string, string>>;
  /** What it receives, as far as it has hooks for it. */
  readonly events: readonly NotifierEvent[];
}

/** Rules of the simulated market, and the section as written (JSON), for a venue in another process. */
export interface SimulationConfig {
  readonly rules: SimulationRules;
  /** The custom fill model; undefined: the default. */
  readonly fills: PluginUse | undefined;
  readonly written: string;
}

/**
 * Names of the charge schedules of this version: the market's table with a platform fee, the same without it, or no
 * charges.
 */
export const CHARGE_SCHEDULES = ['standard', 'authorities', 'none'] as const;
export type ChargeScheduleName = (typeof CHARGE_SCHEDULES)[number];

/** What a bot trades with. */
export const BOT_MODES = ['paper', 'live'] as const;

/** Names of the wire profiles. */
export const BROKER_PROFILES = ['documented', 'longbridge'] as const;

/**
 * A venue that exists independently of the bot. Credentials, and addresses that are not given here, come from the
 * environment.
 */
export interface BrokerConfig {
  readonly profile: (typeof BROKER_PROFILES)[number];
  /** Id of the account to trade: names the bot's journal, and must equal the account that the venue reports. */
  readonly account: string;
  readonly http: string | undefined;
  readonly quoteWs: string | undefined;
  readonly tradeWs: string | undefined;
  /** Admin port of an embedded venue, which has its market clock; without one, market time is wall time. */
  readonly admin: string | undefined;
  /** True if the broker repeats its first answer for a repeated `client_request_id`. */
  readonly requestKey: boolean;
  /** True if it has only what the source document describes. */
  readonly onlyDocumented: boolean;
}

/** One of several strategies of a bot, checked. */
export interface MemberConfig {
  /** Its name, unique in the bot. */
  readonly name: string;
  /** Name or file of the strategy, as written. */
  readonly strategy: string;
  readonly symbols: readonly SecuritySymbol[];
  readonly params: ParamRecord;
  /** Limits of this strategy, within those of the account. */
  readonly limits: StrategyLimits;
  readonly execution: ExecutionPolicy;
}

/** A valid strategy YAML: every value checked, every default filled in. */
export interface BotConfig {
  /** Path of the YAML as the user gave it. */
  readonly path: string;
  /** Whether the bot trades real money; `live` also requires "--live" and a complete `broker` section. */
  readonly mode: (typeof BOT_MODES)[number];
  /** Name or file of the strategy, as written; of several, the first. */
  readonly strategy: string;
  /** Several strategies that share the account; empty for a single one. */
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
  /** Undefined: a bot on an independent venue takes securities and bars from it. */
  readonly data: DataConfig | undefined;
  readonly risk: RiskLimits;
  /** Custom risk rules, in the order in which they are evaluated. */
  readonly rules: readonly PluginUse[];
  /** Notifiers for alarms, fills and other events, in addition to the log. */
  readonly notify: readonly NotifierUse[];
  readonly execution: ExecutionPolicy;
  readonly paper: PaperClock;
  /** Undefined: a paper run starts its own venue. */
  readonly broker: BrokerConfig | undefined;
  /** Uses only what the API's source document describes, on the embedded venue or the broker. Absent: false. */
  readonly onlyDocumented?: boolean;
  /** Empty if the config has none. */
  readonly schedule: Schedule;
  readonly simulation: SimulationConfig;
  readonly charges: ChargeScheduleName;
  /** What `sluice sweep` varies; absent if the YAML has no such section. */
  readonly sweep?: SweepConfig;
}
