import {
  cancelManualOrder,
  contradictionIn,
  missingPermit,
  type OrderFigures,
  opensAccount,
  replacedTerms,
  replaceManualOrder,
  submitManualOrder,
  undocumentedMarket,
  unsendableIn,
} from '../../app/broker/manual-orders.ts';
import type { ApiWhere } from '../../app/broker/open-api.ts';
import type { Decimal } from '../../model/decimal.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { OrderDetail, OrderId, OrderTerms } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { unreachable } from '../../model/unreachable.ts';
import { interruptible } from '../bots/interruption.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import type { BrokerFlags } from '../options/broker-options.ts';
import { orderJson, orderText, submittedText, termsText } from '../output/tables-orders.ts';
import { UsageError } from '../usage-error.ts';
import { type BrokerSession, withSession } from './broker-session.ts';

/** Flags that permit real money. */
export interface PermitFlags {
  readonly live?: boolean;
  readonly account?: string;
}

/** The figures of an order, as typed. */
export interface FigureFlags {
  readonly quantity?: Decimal;
  readonly price?: Decimal;
  readonly triggerPrice?: Decimal;
  readonly limitOffset?: Decimal;
  readonly trailingAmount?: Decimal;
  readonly trailingPercent?: Decimal;
  readonly limitDepthLevel?: number;
  readonly monitorPrice?: Decimal;
  readonly triggerCount?: number;
}

/** The parsed flags of `sluice order submit`. */
export interface SubmitFlags
  extends BrokerFlags,
    PermitFlags,
    FigureFlags,
    Pick<OrderTerms, 'side' | 'type' | 'timeInForce' | 'expireDate' | 'outsideRth'> {
  readonly quantity: Decimal;
  readonly remark?: string;
}

type ChangeFlags = BrokerFlags & PermitFlags;

/** Sends one order once and reports what is proved about it. */
export function submitOrder(
  symbol: SecuritySymbol,
  flags: SubmitFlags,
  context: CommandContext,
): Promise<void> {
  const { side, type, quantity, timeInForce, expireDate, outsideRth, remark: words = '' } = flags;
  const terms: OrderTerms = {
    symbol,
    side,
    type,
    timeInForce,
    ...figuresOf(flags),
    quantity,
    ...omitUndefined({ expireDate, outsideRth }),
  };
  return changing(
    flags,
    context,
    (where) => {
      checkRemark(words);
      checkTerms(terms);
      const undocumented = undocumentedMarket(where, symbol);
      if (undocumented !== undefined) throw new UsageError(undocumented);
    },
    async (session) => {
      printAction(context, `About to ${termsText(terms)}`, session, flags);
      const submitted = await submitManualOrder(session, { terms, words });
      session.print({
        json: () => ({ ...submitted.answer, tag: submitted.tag }),
        text: () => submittedText(submitted),
      });
      if (submitted.answer.kind !== 'accepted') context.exit(EXIT.broker);
    },
  );
}

/** Refuses a remark that would not arrive exactly as written. */
function checkRemark(words: string): void {
  const strange = unsendableIn(words);
  if (strange === undefined) return;
  throw new UsageError(
    `Cannot send the remark ${JSON.stringify(words)}: a remark takes printable ASCII (letters, digits, punctuation), and ${JSON.stringify(strange)} is none. Nothing was sent`,
  );
}

/** Changes the figures of a working order. */
export function replaceOrder(
  id: OrderId,
  flags: ChangeFlags & FigureFlags,
  context: CommandContext,
): Promise<void> {
  const figures = figuresOf(flags);
  return changing(
    flags,
    context,
    () => checkFigures(figures),
    async (session) => {
      const order = await orderOf(session, id);
      const terms = replacedTerms(order, figures);
      checkTerms(terms);
      printAction(context, `About to replace order ${id}: ${termsText(terms)}`, session, flags);
      printChange('replaced', id, await replaceManualOrder(session, order, figures), session, context);
    },
  );
}

/** Requests the cancel of an order. */
export function cancelOrder(id: OrderId, flags: ChangeFlags, context: CommandContext): Promise<void> {
  return changing(
    flags,
    context,
    () => undefined,
    async (session) => {
      printAction(context, `About to cancel order ${id}`, session, flags);
      printChange('cancelled', id, await cancelManualOrder(session, id), session, context);
    },
  );
}

