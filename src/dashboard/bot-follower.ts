import { EXIT_KINDS } from '../events/curve/exit-columns.ts';
import type { SluiceEvent } from '../events/event.ts';
import { FillPrices } from '../events/fill-prices.ts';
import { createFold } from '../events/fold.ts';
import { zoneName } from '../markets/zones.ts';
import type { OrderLink } from '../model/algorithm.ts';
import { byStrictness, markedRestriction, standingOf, withMarkedKill } from '../model/gate.ts';
import type { IntentId, OrderTerms } from '../model/order.ts';
import { isLive, openRest } from '../model/order-state.ts';
import { marketOf, securitySymbol } from '../model/symbol.ts';
import { type Millis, millis } from '../model/time.ts';
import { eventText } from '../reports/event-text.ts';
import type { OriginKind } from '../reports/origin.ts';
import { type KnownStrategy, type StatusFacts, statusOf } from '../reports/status.ts';
import { termsText, trailText } from '../reports/terms-text.ts';
import { type Why, whyOf } from '../reports/why.ts';
import type { JournalEntry, JournalReader, ListedBot, LiveStatus, Machine } from './bot-source.ts';

/** One line of the event log. */
export interface LogLine {
  readonly seq: number;
  readonly at: Millis;
  readonly kind: string;
  /** The order it belongs to. */
  readonly intentId: string | null;
  readonly text: string;
}

/** One execution. */
export interface FillLine {
  readonly seq: number;
  readonly at: Millis;
  readonly intentId: string | null;
  readonly symbol: string;
  readonly side: string;
  readonly quantity: string;
  readonly price: string;
  readonly fee: string;
  readonly currency: string;
}

/** One order that the gate denied. */
export interface DenialLine {
  readonly seq: number;
  readonly at: Millis;
  readonly intentId: string;
  readonly terms: string;
  readonly rule: string;
  readonly reason: string;
  readonly numbers: readonly { readonly name: string; readonly value: string; readonly limit: string }[];
}

/** A working order with its price. */
export interface WorkingLevel {
  readonly intentId: string;
  readonly symbol: string;
  readonly side: string;
  /** Shares that may still be executed. */
  readonly open: string;
  /**
   * `stop` and `target` are exits of a bracket. Other orders: `trigger` waits for its trigger, `trailing` for a
   * moving one, `limit` works at its price, `market` has none.
   */
  readonly kind: 'stop' | 'target' | 'trigger' | 'trailing' | 'limit' | 'market';
  /** The trigger, or the limit; null if it has none, or its trigger moves. */
  readonly price: string | null;
  /** Distance of a moving trigger from the best price since: `1.5%`, or an amount; null for any other order. */
  readonly trail: string | null;
  /** Market time of the venue's newest answer about it; null before the first. */
  readonly answeredAt: Millis | null;
}

/** Number of each step that orders pass through, counted from the journal. */
export interface FlowCounts {
  readonly drafted: number;
  readonly approved: number;
  readonly deniedByRule: Readonly<Record<string, number>>;
  readonly attempts: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly notSent: number;
  readonly unknown: number;
  readonly fills: number;
  readonly cancels: number;
  readonly replaces: number;
  readonly records: number;
  /** Market time of the newest of each step; absent before the first. */
  readonly newest: Readonly<Partial<Record<FlowStep, Millis>>>;
  /** Market time of the newest denial by each rule. */
  readonly deniedAt: Readonly<Record<string, Millis>>;
}

/** Steps that are counted from the records of a journal. */
export type FlowStep =
  | 'drafted'
  | 'approved'
  | 'attempts'
  | 'accepted'
  | 'rejected'
  | 'notSent'
  | 'unknown'
  | 'fills'
  | 'cancels'
  | 'replaces';

/**
 * Equity at a time: milliseconds and the account's currency. Each fill adds a point: cash and positions at the newest
 * prices of the bot's fills. Equity peaks in the journal are left out, because a curve of peaks would never fall.
 */
export type EquityPoint = readonly [at: number, equity: number];

