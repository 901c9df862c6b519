import type { BotState } from '../../events/bot-state.ts';
import { EMPTY_PORTFOLIO } from '../../events/portfolio.ts';
import type { RecentFill } from '../../events/records/gate-record.ts';
import { openQuantity, takesPlaceOf } from '../../events/records/open-orders.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { OrderIntent, Side } from '../../model/order.ts';
import { isLive } from '../../model/order-state.ts';
import { MINUTE_MS } from '../../model/time.ts';
import { decisionsWith } from '../../risk/flow-rules.ts';
import { dearerPrice } from '../../risk/rule.ts';
import type { StrategyLimitFacts } from '../../risk/strategy-limits.ts';
import { dayProfit } from './day-profit.ts';
import { exposureBeside } from './exposure.ts';
import type { FactSources } from './fact-sources.ts';

/** What a strategy's own books say about an order that it wants; `equity` is that of the whole account. */
export function strategyLimitFacts(
  { id, terms, link, replaces }: OrderIntent,
  owner: string,
  sources: FactSources,
  equity: Decimal,
): StrategyLimitFacts {
  const state = ownState(sources.state, owner);
  const own: FactSources = { ...sources, state };
  const security = sources.security(terms.symbol);
  const instead = takesPlaceOf(state, terms, link, replaces === true ? id : undefined);
  const live = [...state.live.values()].filter(({ facets }) => isLive(facets));
  const openOf = (side: Side) =>
    openQuantity(state, terms.symbol, side).minus(side === terms.side ? instead : ZERO);
  const rateOf = (currency: string) => sources.rateOf?.(currency);
  return {
    held: state.portfolio.holdings.get(terms.symbol)?.quantity ?? ZERO,
    openBuys: openOf('buy'),
    openSells: openOf('sell'),
    ordersInMinute:
      decisionsWith(
        link,
        state.gate.orders.filter(({ at }) => at > sources.now() - MINUTE_MS),
      ) - 1,
    openOrders: live.length - (replaces === true ? 1 : 0),
    price: dearerPrice(terms, { reference: sources.reference(terms.symbol) }),
    rate: security === undefined ? undefined : sources.rate(security),
    rateOf,
    equity,
    others: exposureBeside(terms.symbol, own),
    dayProfit: dayProfit(own),
  };
}

/** The state restricted to one strategy's positions, orders and fills. */
export function ownState(state: BotState, owner: string): BotState {
  const live = new Map([...state.live].filter(([, order]) => order.strategy === owner));
  const isOwn = ({ fill }: RecentFill): boolean =>
    'intentId' in fill && state.order(fill.intentId)?.strategy === owner;
  return {
    ...state,
    live,
    portfolio: state.books.get(owner) ?? EMPTY_PORTFOLIO,
    foreign: { ...state.foreign, orders: new Map() },
    gate: {
      ...state.gate,
      fills: state.gate.fills.filter(isOwn),
      otherFills: state.gate.otherFills.filter(isOwn),
      orders: state.gate.orders.filter(({ strategy }) => strategy === owner),
    },
  };
}
