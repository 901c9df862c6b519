import { dayOf, tradingDayOf } from '../../markets/sessions.ts';
import type { Price } from '../../model/decimal.ts';
import {
  type Execution,
  isTerminalStatus,
  type OrderDetail,
  type OrderId,
  type OrderTerms,
} from '../../model/order.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { addDays, type CalendarDay } from '../../model/time.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { OrderFacts } from '../../wire/mapper/order.ts';
import type { TriggerStatus } from '../../wire/order-enums.ts';
import { type Language, nameIn } from '../calls/language.ts';

/** Maximum life of an order without an expiry. @see ADR 0019 */
const GTC_DAYS = 90;

const CONDITIONAL: ReadonlySet<OrderTerms['type']> = new Set(['LIT', 'MIT', 'TSLPAMT', 'TSLPPCT']);

/** Order fields on the wire that the model lacks: names, last fill, trigger status, last day. */
export class OrderFactsBook {
  readonly #simulation: Pick<Simulation, 'security'>;
  readonly #lastFills = new Map<OrderId, Price>();

  constructor(simulation: Pick<Simulation, 'security'>) {
    this.#simulation = simulation;
  }

  record(execution: Execution): void {
    this.#lastFills.set(execution.orderId, execution.price);
  }

  clear(): void {
    this.#lastFills.clear();
  }

  of(detail: OrderDetail, language: Language): OrderFacts {
    return {
      stockName: this.nameOf(detail.terms.symbol, language),
      lastDone: this.#lastFills.get(detail.orderId),
      triggerStatus: triggerStatusOf(detail),
      lastValidDay: lastValidDay(detail),
    };
  }

  /** Returns the security's name, or its symbol if the venue does not know it. */
  nameOf(symbol: SecuritySymbol, language: Language): string {
    const security = this.#simulation.security(symbol);
    return security === undefined ? symbol : nameIn(language, security);
  }
}

/** Returns the trigger status. @see https://open.longbridge.com/docs, "Trade definition" */
function triggerStatusOf(detail: OrderDetail): TriggerStatus {
  if (!CONDITIONAL.has(detail.terms.type)) return 'NOT_USED';
  if (detail.triggerAt !== undefined) return 'RELEASED';
  return isTerminalStatus(detail.status) ? 'DEACTIVE' : 'ACTIVE';
}

export function lastValidDay(detail: OrderDetail): CalendarDay {
  const { terms, submittedAt } = detail;
  const market = marketOf(terms.symbol);
  if (terms.expireDate !== undefined) return terms.expireDate;
  if (terms.timeInForce === 'day') return tradingDayOf(market, submittedAt);
  return addDays(dayOf(market, submittedAt), GTC_DAYS);
}
