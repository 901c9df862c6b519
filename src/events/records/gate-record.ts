import { type AlgorithmId, type ExitOf, exitOf, type OrderLink, sliceOf } from '../../model/algorithm.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { BookedFill, Fill } from '../../model/fill.ts';
import {
  causeOf,
  GATE_AT_START,
  type GateStanding,
  isScheduleCause,
  isStricter,
  type Restriction,
  type Resumed,
  restrictionKey,
  scheduleCause,
  standingOf,
  strictestOf,
} from '../../model/gate.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { IntentId, OrderTerms } from '../../model/order.ts';
import { isTooManyCalls } from '../../model/order-state.ts';
import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { DAY_MS, HOUR_MS, type Millis } from '../../model/time.ts';
import type { GateMoved, IntentArmed, OperatorCommanded, SluiceEvent } from '../event.ts';
import { splitIn } from './split-record.ts';
import { type ClosedParts, sharedFee } from './strategy-books.ts';

/** An order that passed the gate. */
interface RecentOrder {
  readonly at: Millis;
  readonly intentId: IntentId;
  readonly terms: OrderTerms;
  /** Name of the strategy; absent in a bot with one. */
  readonly strategy?: string;
  /** The algorithm whose slice it is; absent for other orders. */
  readonly sliceOf?: AlgorithmId;
  /** Absent if it is not an exit of a bracket. */
  readonly exitOf?: ExitOf;
  /** True if it never reached the venue: it was not sent, or the venue counted too many calls. */
  readonly isUnsent?: true;
}

/** An order that the gate denied, and the rule. */
interface RecentDenial {
  readonly at: Millis;
  readonly rule: string;
  /** The algorithm whose slice was denied; absent for other orders. */
  readonly sliceOf?: AlgorithmId;
}

/** A booked fill with all its charges, late ones included; `at` is when it was booked. */
export interface RecentFill {
  readonly at: Millis;
  readonly fill: Fill | BookedFill;
  /**
   * What it closed of the strategies' positions; absent for fills of a strategy's order, and if it closed nothing.
   */
  readonly closed?: ClosedParts;
  /** New shares per share of the fill, by splits booked after it; absent without one. */
  readonly split?: Decimal;
}

/** A booked dividend on a position, after withholding tax; `at` is when it was booked. */
interface RecentDividend {
  readonly at: Millis;
  readonly symbol: SecuritySymbol;
  readonly amount: Decimal;
  /** Parts of several strategies by name; absent in a bot with one. */
  readonly byStrategy?: ReadonlyMap<string, Decimal>;
}

/** State of the gate in addition to orders and positions. It is folded from events, so it survives a restart. */
export interface GateRecord {
  /** All active restrictions, by `restrictionKey`. */
  readonly restrictions: ReadonlyMap<string, Restriction>;
  /** The strictest restriction of the account; without one, what made the gate active. */
  readonly standing: GateStanding;
  /** Orders that passed within the last hour, oldest first, at most the newest `RECENT_MAX`. */
  readonly orders: readonly RecentOrder[];
  /** Orders denied within the last hour, oldest first, at most the newest `RECENT_MAX`. */
  readonly denials: readonly RecentDenial[];
  /** Fills booked within the last two days, oldest first. */
  readonly fills: readonly RecentFill[];
  /** Fills of external orders, and of orders that an operator settled, within the same period. */
  readonly otherFills: readonly RecentFill[];
  /**
   * Dividends booked within the last two days, oldest first. They are part of their day's profit, because the price
   * falls by them.
   */
  readonly dividends: readonly RecentDividend[];
  /** Highest equity at which an order was checked, in the account's currency; undefined before the first. */
  readonly peakEquity: Decimal | undefined;
  /** The operator's last resume; undefined before the first. */
  readonly resumed: Resumed | undefined;
}

/** Returns the symbols in which opening is stopped until an operator resumes, each with its first restriction. */
export function haltedSymbols({
  restrictions,
}: Pick<GateRecord, 'restrictions'>): ReadonlyMap<SecuritySymbol, Restriction> {
  const halted = new Map<SecuritySymbol, Restriction>();
  for (const each of restrictions.values())
    if (each.symbol !== undefined && !halted.has(each.symbol)) halted.set(each.symbol, each);
  return halted;
}

/** Returns why opening is stopped in a market outside the hours of a schedule; undefined within them. */
export function openingStopped(
  { restrictions }: Pick<GateRecord, 'restrictions'>,
  market: Market,
): string | undefined {
  return (restrictions.get(scheduleCause()) ?? restrictions.get(scheduleCause(market)))?.reason;
}

/** Most orders and most denials to keep; no limit counts more. */
export const RECENT_MAX = 1_000;

/** How long orders and denials are kept; no limit looks further back. */
const RECENT_MS = HOUR_MS;

