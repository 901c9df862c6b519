import type { BotState, TrackedOrder } from '../events/bot-state.ts';
import { foreignRest, isForeignLive } from '../events/records/foreign-record.ts';
import { haltedSymbols } from '../events/records/gate-record.ts';
import { Decimal } from '../model/decimal.ts';
import { byStrictness, type GateStanding, isScheduleCause, type Restriction } from '../model/gate.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import { facetsText } from '../model/order-facets.ts';
import { isLive, openRest } from '../model/order-state.ts';
import { plural } from '../model/plural.ts';
import { MINUTE_MS, type Millis } from '../model/time.ts';
import { stampText } from './format.ts';
import { termsText } from './terms-text.ts';

/** An open order for display; quantities are texts. */
export interface OrderStatus {
  readonly intentId: string;
  readonly orderId: string | undefined;
  /** The strategy that owns it; absent in a bot with one. */
  readonly strategy?: string;
  readonly terms: string;
  /** Progress of its submit, and its status at the venue. */
  readonly state: string;
  readonly open: string;
  readonly decidedAt: string;
}

/** One of several strategies, with facts from the caller. */
export interface KnownStrategy {
  readonly name: string;
  readonly quarantined: boolean;
  /** In the account's currency; undefined if it is not computed. */
  readonly earned?: number | undefined;
}

/** State of one of several strategies. */
export interface StrategyStatus {
  readonly name: string;
  readonly state: 'at work' | 'quarantined';
  readonly positions: readonly { readonly symbol: string; readonly quantity: string }[];
  readonly openOrders: number;
  /** Since its books were opened, in the account's currency; null if not known. */
  readonly earned: number | null;
}

/** State of a bot as plain data, printed by `sluice status`. */
export interface StatusFacts {
  readonly gate: GateStanding;
  /** Every cause that restricts the gate, the strictest first; for one symbol or all. */
  readonly restrictions: readonly Restriction[];
  readonly haltedSymbols: readonly { readonly symbol: string; readonly reason: string }[];
  readonly openingStopped: string | undefined;
  readonly positions: readonly {
    readonly symbol: string;
    readonly quantity: string;
    /** Average per share; null if not known. */
    readonly cost: string | null;
  }[];
  /** Each of several strategies; empty in a bot with one. */
  readonly strategies: readonly StrategyStatus[];
  readonly openOrders: readonly OrderStatus[];
  /** Open orders whose outcome at the venue is unknown. */
  readonly unknownOrders: readonly OrderStatus[];
  readonly foreignOrders: readonly {
    readonly orderId: string;
    readonly terms: string;
    readonly open: string;
  }[];
  /** Symbols whose positions a kill or a flatten is closing. */
  readonly flattening: readonly { readonly symbol: string }[];
  readonly lastMinute: { readonly orders: number; readonly denials: number };
}

/** Returns a bot's state at a market time; `known` are its several strategies. */
export function statusOf(state: BotState, now: Millis, known: readonly KnownStrategy[] = []): StatusFacts {
  const { gate, portfolio } = state;
  const live = [...state.live.values()].filter(({ facets }) => isLive(facets)).map(orderStatus);
  const young = ({ at }: { readonly at: Millis }) => at > now - MINUTE_MS;
  return {
    gate: gate.standing,
    restrictions: byStrictness([...gate.restrictions.values()]),
    haltedSymbols: [...haltedSymbols(gate)].map(([symbol, { reason }]) => ({ symbol, reason })),
    openingStopped: closedHoursText(gate),
    positions: [...portfolio.holdings]
      .filter(([, { quantity }]) => !quantity.isZero())
      .map(([symbol, { quantity, averageCost }]) => ({
        symbol,
        quantity: quantity.toString(),
        cost: averageCost?.toFixed() ?? null,
      })),
    strategies: known.map((each) => strategyStatus(state, each, live)),
    openOrders: live,
    unknownOrders: live.filter(({ state: how }) => how === 'unknown' || how === 'abandoned'),
    foreignOrders: [...state.foreign.orders.values()].filter(isForeignLive).map((order) => ({
      orderId: order.orderId,
      terms: termsText(order.terms),
      open: foreignRest(order).toString(),
    })),
    flattening: [...state.flattening.keys()].map((symbol) => ({ symbol })),
    lastMinute: {
      orders: gate.orders.filter(young).length,
      denials: gate.denials.filter(young).length,
    },
  };
}

/**
 * Explains that nothing opens outside the hours of a schedule, in one or several markets; undefined within all hours.
 */