/** Everything a bot page shows. */
export interface BotSnapshot extends StatusFacts {
  readonly name: string;
  readonly state: ListedBot['state'];
  readonly strategy: string;
  readonly config: string;
  readonly since: string;
  readonly mode: 'paper' | 'live' | null;
  /** Origin of the prices; null if the bot does not state it. */
  readonly origin: OriginKind | null;
  readonly currency: string | null;
  readonly equity: number | null;
  /** Market time of `equity` if the bot does not state it itself: the newest known one; otherwise null. */
  readonly equityAt: number | null;
  /** IANA time zone of its exchanges; UTC if there are several, or none is known. */
  readonly zone: string;
  /** Profit since the exchanges' day started, in `currency`; null if the bot does not state it. */
  readonly dayProfit: number | null;
  /** Market time of the newest quote or record, ISO 8601; null before the first. */
  readonly marketTime: string | null;
  readonly limits: LiveStatus['limits'];
  readonly quoteAgesMs: LiveStatus['quoteAgesMs'];
  /** Alarms of the run, the newest first; empty for a bot that does not run. */
  readonly alarms: NonNullable<LiveStatus['alarms']>;
  /** Number and time of the newest record that is included. */
  readonly seq: number;
  readonly at: Millis;
  /** The working orders by their prices, as the journal has them. */
  readonly levels: readonly WorkingLevel[];
  readonly fills: readonly FillLine[];
  readonly denials: readonly DenialLine[];
  readonly flow: FlowCounts;
  readonly equityCurve: readonly EquityPoint[];
  /** Newest record that needs attention; null if there is none. */
  readonly warning: LogLine | null;
  /**
   * Number of records still to be read. Until they are read, fills, denials, counts and curve are those of earlier
   * records; so is everything else of a bot that does not answer.
   */
  readonly unread: number;
  /** Why the journal cannot be read; null if it can. */
  readonly fault: string | null;
}

/** A bot at an earlier record of its journal, with the log lines up to it. */
export interface PastSnapshot extends BotSnapshot {
  readonly lines: readonly LogLine[];
}

/** Number of log lines before a record of the past. */
const PAST_LINES = 200;
const ROWS_MAX = 100;
const EQUITY_POINTS_MAX = 2_000;
/** Records that are folded before other work has its turn: about 20 ms. */
const SLICE = 1_000;
/** Slices of a long journal before a page shows the progress of reading. */
const SLICES_FIRST = 10;

/** Counts and lists of a journal, updated record by record. */
class Account {
  readonly fold = createFold();
  readonly fills: FillLine[] = [];
  readonly denials: DenialLine[] = [];
  readonly equity: EquityPoint[] = [];
  /** Names of several strategies; the value is true for one that failed. */
  readonly strategies = new Map<string, boolean>();
  /** A map, because a rule may be named like a property that every object has. */
  readonly deniedByRule = new Map<string, number>();
  readonly #fillPrices = new FillPrices();
  readonly counts = {
    drafted: 0,
    approved: 0,
    attempts: 0,
    accepted: 0,
    rejected: 0,
    notSent: 0,
    unknown: 0,
    fills: 0,
    cancels: 0,
    replaces: 0,
    records: 0,
  };
  readonly newest: Partial<Record<FlowStep, Millis>> = {};
  readonly deniedAt = new Map<string, Millis>();
  /** The venue's newest answer about each order that is live. */
  readonly answeredAt = new Map<string, Millis>();
  /** Symbols of its orders, fills and positions. */
  readonly symbols = new Set<string>();
  currency: string | undefined;
  warning: LogLine | undefined;
  seq = 0;
  at: Millis = millis(0);

