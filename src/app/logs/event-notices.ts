import type { BotState } from '../../events/bot-state.ts';
import type { IntentDenied, IntentDrafted, OrderFilled, SluiceEvent } from '../../events/event.ts';
import type { Holding, Portfolio } from '../../events/portfolio.ts';
import { unfinishedOrders } from '../../execution/reconciliation/final-reconciliation.ts';
import { joinDenials, joinFills } from '../../hosts/notifier/notice-queue.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { DenialsNotice, FillNotice, FillsNotice, Notice } from '../../model/notice.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { contractSize } from '../../model/option-symbol.ts';
import type { IntentId } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { millis } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';

/** Turns events of a run into notices. */
export interface EventNotices {
  /** Takes an event that was folded into `state`. */
  event(event: SluiceEvent, state: BotState): void;
  /** Sends the fills and denials that wait. */
  flush(): void;
  /** Sends what waits, and the end of the run if it ended. */
  close(): void;
}

export interface EventNoticesOptions {
  /** Machine time. */
  readonly clock: Clock;
  readonly symbols: readonly SecuritySymbol[];
  readonly send: (notice: Notice) => void;
  /** Removes secrets from texts of plugins and the venue. */
  readonly redact: (text: string) => string;
}

/**
 * Times for which fills and denials are collected into one notice, in machine milliseconds. Chats accept about 20
 * messages a minute.
 */
const FILLS_MS = 5_000;
const DENIALS_MS = 60_000;
/** Most orders whose reasons are remembered for their fills. */
const REASONS_MAX = 10_000;

const NO_FILLS: FillsNotice = { fills: [], more: 0 };
const NO_DENIALS: DenialsNotice = { denials: [], more: 0 };

/** Positions before the newest event: fills change them, and the profit of a fill needs its cost. */
type Before = Pick<BotState, 'portfolio'> & { readonly books: ReadonlyMap<string, Portfolio> };

export function createEventNotices(options: EventNoticesOptions): EventNotices {
  const { clock, symbols, send, redact } = options;
  const reasons = new Map<IntentId, string>();
  let before: Before | undefined;
  let gate: BotState['gate']['standing'] | undefined;
  let fills = NO_FILLS;
  let denials = NO_DENIALS;
  let stop: Notice | undefined;
  const pending = new Set<Cancel>();

  /** Calls `action` after a while, unless that is cancelled. */
  function later(ms: number, action: () => void): void {
    const cancel = clock.at(millis(clock.now() + ms), 'timer', () => {
      pending.delete(cancel);
      action();
    });
    pending.add(cancel);
  }

  function sendFills(): void {
    if (fills.fills.length > 0) send({ kind: 'fills', notice: fills });
    fills = NO_FILLS;
  }

  function sendDenials(): void {
    if (denials.denials.length > 0) send({ kind: 'denials', notice: denials });
    denials = NO_DENIALS;
  }

  function remember({ intentId, reason }: IntentDrafted): void {
    const [oldest] = reasons.size < REASONS_MAX ? [] : reasons.keys();
    if (oldest !== undefined) reasons.delete(oldest);
    reasons.set(intentId, reason);
  }

  function onFill({ intentId, fill }: OrderFilled, state: BotState): void {
    if (fills.fills.length === 0) later(FILLS_MS, sendFills);
    const strategy = state.order(intentId)?.strategy;
    const reason = redact(reasons.get(intentId) ?? '');
    const held = holdingOf(before, strategy, fill.symbol);
    fills = joinFills(fills, {
      fills: [{ ...fillNotice(fill, held, reason), ...omitUndefined({ strategy }) }],
      more: 0,
    });
  }

  function onDenial({ at, intentId, rule, reason }: IntentDenied, state: BotState): void {
    const symbol = state.order(intentId)?.terms.symbol;
    if (symbol === undefined) return;
    if (denials.denials.length === 0) later(DENIALS_MS, sendDenials);
    const denial = { at, rule, symbol, reason: redact(reason), count: 1 };
    denials = joinDenials(denials, { denials: [denial], more: 0 });
  }

  function onGate(at: SluiceEvent['at'], next: BotState['gate']['standing']): void {
    const last = gate ?? next;
    const isSame = last.state === next.state && last.rule === next.rule && last.reason === next.reason;
    if (isSame) return;
    // In the order in which it happened: what was filled, then the change.
    sendFills();
    const { state, by, rule, reason } = next;
    send({ kind: 'gate', notice: { at, before: last.state, state, by, rule, reason: redact(reason) } });
  }

  function event(event: SluiceEvent, state: BotState): void {
    switch (event.kind) {
      case 'intent-drafted':
        remember(event);
        break;
      case 'intent-denied':
        onDenial(event, state);
        break;
      case 'order-filled':
        onFill(event, state);
        break;
      case 'gate-moved':
        onGate(event.at, state.gate.standing);
        break;
      case 'run-started': {
        const equity = event.equity?.toDecimalPlaces(2);
        const gateState = state.gate.standing.state;
        send({
          kind: 'start',
          notice: { at: event.at, symbols, gate: gateState, ...omitUndefined({ equity }) },
        });
        break;
      }
      case 'run-ended': {
        const openOrders = unfinishedOrders(state).live;
        const { at, reason } = event;
        const message = reason === 'failed' ? redact(event.message) : '';
        const gateState = state.gate.standing.state;
        stop = { kind: 'stop', notice: { at, reason, message, openOrders, gate: gateState } };
        break;
      }
    }
    gate = state.gate.standing;
    before = {
      portfolio: state.portfolio,
      books: state.books.size === 0 ? EMPTY_PORTFOLIO : new Map(state.books),
    };
  }

  function flush(): void {
    for (const cancel of pending) cancel();
    pending.clear();
    sendFills();
    sendDenials();
  }

  return {
    event,
    flush,
    close() {
      flush();
      if (stop !== undefined) send(stop);
      stop = undefined;
    },
  };
}

const EMPTY_PORTFOLIO: Before['books'] = new Map();

/** The position before a fill: of the strategy, where a bot has several. */
function holdingOf(
  before: Before | undefined,
  strategy: string | undefined,
  symbol: SecuritySymbol,
): Holding | undefined {
  const portfolio = strategy === undefined ? before?.portfolio : before?.books.get(strategy);
  return portfolio?.holdings.get(symbol);
}

function fillNotice(fill: Fill, held: Holding | undefined, reason: string): FillNotice {
  const { time, symbol, side, quantity, price, currency, orderId, intentId } = fill;
  const signed = side === 'buy' ? quantity : quantity.neg();
  const owned = held?.quantity ?? ZERO;
  const closes = !owned.isZero() && owned.isNegative() !== signed.isNegative();
  const closed = closes ? Decimal.min(owned.abs(), quantity) : ZERO;
  const facts = { at: time, symbol, side, quantity, price, currency, orderId, intentId, reason };
  const position = { position: owned.plus(signed), closed };
  const cost = held?.averageCost;
  if (!closes || cost === undefined) return { ...facts, ...position };
  const gain = owned.isNegative() ? cost.minus(price) : price.minus(cost);
  const profit = gain.times(closed).times(contractSize(symbol));
  return { ...facts, ...position, profit, profitShare: gain.div(cost).toNumber() };
}