/** How long fills and dividends are kept: longer than any exchange's day, in any time zone. */
const FILLS_MS = 2 * DAY_MS;

/** The fields of an order that the gate records. */
interface GatedOrder {
  readonly terms: OrderTerms;
  readonly strategy?: string | undefined;
  readonly link?: OrderLink | undefined;
}

/** Creates the fold of the gate, which starts active. */
export function createGateFold() {
  const orders: RecentOrder[] = [];
  const denials: RecentDenial[] = [];
  const fills: RecentFill[] = [];
  const otherFills: RecentFill[] = [];
  const dividends: RecentDividend[] = [];
  const restrictions = new Map<string, Restriction>();
  const record: { -readonly [K in keyof GateRecord]: GateRecord[K] } = {
    restrictions,
    standing: GATE_AT_START,
    orders,
    denials,
    fills,
    otherFills,
    dividends,
    peakEquity: undefined,
    resumed: undefined,
  };

  /**
   * Folds an event in; `order` is its order, `closed` what its fill closed of the strategies' positions, and `shares`
   * what each strategy receives of its dividend.
   */
  function apply(
    event: SluiceEvent,
    order: GatedOrder | undefined,
    closed?: ClosedParts,
    shares?: ReadonlyMap<string, Decimal>,
  ): void {
    const { at } = event;
    switch (event.kind) {
      case 'run-started':
        if (event.equity !== undefined) raisePeak(event.equity);
        return;
      case 'equity-peaked':
        raisePeak(event.equity);
        return;
      case 'intent-armed':
        if (order !== undefined) appendRecent(orders, recentOrder(event, order), RECENT_MS, RECENT_MAX);
        return;
      case 'submit-not-sent':
        markUnsent(event.intentId);
        return;
      case 'submit-refused':
        if (isTooManyCalls(event.code)) markUnsent(event.intentId);
        return;
      case 'intent-denied':
        appendRecent(denials, recentDenial(at, event.rule, order), RECENT_MS, RECENT_MAX);
        return;
      case 'order-filled':
        appendRecent(
          fills,
          { at, fill: event.fill, ...omitUndefined({ closed }) },
          FILLS_MS,
          Number.POSITIVE_INFINITY,
        );
        return;
      case 'foreign-filled':
        recordOtherFill(at, event.fill, closed);
        return;
      case 'corporate-action': {
        const { symbol, amount, action } = event;
        const split = splitIn(event);
        if (split !== undefined)
          for (const list of [fills, otherFills]) splitFills(list, symbol, split.ratio);
        if (action !== 'dividend') return;
        const dividend = { at, symbol, amount, ...omitUndefined({ byStrategy: shares }) };
        appendRecent(dividends, dividend, FILLS_MS, Number.POSITIVE_INFINITY);
        return;
      }
      case 'order-charged':
        for (const list of [fills, otherFills])
          addCharge(list, ({ fill }) => 'intentId' in fill && fill.intentId === event.intentId, event.fee);
        return;
      case 'foreign-charged':
        addCharge(otherFills, ({ fill }) => fill.orderId === event.orderId, event.fee);
        return;
      case 'gate-moved':
        applyGateMoved(event);
        return;
      case 'symbol-halted': {
        const { symbol, rule, reason } = event;
        addRestriction({ cause: rule, symbol, state: 'reduce-only', by: 'gate', rule, reason, since: at });
        return;
      }
      case 'operator-commanded':
        if (event.taken) applyCommand(event);
        return;
      default:
    }
  }

  function markUnsent(intentId: IntentId): void {
    const place = orders.findLastIndex((order) => order.intentId === intentId);
    const order = orders[place];
    if (order !== undefined) orders[place] = { ...order, isUnsent: true };
  }

  /** Records a fill of an external order, or of one that an operator settled. */
  function recordOtherFill(at: Millis, fill: RecentFill['fill'], closed: ClosedParts | undefined): void {
    appendRecent(otherFills, { at, fill, ...omitUndefined({ closed }) }, FILLS_MS, Number.POSITIVE_INFINITY);
  }

  /**
   * Changes what an external fill closed of the strategies' positions. Modifies the entry in place, because incremental
   * sums depend on its identity.
   */
  function updateClosed(of: RecentFill, closed: ClosedParts): void {
    Object.assign(of, { closed });
  }

  function applyCommand({ command: name, at, by, reason, symbols }: OperatorCommanded): void {
    if (name === 'stop-opening')
      for (const market of marketsOf(symbols))
        addRestriction({
          cause: scheduleCause(market),
          state: 'reduce-only',
          by: 'operator',
          rule: name,
          reason: `${reason} (${by})`,
          since: at,
        });
    else if (name === 'start-opening') startOpening(symbols);
    else if (name === 'resume')
      for (const [key, { symbol }] of restrictions) if (symbol !== undefined) restrictions.delete(key);
  }

  /** Ends the closed hours of markets, and those of the whole bot, which earlier versions recorded. */
  function startOpening(symbols: readonly SecuritySymbol[] | undefined): void {
    for (const [key, { cause }] of restrictions)
      if (symbols === undefined ? isScheduleCause(cause) : cause === scheduleCause())
        restrictions.delete(key);
    for (const market of marketsOf(symbols)) restrictions.delete(scheduleCause(market));
  }

  /** Adds a restriction; one with the same cause remains unless the new one is stricter. */
  function addRestriction(restriction: Restriction): void {
    const key = restrictionKey(restriction);
    const known = restrictions.get(key);
    if (known === undefined || isStricter(restriction.state, known.state)) restrictions.set(key, restriction);
  }

  function applyGateMoved(event: GateMoved): void {
    const { at: since, state, by, rule, reason, equity, ends } = event;
    if (state !== 'active') addRestriction({ cause: causeOf(event), state, by, rule, reason, since });
    else if (ends !== undefined) for (const key of ends) restrictions.delete(key);
    else
      for (const [key, { cause, symbol }] of restrictions)
        if (symbol === undefined && !isScheduleCause(cause)) restrictions.delete(key);
    const strictest = strictestOf(restrictions.values());
    if (strictest !== undefined) record.standing = standingOf(strictest);
    else if (state === 'active') record.standing = { state, by, rule, reason, since };
    if (state === 'active' && by === 'operator') recordResume(since, equity);
  }

  function raisePeak(equity: Decimal): void {
    if (record.peakEquity === undefined || equity.gt(record.peakEquity)) record.peakEquity = equity;
  }

  /** Records a resume. It acknowledges the loss, so that the same loss does not restrict the gate again. */
  function recordResume(at: Millis, equity: Decimal | undefined): void {
    record.resumed = { at, equity };
    record.peakEquity = equity;
    denials.length = 0;
  }

  return { record, apply, recordOtherFill, updateClosed };
}