  apply({ seq, event }: JournalEntry): void {
    const terms = event.kind === 'intent-denied' ? this.#termsOf(event.intentId) : '';
    this.fold.apply(event);
    this.#fillPrices.apply(event);
    this.seq = seq;
    this.at = event.at;
    this.counts.records += 1;
    if (isWarning(event)) this.warning = logLine({ seq, event });
    if ('intentId' in event) this.#noteAnswer(event);
    switch (event.kind) {
      case 'run-started':
        this.currency = event.currency;
        for (const { symbol } of event.positions) this.symbols.add(symbol);
        if (event.equity !== undefined) this.#equityAt(event.at, event.equity.toNumber());
        for (const name of this.strategies.keys()) this.strategies.set(name, false);
        break;
      case 'gate-moved':
        if (event.equity !== undefined) this.#equityAt(event.at, event.equity.toNumber());
        break;
      case 'intent-drafted':
        this.#count('drafted', event.at);
        this.symbols.add(event.terms.symbol);
        if (event.strategy !== undefined && !this.strategies.has(event.strategy))
          this.strategies.set(event.strategy, false);
        break;
      case 'intent-armed':
        this.#count('approved', event.at);
        break;
      case 'intent-denied': {
        const { rule, reason, numbers, intentId, at } = event;
        this.deniedByRule.set(rule, (this.deniedByRule.get(rule) ?? 0) + 1);
        this.deniedAt.set(rule, at);
        push(this.denials, { seq, at, intentId, terms, rule, reason, numbers });
        break;
      }
      case 'submit-sending':
        this.#count('attempts', event.at);
        break;
      case 'submit-acked':
        this.#count('accepted', event.at);
        break;
      case 'submit-refused':
        this.#count('rejected', event.at);
        break;
      case 'submit-not-sent':
        this.#count('notSent', event.at);
        break;
      case 'submit-unknown':
        this.#count('unknown', event.at);
        break;
      case 'order-filled':
      case 'foreign-filled': {
        const { symbol, side, quantity, price, fee, currency, time } = event.fill;
        const intentId = event.kind === 'order-filled' ? event.intentId : null;
        if (intentId !== null) this.#count('fills', event.at);
        push(this.fills, {
          seq,
          at: time,
          intentId,
          symbol,
          side,
          currency,
          quantity: quantity.toFixed(),
          price: price.toFixed(),
          fee: fee.toFixed(),
        });
        this.symbols.add(symbol);
        this.#valueAtFill(event.at);
        break;
      }
      case 'cancel-sending':
        this.#count('cancels', event.at);
        break;
      case 'replace-sending':
        this.#count('replaces', event.at);
        break;
      case 'order-charged': {
        const at = this.fills.findLastIndex(({ intentId }) => intentId === event.intentId);
        const line = this.fills[at];
        if (line !== undefined) this.fills[at] = { ...line, fee: event.fee.plus(line.fee).toFixed() };
        break;
      }
      case 'strategy-failed':
        if (event.strategy !== undefined) this.strategies.set(event.strategy, true);
        break;
      default:
        break;
    }
  }

  #noteAnswer({ kind, intentId, at }: Extract<SluiceEvent, { readonly intentId: IntentId }>): void {
    if (isAnswer(kind)) this.answeredAt.set(intentId, at);
    if (!this.fold.state.live.has(intentId)) this.answeredAt.delete(intentId);
  }

  addEquity(point: EquityPoint): void {
    this.#equityAt(...point);
  }

  known(): readonly KnownStrategy[] {
    return [...this.strategies].map(([name, quarantined]) => ({ name, quarantined }));
  }

  #count(step: FlowStep, at: Millis): void {
    this.counts[step] += 1;
    this.newest[step] = at;
  }

  #valueAtFill(at: number): void {
    const value = this.#fillPrices.value(this.fold.state.portfolio, this.currency);
    if (value !== undefined) this.#equityAt(at, value.equity);
  }

  #equityAt(at: number, equity: number): void {
    const last = this.equity.at(-1);
    if (last !== undefined && last[0] >= at) return;
    this.equity.push([at, equity]);
    // Drops every second point of the older half: the curve keeps its whole span in a bounded number of points.
    if (this.equity.length > EQUITY_POINTS_MAX) {
      const half = EQUITY_POINTS_MAX / 2;
      const older = this.equity.splice(0, half).filter((_point, index) => index % 2 === 0);
      this.equity.unshift(...older);
    }
  }

  #termsOf(intentId: IntentId): string {
    const order = this.fold.state.live.get(intentId);
    return order === undefined ? '' : termsText(order.terms);
  }
}

