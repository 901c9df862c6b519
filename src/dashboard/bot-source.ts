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
  /** Number of the newest record; 0 if there is none. */
  newest(): number;
  /** True after another file has replaced this one. */
  isReplaced(): boolean;
  close(): void;
}

/** Status of a running bot, from the bot itself. */
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
  /**
   * Since the exchanges' day started, in `currency`; null if a price is missing, absent in bots of earlier versions.
   */
  readonly dayProfit?: number | null;
  readonly limits: readonly RiskNumber[];
  readonly quoteAgesMs: Readonly<Record<string, number | null>>;
  /** The newest alarm of each code and symbol in this run, the newest first; absent in bots of earlier versions. */
  readonly alarms?: readonly { readonly code: string; readonly message: string; readonly at: Millis }[];
}

/** Prices of a running bot: the newest of each symbol, and the newest bars of one. */
export interface LivePrices {
  readonly period: string;
  readonly marks: readonly {
    readonly symbol: string;
    readonly currency: string;
    /** In the symbol's currency; null before the first quote. */
    readonly price: number | null;
    readonly ageMs: number | null;
  }[];
  /** The symbol of the bars; null for one that the bot does not trade. */
  readonly symbol: string | null;
  /**
   * Closed bars, ascending, with the time of their open in epoch milliseconds; volumes are absent in bots of earlier
   * versions.
   */
  readonly bars: KeptPrices['bars'];
  /**
   * Series of the strategies, one value per bar, null during the warm-up. Null as a whole while a strategy is busy,
   * absent in bots of earlier versions.
   */
  readonly indicators?: readonly LiveIndicator[] | null;
  /**
   * Open time of the current bar, in epoch milliseconds; null between sessions, absent in bots of earlier versions.
   */
  readonly running?: number | null;
  /** The sessions whose bars are built; absent in bots of earlier versions. */
  readonly sessions?: 'regular' | 'extended' | 'all';
}

/** A series of a strategy at each bar that a bot keeps. */
export interface LiveIndicator {
  readonly name: string;
  /** True over the prices; otherwise in a pane below them. */
  readonly isPrice: boolean;
  readonly values: readonly (number | null)[];
}

/** State of a running bot's pipeline in addition to its journal. */
export interface LivePipeline {
  /** Since the start of this run. */
  readonly seen: { readonly quotes: number; readonly bars: number; readonly signals: number };
  readonly strategies: readonly {
    readonly name: string;
    /** Number of warm-up bars of each symbol. */
    readonly warmup: number;
    /** Null while the strategy is busy, or has ended. */
    readonly symbols: readonly { readonly symbol: string; readonly nodes: readonly NodeReading[] }[] | null;
  }[];
  /** Calls of the newest window; null if the venue counts none. */
  readonly calls: {
    readonly cancel: number;
    readonly protect: number;
    readonly read: number;
    readonly open: number;
    readonly max: number;
    readonly windowMs: number;
  } | null;
}

/** State of a bot, from its process and its control socket. */
export type BotState = 'running' | 'silent' | 'died' | 'ended';

/** A bot of the project. */
export interface ListedBot {
  /** Name of its folder; unique. */
  readonly name: string;
  readonly state: BotState;
  readonly strategy: string;
  readonly config: string;
  /** Of its newest run; null if not known. */
  readonly mode: 'paper' | 'live' | null;
  /** Origin of the prices of its newest run; absent if not known. */
  readonly origin?: OriginKind | undefined;
  /** Machine time of its start, ISO 8601. */
  readonly since: string;
  /**
   * First and last time of the data of its newest run, ISO 8601, and its first and last day at the exchange if known;
   * absent for a market in real time.
   */
  readonly span?:
    | {
        readonly from: string;
        readonly to: string;
        readonly days?: { readonly first: string; readonly last: string } | undefined;
      }
    | undefined;
}

/** A command, as the page sends it and the bot's control socket accepts it. */
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

/** Result of a command. */
export interface CommandResult {
  readonly kind: 'done' | 'refused' | 'silent';
  readonly message: string;
}

/** The dashboard's only source of bots. */
export interface BotSource {
  list(): readonly ListedBot[];
  /** Opens a bot's journal; undefined if it has none. Throws if it cannot be read. */
  journal(name: string): JournalReader | undefined;
  /** Requests the status of a running bot; undefined if it does not answer. */
  status(name: string): Promise<LiveStatus | undefined>;
  /**
   * Requests the prices of a running bot and the bars of a symbol, with the series of its strategies if `series` is
   * true; undefined if it does not answer, or is of an earlier version.
   */
  prices(name: string, symbol: string | undefined, series?: boolean): Promise<LivePrices | undefined>;
  /** Requests the pipeline of a running bot; undefined if it does not answer, or is of an earlier version. */
  pipeline(name: string): Promise<LivePipeline | undefined>;
  /** The rules of the gate, in the order in which they check an order. */
  readonly rules: readonly string[];
  /** Reason of a kill that the journal may not contain yet; undefined if there is none. */
  killMark(name: string): string | undefined;
  command(name: string, command: BotCommand, reason: string): Promise<CommandResult>;
  /** Kills a bot, even one that hangs or does not run. Never rejects. */
  kill(name: string, reason: string): Promise<CommandResult>;
}

/** Functions of the machine that the dashboard uses. */
export interface Machine {
  now(): Millis;
  /** Returns 256 random bits as text. */
  secret(): string;
  /** Calls `action` at this interval, in milliseconds; the returned function stops it. */
  every(milliseconds: number, action: () => void): () => void;
  /** Resolves after other work of the process had its turn. */
  pause(): Promise<void>;
}
