import type { TrackedOrder } from '../../events/bot-state.ts';
import { ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import type { IntentId, OrderId } from '../../model/order.ts';
import { isLive, openRest } from '../../model/order-state.ts';
import type { Broker } from '../../ports/broker.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OperatorCommand, OperatorRequest, SettledOutcome } from '../../ports/operator.ts';
import { awaitAnswer, awaitAnswers, type Task, type TaskFactory } from '../../ports/task.ts';
import { type OrderUpdate, orderUpdate } from '../orders/order-update.ts';
import { cashOf } from '../reconciliation/account-differences.ts';
import type { Recorder } from '../recorder.ts';

/** Result of a settlement: the news to publish, or why it was refused. */
export type SettlementResult =
  | { readonly kind: 'settled'; readonly apply: TaskFactory<OrderUpdate> }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Settles an unknown order by an operator's statement; a later read of the venue that contradicts it is a divergence
 * (T-55).
 */
export interface ManualSettlement {
  /** Ends one of our orders with the outcome that the operator states. */
  order(
    request: OperatorRequest,
    command: Extract<OperatorCommand, { kind: 'settle' }>,
  ): Task<never, SettlementResult>;
  /** Replaces our cash and positions by the venue's. */
  books(request: OperatorRequest): Task<never, SettlementResult>;
}

interface ManualSettlementParts {
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly currency: Currency;
  /** Currency in which a symbol trades; undefined for a symbol that the bot does not trade. */
  readonly currencyOf: (symbol: OrderUpdate['symbol']) => Currency | undefined;
  /** Links one of our orders to its id at the venue, and reads it. */
  readonly adopt: (intentId: IntentId, orderId: OrderId) => Task<OrderUpdate>;
}

/** Creates the manual settlement; each record names the person who settled the order, and the reason. */
export function createManualSettlement(parts: ManualSettlementParts): ManualSettlement {
  const { broker, recorder, clock } = parts;
  const { state } = recorder;

  function order(
    { by, reason }: OperatorRequest,
    { intentId, outcome }: Extract<OperatorCommand, { kind: 'settle' }>,
  ): SettlementResult {
    const known = state.order(intentId);
    if (known === undefined) return refused(`Cannot settle "${intentId}": no order of this bot has that id`);
    const { facets, terms } = known;
    if (!isLive(facets)) return refused(`Cannot settle "${intentId}": it is over already`);
    if (outcome.kind === 'order') return refused(`Cannot settle "${intentId}": it has an id already`);
    const quantity = outcome.kind === 'filled' ? outcome.quantity : ZERO;
    const rest = openRest(facets);
    if (outcome.kind === 'filled' && (!quantity.gt(0) || quantity.gt(rest)))
      return refused(`Cannot settle "${intentId}" as ${quantity} filled: ${rest} of it are still open`);
    if (reason.trim() === '') return refused(`Cannot settle "${intentId}" without a reason`);
    const mistake = outcome.kind === 'filled' ? implausibilityOf(outcome, known) : undefined;
    if (mistake !== undefined) return refused(`Cannot settle "${intentId}" as filled: ${mistake}`);
    const at = clock.now();
    const traded = parts.currencyOf(terms.symbol) ?? state.portfolio.holdings.get(terms.symbol)?.currency;
    if (traded === undefined && outcome.kind === 'filled')
      return refused(
        `Cannot settle "${intentId}" as filled: the currency of ${terms.symbol} is not known, as the config does not name it; name it under "symbols" and start the bot again`,
      );
    // An order that ended without a fill moves no money.
    const currency = traded ?? parts.currency;
    const price = outcome.kind === 'filled' ? { price: outcome.price } : {};
    const stamp = { kind: 'order-settled' as const, at, intentId, outcome: outcome.kind, quantity, currency };
    return {
      kind: 'settled',
      *apply() {
        recorder.record({ ...stamp, ...price, by, reason });
        const finalState = outcome.kind === 'filled' ? 'filled' : 'canceled';
        yield orderUpdate(known, {
          outcome: finalState,
          why: `settled by ${by}: ${reason}`,
          time: clock.now(),
        });
      },
    };
  }

  /**
   * Links an unknown order to an order that a person found at the venue. Refuses unless the order read there has the
   * same symbol, side and quantity, and no other tag.
   */
  function* adoptFound(intentId: IntentId, orderId: OrderId): Task<never, SettlementResult> {
    const known = state.order(intentId);
    const { kind } = known?.facets.submission ?? {};
    const what = `Cannot settle "${intentId}" as order "${orderId}"`;
    if (known === undefined || (kind !== 'unknown' && kind !== 'abandoned'))
      return refused(`${what}: no order of this bot with that id is unknown`);
    const holder = state.intentOf(orderId);
    if (holder !== undefined) return refused(`${what}: that is "${holder}" already`);
    const answer = yield* awaitAnswer(broker.orderDetail(orderId));
    if (answer.kind !== 'ok') return refused(`${what}: the venue does not state it (${answer.message})`);
    const { terms, intentId: tagged } = answer.value;
    const { symbol, side, quantity } = known.terms;
    const isTagged = tagged === undefined || tagged === intentId;
    if (terms.symbol === symbol && terms.side === side && terms.quantity.eq(quantity) && isTagged)
      return { kind: 'settled', apply: () => parts.adopt(intentId, orderId) };
    return refused(
      `Cannot settle "${intentId}" (${side} ${quantity} ${symbol}) as order "${orderId}": that is ${terms.side} ${terms.quantity} ${terms.symbol}${isTagged ? '' : `, tagged "${tagged}"`}`,
    );
  }

  function* books({ by, reason }: OperatorRequest): Task<never, SettlementResult> {
    if (reason.trim() === '') return refused('Cannot adopt the books of the venue without a reason');
    const [balance, positions] = yield* awaitAnswers(broker.balance(parts.currency), broker.positions());
    if (balance.kind !== 'ok' || positions.kind !== 'ok')
      return refused('Cannot adopt the books of the venue: it did not answer; try again');
    const adopted = { cash: cashOf(balance.value), positions: positions.value, by, reason };
    return {
      kind: 'settled',
      // biome-ignore lint/correctness/useYield: the books are no news of an order
      *apply() {
        recorder.record({ kind: 'books-adopted', at: clock.now(), ...adopted });
      },
    };
  }

  function* settleOrder(
    request: OperatorRequest,
    command: Extract<OperatorCommand, { kind: 'settle' }>,
  ): Task<never, SettlementResult> {
    const { intentId, outcome } = command;
    return outcome.kind === 'order' && state.order(intentId)?.facets.submission.kind !== 'acked'
      ? yield* adoptFound(intentId, outcome.orderId)
      : order(request, command);
  }

  return { order: settleOrder, books };
}

/**
 * Returns why the stated fill is impossible, for example because quantity and price were exchanged; otherwise
 * undefined.
 */
function implausibilityOf(
  { quantity, price }: Extract<SettledOutcome, { kind: 'filled' }>,
  { terms, replacing }: TrackedOrder,
): string | undefined {
  if (!price.gt(0)) return `its price is ${price}, want one above zero`;
  if (terms.quantity.isInteger() && !quantity.isInteger())
    return `${quantity} is no whole number of shares, and ${terms.quantity} were ordered; want quantity, then price`;
  const { side, price: limit } = terms;
  if (limit === undefined || replacing !== undefined) return undefined;
  const isWorse = side === 'buy' ? price.gt(limit) : price.lt(limit);
  return isWorse ? `${price} is worse than its limit of ${limit}; want quantity, then price` : undefined;
}

function refused(message: string): SettlementResult {
  return { kind: 'refused', message };
}
