import { firstValueFrom } from 'rxjs';
import { intentIdMint } from '../../execution/orders/intent-ids.ts';
import { marketRecord, orderMarketsText } from '../../markets/market-records.ts';
import type { OrderDetail, OrderId, OrderTerms } from '../../model/order.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { ChangeAnswer, SubmitAnswer } from '../../ports/broker.ts';
import { orderTermsError } from '../../wire/order-terms-error.ts';
import { makeTag, remarkFor, tagOfRemark, unsendableCharacter } from '../../wire/tag.ts';
import { systemRandom } from '../clock/system-random.ts';
import { type ApiWhere, MANUAL_DEPLOYMENT, type OpenedApi } from './open-api.ts';

/** Returns the first character of a remark that cannot be sent unchanged; undefined if all can. */
export const unsendableIn = unsendableCharacter;

/** The user's permission for manual orders with real money. */
export interface OrderPermit {
  readonly live: boolean;
  /** Number of the account for which it is meant. */
  readonly account: string | undefined;
}

/**
 * Returns the permission that an order at a venue lacks, or undefined. A loopback venue needs none, any other needs
 * both.
 */
export function missingPermit(
  { isLoopback, venue }: ApiWhere,
  { live, account }: OrderPermit,
): string | undefined {
  if (isLoopback || (live && account !== undefined)) return undefined;
  const missing = [live ? '' : '"--live"', account === undefined ? '"--account <id>"' : ''];
  const words = missing.filter((word) => word !== '').join(' and ');
  return `Cannot change orders at ${venue}: that is not this machine, so real money may be at stake. Nothing was sent.\n  Add ${words} to confirm`;
}

/**
 * Returns why an order in a symbol is not sent to a broker with real accounts, or undefined. A loopback venue accepts
 * orders for every market that it quotes.
 */
export function undocumentedMarket(
  { isLoopback, venue }: ApiWhere,
  symbol: SecuritySymbol,
): string | undefined {
  const market = marketOf(symbol);
  if (isLoopback || marketRecord(market)?.takesOrders === true) return undefined;
  return `Cannot send an order in ${symbol} to ${venue}: the broker documents orders for ${orderMarketsText()} only, not for "${market}". Nothing was sent`;
}

/** Account number of a venue that does not state one. */
const NO_ACCOUNT = '0';

/** True if the credentials open the given account, or none was given. Uses the quote socket. */
export async function opensAccount(
  opened: Pick<OpenedApi, 'accountId'>,
  { account }: OrderPermit,
): Promise<boolean> {
  if (account === undefined) return true;
  const venueAccount = await opened.accountId();
  return venueAccount !== NO_ACCOUNT && venueAccount === account;
}

/** Returns why no venue accepts these terms, in the wire's words; undefined if they are consistent. */
export function contradictionIn(terms: OrderTerms): string | undefined {
  return orderTermsError(terms);
}

/** The result of a manual order, and its tag, by which it can be found. */
export interface ManualOrderSubmitted {
  readonly answer: SubmitAnswer;
  readonly tag: string;
}

/** Sends an order once. `words` follow the tag in its remark, as many as fit. */
export async function submitManualOrder(
  { api }: OpenedApi,
  { terms, words }: { readonly terms: OrderTerms; readonly words: string },
): Promise<ManualOrderSubmitted> {
  const tag = makeTag({ deployment: MANUAL_DEPLOYMENT, intentId: intentIdMint(systemRandom)() });
  const remark = remarkFor(tag, words);
  return { tag, answer: await firstValueFrom(api.http.submitOrder({ terms, remark })) };
}

/** The figures of an order that can be amended; absent ones are unchanged. */
export type OrderFigures = Partial<
  Pick<
    OrderTerms,
    | 'quantity'
    | 'price'
    | 'triggerPrice'
    | 'limitOffset'
    | 'trailingAmount'
    | 'trailingPercent'
    | 'limitDepthLevel'
    | 'monitorPrice'
    | 'triggerCount'
  >
>;

/** The terms after a replace. */
export function replacedTerms({ terms }: OrderDetail, figures: OrderFigures): OrderTerms {
  return { ...terms, ...figures };
}

/** Replaces the figures of a working order. Sends its remark as well, because a venue clears an absent one. */
export function replaceManualOrder(
  { api }: OpenedApi,
  order: OrderDetail,
  figures: OrderFigures,
): Promise<ChangeAnswer> {
  const { symbol, side, type, timeInForce, expireDate, outsideRth, ...kept } = replacedTerms(order, figures);
  const remark = order.remark === '' ? {} : { remark: order.remark };
  return firstValueFrom(api.http.replaceOrder({ orderId: order.orderId, ...kept, ...remark }));
}

/** Requests the cancel of an order, once. */
export function cancelManualOrder({ api }: OpenedApi, orderId: OrderId): Promise<ChangeAnswer> {
  return firstValueFrom(api.http.cancelOrder({ orderId }));
}

/** The installation that placed an order: the four characters in its tag; undefined for a foreign one. */
export function deploymentOf({ remark }: Pick<OrderDetail, 'remark'>): string | undefined {
  return tagOfRemark(remark)?.deployment;
}