/** Returns the markets of symbols; undefined means all. */
function marketsOf(symbols: readonly SecuritySymbol[] | undefined): ReadonlySet<Market | undefined> {
  return symbols === undefined ? new Set([undefined]) : new Set(symbols.map(marketOf));
}

function recentOrder({ at, intentId }: IntentArmed, { terms, strategy, link }: GatedOrder): RecentOrder {
  return {
    at,
    intentId,
    terms,
    ...omitUndefined({ strategy, sliceOf: sliceOf(link), exitOf: exitOf(link) }),
  };
}

function recentDenial(at: Millis, rule: string, order: GatedOrder | undefined): RecentDenial {
  const slice = sliceOf(order?.link);
  return slice === undefined ? { at, rule } : { at, rule, sliceOf: slice };
}

/**
 * Adds a late charge to the newest fill of its order, and to what the fills closed of the strategies' positions. Also
 * replaces the last entry of the list, so that incremental sums start again.
 */
function addCharge(list: RecentFill[], isOf: (recent: RecentFill) => boolean, fee: Decimal): void {
  const change = (
    matches: (recent: RecentFill) => boolean,
    changed: (recent: RecentFill) => RecentFill,
  ): void => {
    const place = list.findLastIndex(matches);
    const recent = list[place];
    if (recent !== undefined) list[place] = changed(recent);
  };
  const own = list.filter(isOf);
  if (own.length === 0) return;
  change(isOf, (recent) => ({ ...recent, fill: { ...recent.fill, fee: recent.fill.fee.plus(fee) } }));
  for (const [strategy, share] of sharedFee(fee, own))
    change(
      (recent) => isOf(recent) && recent.closed?.has(strategy) === true,
      (recent) => ({ ...recent, closed: withFee(recent.closed, strategy, share) }),
    );
  change(
    () => true,
    (recent) => ({ ...recent }),
  );
}

/** Records a split with the fills of its symbol. Replaces the last entry, so that incremental sums start again. */
function splitFills(list: RecentFill[], symbol: SecuritySymbol, ratio: Decimal): void {
  for (const [place, recent] of list.entries())
    if (recent.fill.symbol === symbol) list[place] = { ...recent, split: ratio.times(recent.split ?? 1) };
    else if (place === list.length - 1) list[place] = { ...recent };
}

function withFee(closed: ClosedParts | undefined, strategy: string, fee: Decimal): ClosedParts {
  return new Map(
    [...(closed ?? [])].map(([name, part]) => [
      name,
      name === strategy ? { ...part, fee: part.fee.plus(fee) } : part,
    ]),
  );
}

function appendRecent<T extends { readonly at: Millis }>(
  entries: T[],
  entry: T,
  keptMs: number,
  keptMax: number,
): void {
  entries.push(entry);
  const old = entries.findIndex(({ at }) => at > entry.at - keptMs);
  const tooMany = Math.max(old, entries.length - keptMax);
  if (tooMany > 0) entries.splice(0, tooMany);
}
