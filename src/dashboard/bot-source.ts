import type { SluiceEvent } from '../events/event.ts';
import type { KeptPrices } from '../events/run-record.ts';
import type { NodeReading } from '../model/node-reading.ts';
import type { RiskNumber } from '../model/risk-number.ts';
import type { Millis } from '../model/time.ts';
import type { OriginKind } from '../reports/origin.ts';
import type { StatusFacts } from '../reports/status.ts';

/** A journaled event and its number. */
export interface JournalEntry {
  readonly seq: number;
  readonly event: SluiceEvent;
}

/** A bot's journal, read while the bot writes it. */
export interface JournalReader {
  next(max: number): readonly JournalEntry[];
  after(seq: number, max: number): readonly JournalEntry[];
  at(numbers: readonly number[]): readonly JournalEntry[];
  fromStart(): Iterable<JournalEntry>;
  /** Number of the newest record; 0 when there is none. */
  newest(): number;
  /** True once another file has taken the place of this one. */
  isReplaced(): boolean;
  close(): void;
}

/** What a running bot answers about itself; all of it is absent for a bot that does not run. */
export interface LiveStatus extends StatusFacts {
  readonly mode: 'paper' | 'live';
  readonly config: string;
  readonly strategy: string;
  /** Origin of the prices; absent in bots of earlier versions. */
  readonly origin?: OriginKind;
  readonly pid: number;
  readonly marketTime: string;
  readonly equity: number | null;
  readonly currency: string;
  /** Since the exchanges' day began, in `currency`; null where a price is missing, absent in bots of earlier versions. */
  readonly dayProfit?: number | null;
  readonly limits: readonly RiskNumber[];
  readonly quoteAgesMs: Readonly<Record<string, number | null>>;
}

/** What a running bot knows of prices: the newest of each symbol, and the newest bars of one. */
export interface LivePrices {
  readonly period: string;
  readonly marks: readonly {
    readonly symbol: string;
    readonly currency: string;
    /** In the symbol's own currency; null before the first quote. */
    readonly price: number | null;
    readonly ageMs: number | null;
  }[];
  /** The symbol of the bars; null for one that the bot does not trade. */
  readonly symbol: string | null;
  /** Closed bars, ascending, each stamped in epoch milliseconds of its open; shares are absent in bots of earlier versions. */
  readonly bars: KeptPrices['bars'];
  /**
   * What the strategies computed, one value for each bar, null during the warm-up; null while a strategy is at work, absent in bots of
   * earlier versions.
   */
  readonly indicators?: readonly LiveIndicator[] | null;
  /** Open of the bar that runs, in epoch milliseconds; null between sessions, absent in bots of earlier versions. */
  readonly running?: number | null;
  /** The sessions whose bars are built; absent in bots of earlier versions. */
  readonly sessions?: 'regular' | 'extended' | 'all';
}

/** A series of a strategy at each bar that a bot keeps. */
export interface LiveIndicator {
  readonly name: string;
  /** Over the prices; otherwise in a pane below them. */
  readonly isPrice: boolean;
  readonly values: readonly (number | null)[];
}

/** What a running bot knows of its pipeline in addition to its journal. */
export interface LivePipeline {
  /** Since the start of this run. */
  readonly seen: { readonly quotes: number; readonly bars: number; readonly signals: number };
  readonly strategies: readonly {
    readonly name: string;
    /** Bars of each symbol before the first that is decided on. */
    readonly warmup: number;
    /** Null while the strategy is at work, or has ended. */
    readonly symbols: readonly { readonly symbol: string; readonly nodes: readonly NodeReading[] }[] | null;
  }[];
  /** Calls of the newest window; null where the venue counts none. */
  readonly calls: {
    readonly cancel: number;
    readonly protect: number;
    readonly read: number;
    readonly open: number;
    readonly max: number;
    readonly windowMs: number;
  } | null;
}

/** Whether a bot runs, as its process and its control socket show. */
export type BotState = 'running' | 'silent' | 'died' | 'ended';

/** A bot of the project. */
export interface ListedBot {
  /** Name of its folder; unique. */
  readonly name: string;
  readonly state: BotState;
  readonly strategy: string;
  readonly config: string;
  /** Of its newest run; null where its folder does not say. */
  readonly mode: 'paper' | 'live' | null;
  /** Origin of the prices of its newest run; absent where its folder does not say. */
  readonly origin?: OriginKind | undefined;
  /** Machine time of its start, ISO 8601. */
  readonly since: string;
  /**
   * First and last instant of the data of its newest run, ISO 8601, and its first and last day at the exchange where its folder has
   * them; absent where the market continues.
   */
  readonly span?:
    | {
        readonly from: string;
        readonly to: string;
        readonly days?: { readonly first: string; readonly last: string } | undefined;
      }
    | undefined;
}

/** A command as the page sends it and the bot's control socket takes it. */
export type BotCommand =
  | { readonly kind: 'halt' | 'reduce-only' | 'resume' }
  | { readonly kind: 'cancel-all' | 'flatten'; readonly symbols?: readonly string[] | undefined }
  | {
      readonly kind: 'settle';
      readonly intentId: string;
      readonly outcome:
        | { readonly kind: 'dead' }
        | { readonly kind: 'order'; readonly orderId: string }
        | { readonly kind: 'filled'; readonly quantity: string; readonly price: string };
    };

/** What became of a command. */
export interface CommandResult {
  readonly kind: 'done' | 'refused' | 'silent';
  readonly message: string;
}

/** The dashboard's only source of bots. */
export interface BotSource {
  list(): readonly ListedBot[];
  /** Opens a bot's journal; undefined while it has none. Throws when it cannot be read. */
  journal(name: string): JournalReader | undefined;
  /** Asks a running bot about itself; undefined when it does not answer. */
  status(name: string): Promise<LiveStatus | undefined>;
  /**
   * Asks a running bot for its prices, and the bars of a symbol, with what its strategies computed where `series` is true; undefined when
   * it does not answer, or is of an earlier version.
   */
  prices(name: string, symbol: string | undefined, series?: boolean): Promise<LivePrices | undefined>;
  /** Asks a running bot for its pipeline; undefined when it does not answer, or is of an earlier version. */
  pipeline(name: string): Promise<LivePipeline | undefined>;
  /** The rules of the gate, in the order in which they judge an order. */
  readonly rules: readonly string[];
  /** Why a kill holds that the journal may not contain yet; undefined when none holds. */
  killMark(name: string): string | undefined;
  command(name: string, command: BotCommand, reason: string): Promise<CommandResult>;
  /** Kills a bot, also one that hangs or does not run. Resolves in every case. */
  kill(name: string, reason: string): Promise<CommandResult>;
}

/** What the dashboard takes from the machine. */
export interface Machine {
  now(): Millis;
  /** A secret text of 256 random bits. */
  secret(): string;
  /** Calls `action` at this interval, in milliseconds, until the result is called. */
  every(milliseconds: number, action: () => void): () => void;
  /** Resolves once other work of the process had its turn. */
  pause(): Promise<void>;
}
