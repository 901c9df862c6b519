import { compare, formatAmount, isPositive, subtract, toAmount } from '../../model/amount.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import { fundingProblem } from '../buying-power/funds-check.ts';
import { reservePriceOf } from '../buying-power/reserving.ts';
import type { VenueContext } from '../matching/venue-context.ts';
import { replacedTerms } from '../orders/order-rules.ts';
import { addHistory, restOf, setTerms, type VenueOrder, workingStatus } from '../orders/venue-order.ts';
import type { Replacement } from '../simulation.ts';
import type { VenueTask } from './venue-task.ts';

/** Refusal of a replacement whose price and quantity count shares before a split. */
const CHANGED_BY_SPLIT = 'Not replaced: the order was changed on the way, by a split';

export class OrderReplacement {
  readonly #context: VenueContext;

  constructor(context: VenueContext) {
    this.#context = context;
  }

  /** Replaces the order's terms if they are valid and covered; returns true if the order must be queued again. */
  replace({ order, replacement, termsAtRequest, sent }: Extract<VenueTask, { kind: 'replace' }>): boolean {
    const { replay, lifecycle } = this.#context;
    order.isReplacePending = false;
    order.updatedAt = replay.now();
    const problem = order.terms === termsAtRequest ? this.#problem(order, replacement) : CHANGED_BY_SPLIT;
    order.message = problem ?? '';
    if (order.stage === 'working') order.status = workingStatus(order);
    if (problem === undefined) {
      order.sent = sent;
      this.#applyTerms(order, replacement);
    } else lifecycle.emitStatus(order);
    return problem === undefined;
  }

  #problem(order: VenueOrder, replacement: Replacement): string | undefined {
    const { replay, models, lifecycle } = this.#context;
    const { executed, security } = order;
    const rest = subtract(toAmount(replacement.quantity), executed);
    if (!isPositive(rest))
      return `Not replaced: ${formatAmount(executed)} are executed, the new quantity is ${replacement.quantity}`;
    const terms = replacedTerms(order, replacement);
    // A sell of no more shares than before needs no check: the shares that it would release may already be committed to
    // another order.
    if (terms.side === 'sell' && compare(rest, restOf(order)) <= 0) return undefined;
    const price = reservePriceOf(terms, replay.lastAmount(terms.symbol), models.margin);
    const wanted = { security, terms, quantity: rest, price, at: replay.now(), except: order };
    return fundingProblem(wanted, lifecycle.accountOf(order).funding);
  }

  #applyTerms(order: VenueOrder, replacement: Replacement): void {
    const { replay, models, lifecycle } = this.#context;
    const { symbol } = order.terms;
    setTerms(order, replacedTerms(order, replacement));
    order.remark = replacement.remark ?? order.remark;
    const price = reservePriceOf(order.terms, replay.lastAmount(symbol), models.margin);
    const reserved = order.releasedPrice === undefined ? price : toAmount(order.releasedPrice);
    order.reservePrice = reserved === undefined ? undefined : unitAmount(order.security, reserved);
    lifecycle.reserve(order);
    addHistory(order, order.updatedAt, { status: 'ReplacedStatus' });
    if (order.stage !== 'armed') order.status = workingStatus(order);
    lifecycle.emitStatus(order);
  }
}
