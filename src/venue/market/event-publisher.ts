import type { SimulationEvent } from '../../simulation/simulation.ts';
import type { QuoteService } from '../quotes/quote-service.ts';
import type { OrderFactsBook } from '../trading/order-facts.ts';
import type { TradeService } from '../trading/trade-service.ts';
import type { PublishEvents } from './market.ts';

/** Passes quotes to the quote service and order changes to the trade service; records a fill before publishing it. */
export function eventPublisher(to: {
  readonly facts: OrderFactsBook;
  readonly quote: QuoteService;
  readonly trade: TradeService;
}): PublishEvents {
  const publishOne = (event: SimulationEvent): void => {
    if (event.kind === 'quote') {
      to.quote.publish(event.quote);
      return;
    }
    if (event.change.execution !== undefined) to.facts.record(event.change.execution);
    to.trade.publish(event.account, event.change);
  };
  return (events) => {
    for (const event of events) publishOne(event);
  };
}
