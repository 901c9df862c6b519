import { deploymentOf, type ManualOrderSubmitted } from '../../app/broker/manual-orders.ts';
import type { OrderDetail, OrderTerms } from '../../model/order.ts';
import type { Millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import { moneyText } from '../../reports/format.ts';
import { jsonTime } from './json-line.ts';
import { facts, figure, sharesText, table, timeText } from './tables.ts';

/** Orders, our own and foreign ones separately. */
export function ordersText(orders: readonly OrderDetail[]): string {
  const ours = orders.filter((order) => deploymentOf(order) !== undefined);
  const foreign = orders.filter((order) => deploymentOf(order) === undefined);
  return `${part('Ours, by their tag', ours)}\n${part('Foreign', foreign)}`;
}

function part(title: string, orders: readonly OrderDetail[]): string {
  if (orders.length === 0) return `${title}: none\n`;
  const columns = [
    { head: 'order' },
    { head: 'side' },
    { head: 'symbol' },
    { head: 'filled', align: 'right' },
    { head: 'type' },
    { head: 'price', align: 'right' },
    { head: 'status' },
    { head: 'by', flexible: true },
  ] as const;
  const rows = orders.map((order) => [
    order.orderId,
    order.terms.side,
    order.terms.symbol,
    `${order.executedQuantity.toFixed()}/${order.terms.quantity.toFixed()}`,
    order.terms.type,
    figure(order.terms.price),
    statusText(order),
    deploymentOf(order) ?? order.remark,
  ]);
  return `${title}: ${orders.length}\n${table(columns, rows)}`;
}

/** The venue's status without its ending; an unknown one as received. */
function statusText({ status, rawStatus }: OrderDetail): string {
  return status === 'unrecognised' ? `${rawStatus}?` : status.replace(/Status$/, '');
}

/** One order with all details from the venue. */
export function orderText(order: OrderDetail): string {
  const { terms, charges } = order;
  const fees = charges?.map(
    (charge) => [`  ${charge.name}`, moneyText(charge.amount, charge.currency)] as const,
  );
  return facts([
    ['Order', order.orderId],
    ['Placed by', deploymentOf(order) ?? 'another client'],
    ['Terms', termsText(terms)],
    ['Status', statusText(order)],
    ['Filled', `${sharesText(order.executedQuantity)} at ${figure(order.executedPrice)}`],
    ['Submitted', utc(order.submittedAt)],
    ['Updated', utc(order.updatedAt)],
    ...(order.triggerAt === undefined ? [] : [['Triggered', utc(order.triggerAt)] as const]),
    ...(order.message === '' ? [] : [['Message', order.message] as const]),
    ...(order.remark === '' ? [] : [['Remark', order.remark] as const]),
    ...(fees === undefined || fees.length === 0 ? [] : [['Charges', ''] as const, ...fees]),
  ]);
}

function utc(at: Millis): string {
  return `${timeText(at)} UTC`;
}

const FIGURES = [
  ['triggerPrice', 'trigger'],
  ['limitOffset', 'limit offset'],
  ['trailingAmount', 'trailing by'],
  ['trailingPercent', 'trailing by percent'],
  ['limitDepthLevel', 'depth level'],
  ['monitorPrice', 'monitored from'],
  ['triggerCount', 'trigger count'],
] as const;

/** Formats an order's terms as one line: `buy 100 700.HK LO at 412.4, day`. */
export function termsText(terms: OrderTerms): string {
  const price = terms.price === undefined ? '' : ` at ${terms.price.toFixed()}`;
  const until = terms.expireDate === undefined ? '' : ` until ${terms.expireDate}`;
  const more = FIGURES.flatMap(([field, name]) => {
    const value = terms[field];
    return value === undefined ? [] : [`${name} ${typeof value === 'number' ? value : value.toFixed()}`];
  });
  const session = terms.outsideRth === undefined ? [] : [terms.outsideRth];
  const head = `${terms.side} ${terms.quantity.toFixed()} ${terms.symbol} ${terms.type}${price}`;
  return [head, ...more, `${terms.timeInForce}${until}`, ...session].join(', ');
}

/** An order for programs; figures are texts, times ISO. */
export function orderJson(order: OrderDetail) {
  const { terms } = order;
  return {
    orderId: order.orderId,
    ours: deploymentOf(order) !== undefined,
    deployment: deploymentOf(order) ?? null,
    ...terms,
    status: order.status,
    rawStatus: order.rawStatus,
    executedQuantity: order.executedQuantity,
    executedPrice: order.executedPrice ?? null,
    currency: order.currency,
    submittedAt: jsonTime(order.submittedAt),
    updatedAt: jsonTime(order.updatedAt),
    triggerAt: jsonTime(order.triggerAt),
    message: order.message,
    remark: order.remark,
    charges: order.charges ?? null,
  };
}

/** Result of a submit, by what is proved. */
export function submittedText({ answer, tag }: ManualOrderSubmitted): string {
  switch (answer.kind) {
    case 'accepted':
      return `Accepted: order ${answer.orderId}\n  See how it goes with "sluice order show ${answer.orderId}"\n`;
    case 'refused':
      return `Refused by the venue: ${answer.code}, ${answer.message}\n  No order came of it\n`;
    case 'not-sent':
      return `Not sent: ${answer.message}\n  Nothing left this machine, no order came of it\n`;
    case 'unknown':
      return `Unknown whether the venue has the order: ${answer.message}\n  It is not sent again. Look with "sluice orders" for the remark ${tag} before you do\n`;
    default:
      return unreachable(answer);
  }
}