/** Shows one order. */
export function showOrder(id: OrderId, flags: BrokerFlags, context: CommandContext): Promise<void> {
  return withSession(flags, context, { needs: 'http' }, async (session) => {
    const order = await orderOf(session, id);
    session.print({ json: () => orderJson(order), text: () => orderText(order) });
  });
}

/**
 * Opens a session that may change orders: on this machine, or elsewhere with both permits; and only for the named
 * account. The first Ctrl-C waits for the answer, because an order that was sent cannot be recalled.
 */
function changing(
  flags: ChangeFlags,
  context: CommandContext,
  checkWords: (where: ApiWhere) => void,
  work: (session: BrokerSession) => Promise<void>,
): Promise<void> {
  const permit = { live: flags.live === true, account: flags.account };
  const needs = permit.account === undefined ? 'http' : 'quotes';
  const check = (where: ApiWhere): void => {
    checkWords(where);
    const missing = missingPermit(where, permit);
    if (missing !== undefined) throw new UsageError(missing);
  };
  return interruptible(() =>
    withSession(flags, context, { needs, paperOnly: !permit.live, check }, async (session) => {
      if (!(await opensAccount(session, permit))) {
        throw new UsageError(
          `Cannot change orders at ${session.venue}: these credentials belong to another account than the one named with "--account". Nothing was sent.\n  Check which account the access token belongs to`,
        );
      }
      await work(session);
    }),
  );
}

function orderOf({ api, ask }: BrokerSession, id: OrderId): Promise<OrderDetail> {
  return ask(`read order ${id}`, api.http.orderDetail({ orderId: id }));
}

function printAction(
  { terminal }: CommandContext,
  action: string,
  { venue }: BrokerSession,
  { live }: PermitFlags,
): void {
  terminal.err(`${action}; at ${venue}${live === true ? ', LIVE' : ', on paper'}\n`);
}

type Changed = Awaited<ReturnType<typeof cancelManualOrder>>;

function printChange(
  done: 'replaced' | 'cancelled',
  id: OrderId,
  answer: Changed,
  session: BrokerSession,
  { exit }: CommandContext,
): void {
  session.print({ json: () => ({ ...answer, orderId: id }), text: () => changeText(done, id, answer) });
  if (answer.kind !== 'accepted') exit(EXIT.broker);
}

function changeText(done: string, id: OrderId, answer: Changed): string {
  const look = `See with "sluice order show ${id}"`;
  switch (answer.kind) {
    case 'accepted':
      return `Asked for order ${id} to be ${done}: the venue took it, which does not yet mean done\n  ${look}\n`;
    case 'refused':
      return `Refused by the venue: ${answer.code}, ${answer.message}\n  Order ${id} was not ${done}\n`;
    case 'not-sent':
      return `Not sent: ${answer.message}\n  Nothing left this machine, order ${id} was not ${done}\n`;
    case 'unknown':
      return `Unknown whether order ${id} will be ${done}: ${answer.message}\n  It is not asked again. ${look}\n`;
    default:
      return unreachable(answer);
  }
}

function figuresOf(flags: FigureFlags): OrderFigures {
  const { quantity, price, triggerPrice, limitOffset, trailingAmount, trailingPercent } = flags;
  const { limitDepthLevel, monitorPrice, triggerCount } = flags;
  return omitUndefined({
    quantity,
    price,
    triggerPrice,
    limitOffset,
    trailingAmount,
    trailingPercent,
    limitDepthLevel,
    monitorPrice,
    triggerCount,
  });
}

function checkFigures(figures: OrderFigures): void {
  if (Object.keys(figures).length > 0) return;
  throw new UsageError(
    'Cannot replace the order: no figure was named. Say --quantity, --price or another one',
  );
}

/** Translates the wire's field names in errors to flags. */
function checkTerms(terms: OrderTerms): void {
  const contradiction = contradictionIn(terms);
  if (contradiction === undefined) return;
  const asFlags = contradiction
    .replace('submitted_price', 'price')
    .replaceAll(/\b[a-z]+(?:_[a-z]+)+\b|^price\b/g, (name) => `--${name.replaceAll('_', '-')}`);
  throw new UsageError(`Cannot send this order: ${asFlags}. Nothing was sent`);
}
