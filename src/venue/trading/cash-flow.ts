import { type CashPosting, MOVE_NAMES } from '../../model/cash-posting.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import { OPTION_MULTIPLIER, parseOptionSymbol, unitValue } from '../../model/option-symbol.ts';
import type { Execution, OrderDetail } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, SECOND_MS } from '../../model/time.ts';
import type { SimulatedAccount } from '../../simulation/simulation.ts';
import type { RequestOf } from '../../wire/endpoints.ts';
import { writeMoney } from '../../wire/mapper/values.ts';

const CASH = 1;
const STOCK = 2;
const OUT = 1;
const IN = 2;

interface Movement {
  readonly name: string;
  readonly amount: Decimal;
  readonly currency: Currency;
  readonly at: Millis;
  readonly symbol: SecuritySymbol | undefined;
  readonly business: typeof CASH | typeof STOCK;
}

/**
 * Lists cash movements caused by trading, oldest first: one row per execution, one per order with its charges so far,
 * dated with its latest change, and interest as booked. Opening deposits are not listed.
 * @see docs/wire-protocol.md, "Calls"
 */
export function cashFlowOf(
  account: SimulatedAccount,
  query: RequestOf<'cashFlow'>,
  nameOf: (symbol: SecuritySymbol) => string,
) {
  const orders = [...account.ordersBefore(), ...account.ordersToday()];
  const details = new Map(orders.map((order) => [order.orderId, account.order(order.orderId) ?? order]));
  const executions = [...account.executionsBefore(), ...account.executionsToday()];
  const paid = executions.flatMap((execution) => paymentOf(execution, details.get(execution.orderId)));
  const charged = [...details.values()].flatMap(chargesOf);
  return [...paid, ...charged, ...account.cashPostings(query.from).map(movementWithoutOrder)]
    .filter(({ business }) => query.businessType === undefined || business === query.businessType)
    .filter((movement) => movement.at >= query.from && movement.at <= query.to)
    .filter((movement) => query.symbol === undefined || movement.symbol === query.symbol)
    .toSorted((one, other) => one.at - other.at)
    .map((movement) => ({
      transaction_flow_name: movement.name,
      direction: movement.amount.isNegative() ? OUT : IN,
      business_type: movement.business,
      balance: writeMoney(movement.amount),
      currency: movement.currency,
      business_time: String(Math.floor(movement.at / SECOND_MS)),
      symbol: movement.symbol ?? '',
      description: movement.symbol === undefined ? '' : nameOf(movement.symbol),
    }));
}

function paymentOf(execution: Execution, order: OrderDetail | undefined): readonly Movement[] {
  if (order === undefined) return [];
  const notional = unitValue(contractOf(execution.symbol), execution.price).times(execution.quantity);
  const buys = execution.side === 'buy';
  return [
    {
      name: buys ? 'BuyContract-Stocks' : 'SellContract-Stocks',
      amount: buys ? notional.neg() : notional,
      currency: order.currency,
      at: execution.time,
      symbol: execution.symbol,
      business: STOCK,
    },
  ];
}

function contractOf(symbol: SecuritySymbol): { readonly multiplier?: number } {
  return parseOptionSymbol(symbol) === undefined ? {} : { multiplier: OPTION_MULTIPLIER };
}

function chargesOf(order: OrderDetail): readonly Movement[] {
  const byCurrency = new Map<Currency, Decimal>();
  for (const charge of order.charges ?? []) {
    byCurrency.set(charge.currency, (byCurrency.get(charge.currency) ?? ZERO).minus(charge.amount));
  }
  return [...byCurrency]
    .filter(([, amount]) => !amount.isZero())
    .map(([currency, amount]) => {
      return {
        name: 'Fee-Stocks',
        amount,
        currency,
        at: order.updatedAt,
        symbol: order.terms.symbol,
        business: STOCK,
      };
    });
}

function movementWithoutOrder({ kind, amount, currency, at, symbol }: CashPosting): Movement {
  return { name: MOVE_NAMES[kind], amount, currency, at, symbol, business: CASH };
}