function push<T>(rows: T[], row: T): void {
  rows.push(row);
  if (rows.length > ROWS_MAX) rows.shift();
}

/** Records of what the venue answered about an order. */
function isAnswer(kind: SluiceEvent['kind']): boolean {
  switch (kind) {
    case 'submit-acked':
    case 'submit-refused':
    case 'order-moved':
    case 'order-filled':
    case 'cancel-answered':
    case 'replace-answered':
    case 'replace-read':
      return true;
    default:
      return false;
  }
}

/** Records that need attention. */
function isWarning(event: SluiceEvent): boolean {
  switch (event.kind) {
    case 'gate-moved':
      return event.state !== 'active';
    case 'symbol-halted':
    case 'strategy-failed':
    case 'submit-unknown':
    case 'submit-abandoned':
    case 'order-doubled':
      return true;
    case 'run-ended':
      return event.reason === 'failed';
    default:
      return false;
  }
}

/** Returns the symbols of the orders that some records drafted. */
export function symbolsIn(entries: readonly JournalEntry[]): readonly string[] {
  return entries.flatMap(({ event }) => (event.kind === 'intent-drafted' ? [event.terms.symbol] : []));
}

/** Returns the time zone that all these symbols share, or UTC. */
export function zoneOf(symbols: Iterable<string>): string {
  const zones = new Set(Array.from(symbols, (symbol) => zoneName(marketOf(securitySymbol(symbol)))));
  const [only = UTC, ...others] = zones;
  return others.length === 0 ? only : UTC;
}

const UTC = 'UTC';

/** Formats a record as a line of the event log. */
export function logLine({ seq, event }: JournalEntry): LogLine {
  const intentId = 'intentId' in event ? event.intentId : null;
  return { seq, at: event.at, kind: event.kind, intentId, text: eventText(event) };
}

function levelsOf({ fold, answeredAt }: Account): readonly WorkingLevel[] {
  return [...fold.state.live.values()]
    .filter(({ facets }) => isLive(facets))
    .map(({ intentId, terms, facets, link }) => {
      const { symbol, side } = terms;
      return {
        intentId,
        symbol,
        side,
        open: openRest(facets).toFixed(),
        ...levelOf(terms, link),
        trail: trailText(terms) ?? null,
        answeredAt: answeredAt.get(intentId) ?? null,
      };
    });
}

function levelOf(terms: OrderTerms, link: OrderLink | undefined): Pick<WorkingLevel, 'kind' | 'price'> {
  const { triggerPrice, trailingAmount, trailingPercent, price } = terms;
  if (trailingAmount !== undefined || trailingPercent !== undefined) return { kind: 'trailing', price: null };
  // Only the bracket shows the purpose of an order: a trigger above the price may be a stop's or a target's.
  const exit = link?.exit === true ? EXIT_KINDS.find((each) => each === link.slot) : undefined;
  if (triggerPrice !== undefined) return { kind: exit ?? 'trigger', price: triggerPrice.toFixed() };
  if (price === undefined) return { kind: 'market', price: null };
  return { kind: exit ?? 'limit', price: price.toFixed() };
}

/** Reads one bot's journal as it grows, and keeps the bot's own status. */
export class BotFollower {
  readonly #open: () => JournalReader | undefined;
  readonly #machine: Pick<Machine, 'pause'>;
  #reader: JournalReader | undefined;
  #account = new Account();
  /** Record numbers by order and by algorithm, so that the history of an order takes few reads. */
  #records = new Map<string, number[]>();
  #intents = new Map<string, string>();
  #reading: Promise<void> | undefined;
  /** Newest record at the last look. */
  #newest = 0;
  /** Calls that wait for part of the reading, with the number of slices left. */
  readonly #waiting = new Set<{ slices: number; readonly go: () => void }>();
  #fault: string | undefined;
  #live: LiveStatus | undefined;
  /** Points of the bot's own status that wait for the records of earlier times. */
  #livePoints: EquityPoint[] = [];

