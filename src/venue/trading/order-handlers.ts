import { isTerminalStatus } from '../../model/order.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Acceptance } from '../../simulation/simulation.ts';
import type { RequestOf } from '../../wire/endpoints.ts';
import { writeBuyLimit } from '../../wire/mapper/account.ts';
import { writeOrderDetail } from '../../wire/mapper/order.ts';
import { defined } from '../../wire/schemas/parameter-fields.ts';
import { type AccountAccess, accessMarket } from '../access/account-access.ts';
import { type Call, type CallResult, type Handler, ok, refused } from '../calls/call.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import type { OrderFactsBook } from './order-facts.ts';

export interface OrderHandlerParts {
  readonly facts: OrderFactsBook;
  readonly machine: Pick<Clock, 'now'>;
  readonly keys: IdempotencyKeys;
  readonly accountAccess: Pick<AccountAccess, 'mayTrade'>;
}

const NOT_FOUND = 603001;
const BAD_PARAMETERS = 602001;

export function orderHandlers({ facts, machine, keys, accountAccess }: OrderHandlerParts) {
  const barred = (accountId: string, symbol: SecuritySymbol | undefined): CallResult | undefined =>
    symbol === undefined || accountAccess.mayTrade(accountId, symbol)
      ? undefined
      : refused(
          BAD_PARAMETERS,
          `User authentication failed: trading of "${accessMarket(symbol)}" is not enabled`,
        );

  const submitOrder: Handler<'submitOrder'> = (request, { account, isKeyless = false }) =>
    keys.submitOnce(
      { accountId: account.id, id: isKeyless ? undefined : request.clientRequestId },
      machine.now(),
      () => {
        const bar = barred(account.id, request.terms.symbol);
        if (bar !== undefined) return bar;
        const submission = account.submit(request.terms, request.remark);
        if (submission.kind === 'refused') return refused(submission.code, submission.message);
        return ok({ order_id: submission.orderId });
      },
    );

  const orderDetail: Handler<'orderDetail'> = ({ orderId, isAttached }, { account, language }) => {
    const detail = isAttached === true ? undefined : account.order(orderId);
    if (detail === undefined) return refused(NOT_FOUND, `Order not found: "${orderId}"`);
    const history = account.history(orderId);
    return ok(writeOrderDetail(detail, { ...facts.of(detail, language), history }));
  };

  const cancelOrder: Handler<'cancelOrder'> = ({ orderId, isAttached }, { account }) =>
    isAttached === true
      ? refused(NOT_FOUND, `Order not found: "${orderId}" is no attached order, the venue has none`)
      : outcomeOf(account.cancel(orderId));

  const replaceOrder: Handler<'replaceOrder'> = (request, call) =>
    barred(call.account.id, call.account.order(request.orderId)?.terms.symbol) ?? replaced(request, call);

  return { submitOrder, orderDetail, cancelOrder, replaceOrder, buyLimit };
}

/** Fields that a replace cannot change at this venue, with their names on the wire. */
const FIXED_FIELDS = {
  limitDepthLevel: 'limit_depth_level',
  monitorPrice: 'monitor_price',
  triggerCount: 'trigger_count',
} as const;

const replaced = (request: RequestOf<'replaceOrder'>, { account }: Call): CallResult => {
  const terms = account.order(request.orderId)?.terms;
  for (const field of Object.keys(FIXED_FIELDS) as (keyof typeof FIXED_FIELDS)[]) {
    const wanted = request[field];
    if (wanted === undefined || terms === undefined || String(terms[field] ?? 0) === String(wanted)) continue;
    const held = terms[field] ?? 'none';
    const message = `${FIXED_FIELDS[field]}: cannot be changed by a replace here, the order has ${held}`;
    return refused(BAD_PARAMETERS, message);
  }
  const { orderId, quantity, price, triggerPrice, limitOffset, trailingAmount, trailingPercent, remark } =
    request;
  const replacement = { price, triggerPrice, limitOffset, trailingAmount, trailingPercent, remark };
  return outcomeOf(account.replace(orderId, { quantity, ...defined(replacement) }));
};

const buyLimit = (request: RequestOf<'buyLimit'>, { account }: Call): CallResult => {
  const { symbol, type, side, price, currency, orderId } = request;
  const refusal = replacedRefusal(request, account) ?? currencyRefusal(currency, account);
  if (refusal !== undefined) return refusal;
  const limit = account.buyLimit({ symbol, type, side, ...defined({ price, replaces: orderId }) });
  if (limit !== undefined) return ok(writeBuyLimit(limit));
  return refused(BAD_PARAMETERS, `symbol: "${symbol}" is not listed here, in market ${marketOf(symbol)}`);
};

/** Returns a refusal unless an estimate for a replacement concerns an open order of the same security and side. */
function replacedRefusal(
  { orderId, symbol, side }: RequestOf<'buyLimit'>,
  account: Call['account'],
): CallResult | undefined {
  if (orderId === undefined) return undefined;
  const order = account.order(orderId);
  if (order === undefined) return refused(NOT_FOUND, `Order not found: "${orderId}"`);
  const { terms, status } = order;
  if (terms.symbol === symbol && terms.side === side && !isTerminalStatus(status)) return undefined;
  const found = `${terms.side} of ${terms.symbol}, ${status}`;
  return refused(BAD_PARAMETERS, `order_id: want an open ${side} of ${symbol}, saw a ${found}`);
}

/**
 * Returns a refusal for a currency without a rate; other currencies are ignored, as orders settle in their security's
 * currency.
 */
function currencyRefusal(currency: string | undefined, account: Call['account']): CallResult | undefined {
  try {
    if (currency !== undefined) account.balance(currency);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return refused(BAD_PARAMETERS, `currency: ${error.message}`);
    throw error;
  }
}

function outcomeOf(acceptance: Acceptance): CallResult {
  return acceptance.kind === 'accepted' ? ok({}) : refused(acceptance.code, acceptance.message);
}
