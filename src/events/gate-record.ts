import type { Decimal } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import { GATE_AT_START, type GateStanding, type Resumed } from '../model/gate.ts';
import type { OrderTerms } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { DAY_MS, HOUR_MS, type Millis } from '../model/time.ts';
import type { SluiceEvent } from './event.ts';
import type { OperatorCommanded } from './operator-events.ts';

/** An order that passed the gate, and when. */
export interface RecentOrder {
  readonly at: Millis;
  readonly terms: OrderTerms;
  /** Which of several strategies wanted it; absent: the bot's one. */
  readonly strategy?: string;
}

/** An order that the gate denied, by which rule, and when. */
export interface RecentDenial {
  readonly at: Millis;
  readonly rule: string;
}

/** A fill, and when it was booked. */
export interface RecentFill {
  readonly at: Millis;
  readonly fill: Fill;
}

/** Why nothing is opened in a symbol, and since when. */
export interface SymbolHalt {
  readonly at: Millis;
  readonly rule: string;
  readonly reason: string;
}

/** Who said that nothing is opened for now, and why. */
export interface OpeningStopped {
  readonly at: Millis;
  readonly by: string;
  readonly reason: string;
}

/** What the gate has to remember beyond orders and positions; folded like everything else, so it survives a restart. */
export interface GateRecord {
  readonly standing: GateStanding;
  /** Orders that passed within the last hour, oldest first, the newest `RECENT_MAX` at most. */
  readonly orders: readonly RecentOrder[];
  /** Orders denied within the last hour, oldest first, the newest `RECENT_MAX` at most. */
  readonly denials: readonly RecentDenial[];
  /** Fills booked within the last two days, oldest first. */
  readonly fills: readonly RecentFill[];
  /** Highest equity at which an order was judged, in the account's currency; undefined before anybody knew one. */
  readonly peakEquity: Decimal | undefined;
  /** The operator's last resume; undefined before the first. */
  readonly resumed: Resumed | undefined;
  /** Symbols in which nothing is opened until an operator resumes. */
  readonly haltedSymbols: ReadonlyMap<SecuritySymbol, SymbolHalt>;
  /** Set outside the hours of a schedule; the gate's own standing is another matter. */
  readonly openingStopped: OpeningStopped | undefined;
}

/** Most orders and most denials remembered: no limit counts further. */
export const RECENT_MAX = 1_000;

/** How long orders and denials are remembered: no limit looks further back. */
const RECENT_MS = HOUR_MS;

/** How long fills are remembered: longer than any exchange's day lasts, wherever it began. */
const FILLS_MS = 2 * DAY_MS;

/** What the gate remembers of an order. */
interface GatedOrder {
  readonly terms: OrderTerms;
  readonly strategy?: string | undefined;
}

/** The fold's part for the gate: the record, and how an event goes into it. */
export interface GateFold {
  readonly record: GateRecord;
  /** Folds an event in; `order` is the one that it is about. */
  apply(event: SluiceEvent, order: GatedOrder | undefined): void;
}

/** Starts with an open gate that has seen nothing. */
export function createGateFold(): GateFold {
  const orders: RecentOrder[] = [];
  const denials: RecentDenial[] = [];
  const fills: RecentFill[] = [];
  const haltedSymbols = new Map<SecuritySymbol, SymbolHalt>();
  const record: { -readonly [K in keyof GateRecord]: GateRecord[K] } = {
    standing: GATE_AT_START,
    orders,
    denials,
    fills,
    peakEquity: undefined,
    resumed: undefined,
    haltedSymbols,
    openingStopped: undefined,
  };

  function apply(event: SluiceEvent, order: GatedOrder | undefined): void {
    const { at } = event;
    switch (event.kind) {
      case 'run-started':
        if (event.equity !== undefined) rise(event.equity);
        return;
      case 'equity-peaked':
        rise(event.equity);
        return;
      case 'intent-armed':
        if (order !== undefined) remember(orders, passed(at, order), RECENT_MS, RECENT_MAX);
        return;
      case 'intent-denied':
        remember(denials, { at, rule: event.rule }, RECENT_MS, RECENT_MAX);
        return;
      case 'order-filled':
        remember(fills, { at, fill: event.fill }, FILLS_MS, Number.POSITIVE_INFINITY);
        return;
      case 'gate-moved': {
        const { state, by, rule, reason, equity } = event;
        record.standing = { state, by, rule, reason, since: at };
        if (state === 'active' && by === 'operator') resume(at, equity);
        return;
      }
      case 'symbol-halted':
        haltedSymbols.set(event.symbol, { at, rule: event.rule, reason: event.reason });
        return;
      case 'operator-commanded':
        if (event.taken) command(event);
        return;
      default:
    }
  }

  function command({ command: name, at, by, reason }: OperatorCommanded): void {
    if (name === 'stop-opening') record.openingStopped = { at, by, reason };
    else if (name === 'start-opening') record.openingStopped = undefined;
    else if (name === 'resume') haltedSymbols.clear();
  }

  function rise(equity: Decimal): void {
    if (record.peakEquity === undefined || equity.gt(record.peakEquity)) record.peakEquity = equity;
  }

  /** Whoever resumes has seen what was lost: it trips nothing a second time. */
  function resume(at: Millis, equity: Decimal | undefined): void {
    record.resumed = { at, equity };
    record.peakEquity = equity;
    denials.length = 0;
  }

  return { record, apply };
}

function passed(at: Millis, { terms, strategy }: GatedOrder): RecentOrder {
  return strategy === undefined ? { at, terms } : { at, terms, strategy };
}

function remember<T extends { readonly at: Millis }>(
  kept: T[],
  entry: T,
  keptMs: number,
  keptMax: number,
): void {
  kept.push(entry);
  const old = kept.findIndex(({ at }) => at > entry.at - keptMs);
  const tooMany = Math.max(old, kept.length - keptMax);
  if (tooMany > 0) kept.splice(0, tooMany);
}