  constructor(open: () => JournalReader | undefined, machine: Pick<Machine, 'pause'>) {
    this.#open = open;
    this.#machine = machine;
  }

  /** Reads new records of the journal; simultaneous calls share one reading. Never rejects. */
  read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
      this.#addLivePoints();
    });
    return this.#reading;
  }

  /** Reads for a moment; the rest of a long journal follows in the background. Never rejects. */
  readSome(): Promise<void> {
    const some = new Promise<void>((go) => this.#waiting.add({ slices: SLICES_FIRST, go }));
    return Promise.race([some, this.read()]);
  }

  /** Stores the bot's own status; undefined if it did not answer. */
  updateLive(live: LiveStatus | undefined): void {
    this.#live = live;
    if (live === undefined || live.equity === null) return;
    this.#livePoints.push([Date.parse(live.marketTime), live.equity]);
    this.#addLivePoints();
  }

  snapshot(bot: ListedBot, killMark: string | undefined): BotSnapshot {
    return {
      ...this.#snapshotOf(this.#account, bot, this.#live, killMark),
      unread: this.unread,
      fault: this.#fault ?? null,
    };
  }

  /** Number of records still to be read. */
  get unread(): number {
    return this.#reading === undefined ? 0 : Math.max(0, this.#newest - this.#account.seq);
  }

  /**
   * Returns the state of the bot at a record of its journal; undefined if there is no journal, or the request was
   * cancelled.
   */
  async asOf(bot: ListedBot, seq: number, isWanted: () => boolean): Promise<PastSnapshot | undefined> {
    const reader = this.#reader;
    if (reader === undefined) return undefined;
    const account = new Account();
    for (const entry of reader.fromStart()) {
      if (entry.seq > seq) break;
      if (account.counts.records % SLICE === 0) {
        await this.#machine.pause();
        if (!isWanted()) return undefined;
      }
      account.apply(entry);
    }
    const lines = this.linesAfter(account.seq - PAST_LINES, PAST_LINES);
    return { ...this.#snapshotOf(account, bot, undefined, undefined), unread: 0, fault: null, lines };
  }

  /** Returns the number of the newest record at or before a market time; the first one if there is none. */
  seqAt(at: number): number {
    let [low, high] = [1, this.#account.seq];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const entry = this.#reader?.at([middle])[0];
      // Records that were archived are older than those of this file.
      if (entry === undefined || entry.event.at <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns records with a number above `seq`, as log lines. */
  linesAfter(seq: number, max: number): readonly LogLine[] {
    const newest = this.#account.seq;
    return (this.#reader?.after(seq, max) ?? []).filter((entry) => entry.seq <= newest).map(logLine);
  }

  /** Returns the history of one order by its id or the venue's; undefined if the journal has no such order. */
  why(orderName: string): Extract<Why, { kind: 'chain' }> | undefined {
    const intentId = this.#intents.get(orderName);
    if (intentId === undefined || this.#reader === undefined) return undefined;
    const own = this.#records.get(intentId) ?? [];
    const drafted = this.#reader.at(own.slice(0, 1))[0]?.event;
    const parent =
      drafted?.kind === 'intent-drafted' && drafted.link !== undefined
        ? (this.#records.get(drafted.link.algorithm) ?? [])
        : [];
    const why = whyOf(this.#reader.at([...new Set([...parent, ...own])]), intentId);
    return why.kind === 'chain' ? why : undefined;
  }

  get seq(): number {
    return this.#account.seq;
  }

  close(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }

  async #readAll(): Promise<void> {
    try {
      if (this.#reader?.isReplaced() === true) this.#restart();
      this.#reader ??= this.#open();
      for (let isMore = this.#reader !== undefined; isMore; ) {
        const entries = this.#reader?.next(SLICE) ?? [];
        for (const entry of entries) this.#take(entry);
        isMore = entries.length === SLICE;
        if (!isMore) break;
        this.#newest = this.#reader?.newest() ?? 0;
        this.#endWaiting();
        await this.#machine.pause();
      }
      this.#fault = undefined;
    } catch (error) {
      this.#fault = error instanceof Error ? error.message : String(error);
    } finally {
      this.#waiting.clear();
    }
  }

  /** Adds the bot's own points to the curve after all older ones were read: the curve must be ascending. */
  #addLivePoints(): void {
    if (this.unread > 0) return;
    for (const point of this.#livePoints) this.#account.addEquity(point);
    this.#livePoints = [];
  }

  /** Ends the calls whose slices were read. */
  #endWaiting(): void {
    for (const each of this.#waiting) {
      each.slices -= 1;
      if (each.slices > 0) continue;
      this.#waiting.delete(each);
      each.go();
    }
  }

  #restart(): void {
    this.close();
    this.#account = new Account();
    this.#livePoints = [];
    this.#records = new Map();
    this.#intents = new Map();
  }

  #take(entry: JournalEntry): void {
    const { seq, event } = entry;
    this.#account.apply(entry);
    if ('intentId' in event) {
      this.#index(event.intentId, seq);
      this.#intents.set(event.intentId, event.intentId);
      if (event.kind === 'submit-acked') this.#intents.set(event.orderId, event.intentId);
    }
    if (event.kind === 'algorithm-started') this.#index(event.algorithmId, seq);
  }

  #index(key: string, seq: number): void {
    const known = this.#records.get(key);
    if (known === undefined) this.#records.set(key, [seq]);
    else known.push(seq);
  }

  #snapshotOf(
    account: Account,
    bot: ListedBot,
    live: LiveStatus | undefined,
    killMark: string | undefined,
  ): Omit<BotSnapshot, 'fault' | 'unread'> {
    const { seq, at, currency, warning, counts, deniedByRule } = account;
    const journaled = statusOf(account.fold.state, at, account.known());
    const facts: StatusFacts =
      live ??
      ({
        ...journaled,
        gate:
          killMark === undefined || journaled.gate.state === 'killed'
            ? journaled.gate
            : standingOf(markedRestriction(killMark)),
        restrictions: byStrictness(withMarkedKill(journaled.restrictions, killMark)),
      } satisfies StatusFacts);
    const { gate, restrictions, haltedSymbols, openingStopped, positions, strategies } = facts;
    const { openOrders, unknownOrders, foreignOrders, flattening, lastMinute } = facts;
    const { name, state, since } = bot;
    const known = account.equity.at(-1);
    return {
      name,
      state,
      since,
      seq,
      at,
      gate,
      restrictions,
      haltedSymbols,
      openingStopped,
      positions,
      strategies,
      openOrders,
      unknownOrders,
      foreignOrders,
      flattening,
      lastMinute,
      strategy: live?.strategy ?? bot.strategy,
      config: live?.config ?? bot.config,
      mode: live?.mode ?? bot.mode,
      origin: live?.origin ?? bot.origin ?? null,
      currency: live?.currency ?? currency ?? null,
      equity: live === undefined ? (known?.[1] ?? null) : live.equity,
      equityAt: live === undefined ? (known?.[0] ?? null) : null,
      zone: zoneOf(live === undefined ? account.symbols : Object.keys(live.quoteAgesMs)),
      dayProfit: live?.dayProfit ?? null,
      marketTime: live?.marketTime ?? (at === 0 ? null : new Date(at).toISOString()),
      limits: live?.limits ?? [],
      quoteAgesMs: live?.quoteAgesMs ?? {},
      alarms: live?.alarms ?? [],
      levels: levelsOf(account),
      fills: account.fills.toReversed(),
      denials: account.denials.toReversed(),
      flow: {
        ...counts,
        deniedByRule: Object.fromEntries(deniedByRule),
        newest: { ...account.newest },
        deniedAt: Object.fromEntries(account.deniedAt),
      },
      equityCurve: account.equity.slice(),
      warning: warning ?? null,
    };
  }
}
