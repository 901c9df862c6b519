import type { Engine } from '../../engine/engine.ts';
import type { StrategyShare } from '../../events/run-record.ts';
import type { Flattening } from '../../execution/operator/position-flattener.ts';
import type { Alarm } from '../../model/notice.ts';
import type { Quote } from '../../model/quote.ts';
import type { RiskNumber } from '../../model/risk-number.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { CallsUsed } from '../../ports/call-budget.ts';
import type { OriginKind } from '../../reports/origin.ts';
import { type StatusFacts, statusOf } from '../../reports/status.ts';

/** The status of a running bot, as sent over its control socket. */
export interface BotStatus extends StatusFacts {
  readonly mode: 'paper' | 'live';
  readonly config: string;
  readonly strategy: string;
  readonly origin: OriginKind;
  readonly pid: number;
  /** Market time, ISO 8601. */
  readonly marketTime: string;
  /** Null until the account was read, or while a price or exchange rate is missing. */
  readonly equity: number | null;
  /**
   * Profit of the bot's symbols since their exchange day began, in `currency`; null if a price or exchange rate is
   * missing.
   */
  readonly dayProfit: number | null;
  /** Calls of the latest window by kind; null if the venue does not limit calls. */
  readonly calls: CallsUsed | null;
  /** Current use of each limit of the account, with the limit. */
  readonly limits: readonly RiskNumber[];
  /** Positions that a kill or flatten is closing, and what each waits for. */
  readonly flattening: readonly Flattening[];
  /**
   * Symbols of positions and open orders whose value is unknown: no quote or exchange rate, or no cost for a symbol
   * outside the config. Equity is then unknown, and nothing opens. Absent in bots of earlier versions.
   */
  readonly unpriced?: readonly SecuritySymbol[];
  readonly currency: string;
  /** Exchange rates of the account's other currencies into its own; `rate` is null while unknown. */
  readonly rates: readonly {
    readonly currency: string;
    readonly rate: string | null;
    readonly source: 'config' | 'venue';
    readonly ageMs: number | null;
  }[];
  /** Age of the latest quote by symbol, milliseconds of market time; null before the first. */
  readonly quoteAgesMs: Readonly<Record<SecuritySymbol, number | null>>;
  /** The newest alarm of each code and symbol in this run, the newest first. Absent in bots of earlier versions. */
  readonly alarms?: readonly Pick<Alarm, 'code' | 'message' | 'at'>[];
}

export interface StatusSources {
  readonly engine: Engine;
  readonly mode: BotStatus['mode'];
  readonly config: string;
  readonly strategy: string;
  readonly origin: OriginKind;
  readonly currency: string;
  readonly symbols: readonly SecuritySymbol[];
  /** Empty in a bot with one strategy. */
  readonly members: readonly { readonly name: string }[];
  readonly now: () => Millis;
  readonly calls: () => CallsUsed | undefined;
  readonly latest: (symbol: SecuritySymbol) => Quote | undefined;
  readonly alarms: () => readonly Alarm[];
}

export function botStatus(sources: StatusSources): BotStatus {
  const { engine, mode, config, strategy, origin, currency, symbols, latest } = sources;
  const now = sources.now();
  const equity = engine.equityNow();
  const ages = symbols.map((symbol) => {
    const quote = latest(symbol);
    return [symbol, quote === undefined ? null : Math.max(0, now - quote.time)] as const;
  });
  return {
    mode,
    config,
    strategy,
    origin,
    currency,
    pid: process.pid,
    marketTime: new Date(now).toISOString(),
    equity: Number.isFinite(equity) ? equity : null,
    dayProfit: engine.dayProfit()?.toNumber() ?? null,
    calls: sources.calls() ?? null,
    limits: engine.limitsUsed(),
    unpriced: engine.unpriced(),
    rates: engine.rates().map(({ currency: other, rate, source, at }) => ({
      currency: other,
      rate: rate?.toSignificantDigits(8).toString() ?? null,
      source,
      ageMs: at === undefined ? null : Math.max(0, now - at),
    })),
    quoteAgesMs: Object.fromEntries(ages),
    alarms: sources.alarms().map(({ code, message, at }) => ({ code, message, at })),
    ...statusOf(engine.state, now, engineShares(sources)),
    flattening: engine.flattening(),
    gate: engine.gateNow(),
    restrictions: engine.restrictionsNow(),
  };
}

/** Returns the share of each of several strategies in the account; empty in a bot with one. */
export function engineShares({
  engine,
  members,
}: Pick<StatusSources, 'engine' | 'members'>): readonly StrategyShare[] {
  if (members.length === 0) return [];
  const earned = engine.earned();
  return members.map(({ name }) => ({
    name,
    quarantined: engine.quarantined.has(name),
    earned: earned.get(name) ?? 0,
  }));
}