function closedHoursText({ restrictions }: BotState['gate']): string | undefined {
  const reasons = [...restrictions.values()].flatMap(({ cause, reason }) =>
    isScheduleCause(cause) ? [reason] : [],
  );
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

function strategyStatus(
  { books }: BotState,
  { name, quarantined, earned }: KnownStrategy,
  live: readonly OrderStatus[],
): StrategyStatus {
  const holdings = [...(books.get(name)?.holdings ?? [])];
  return {
    name,
    state: quarantined ? 'quarantined' : 'at work',
    positions: holdings
      .filter(([, { quantity }]) => !quantity.isZero())
      .map(([symbol, { quantity }]) => ({ symbol, quantity: quantity.toString() })),
    openOrders: live.filter(({ strategy }) => strategy === name).length,
    earned: earned === undefined || !Number.isFinite(earned) ? null : earned,
  };
}

function strategyText({ name, state, positions, openOrders, earned }: StrategyStatus): string {
  const held = positions.map(({ symbol, quantity }) => `${quantity} ${symbol}`).join(', ');
  const made = earned === null ? [] : [`earned ${earned.toFixed(2)}`];
  const orders = `${plural(openOrders, 'order')} open`;
  return [`${name}: ${state}`, `holds ${held === '' ? 'nothing' : held}`, orders, ...made].join(', ');
}

function orderStatus({ intentId, terms, facets, decidedAt, strategy }: TrackedOrder): OrderStatus {
  const { submission } = facets;
  return {
    intentId,
    ...omitUndefined({ strategy }),
    orderId: submission.kind === 'acked' ? submission.orderId : undefined,
    terms: termsText(terms),
    state: facetsText(facets),
    open: openRest(facets).toString(),
    decidedAt: stampText(decidedAt),
  };
}

/** The gate's state as one line. */
export function gateText({ state, by, rule, reason, since }: GateStanding): string {
  if (since === 0 && state === 'active') return state;
  return `${state} by ${by}${sinceText(since)} (${rule}${reason === '' ? '' : `: ${reason}`})`;
}

/** One cause that restricts the gate, as one line. */
export function restrictionText({ state, symbol, by, rule, reason, since }: Restriction): string {
  const where = symbol === undefined ? '' : ` in ${symbol}`;
  return `${state}${where} by ${by}${sinceText(since)} (${rule}${reason === '' ? '' : `: ${reason}`})`;
}

/** Empty for a kill file, which has no time. */
function sinceText(since: Millis): string {
  return since === 0 ? '' : ` since ${stampText(since)}`;
}

/** Formats status facts as lines. */
export function statusText(facts: StatusFacts): string {
  const { gate, restrictions, lastMinute } = facts;
  const causes = restrictions.map(restrictionText);
  return [
    `gate       ${gateText(gate)}`,
    // The gate's line shows the strictest cause of the account; the others follow, including those of single symbols.
    ...(causes.length === 0 || (causes.length === 1 && causes[0] === gateText(gate))
      ? []
      : listed('causes', causes, (text) => text)),
    ...(facts.strategies.length === 0 ? [] : listed('strategies', facts.strategies, strategyText)),
    ...listed('positions', facts.positions, ({ symbol, quantity, cost }) =>
      cost === null
        ? `${quantity} ${symbol}, cost not known`
        : `${quantity} ${symbol} at ${roundedText(cost)}`,
    ),
    ...(facts.flattening.length === 0
      ? []
      : [`flatten    under way: closes ${facts.flattening.map(({ symbol }) => symbol).join(', ')}`]),
    ...listed('orders', facts.openOrders, orderText),
    ...listed('foreign', facts.foreignOrders, ({ orderId, terms }) => `${orderId}: ${terms}`),
    `last min   ${plural(lastMinute.orders, 'order')} passed, ${lastMinute.denials} denied`,
    '',
  ].join('\n');
}

/** Rounds an average cost to six places; a quotient may have thirty. */
function roundedText(cost: string): string {
  return new Decimal(cost).toDecimalPlaces(6).toString();
}

/** Formats an open order as one line. */
export function orderText({
  intentId,
  orderId,
  strategy,
  terms,
  state,
  open,
  decidedAt,
}: OrderStatus): string {
  const id = orderId === undefined ? intentId : `${intentId} (order ${orderId})`;
  const ownerText = strategy === undefined ? '' : ` of "${strategy}"`;
  return `${id}${ownerText}: ${terms}; ${state}, ${open} open, decided ${decidedAt}`;
}

function listed<T>(name: string, rows: readonly T[], text: (row: T) => string): readonly string[] {
  const label = name.padEnd(10);
  if (rows.length === 0) return [`${label} none`];
  return rows.map((row, index) => `${index === 0 ? label : ' '.repeat(10)} ${text(row)}`);
}
