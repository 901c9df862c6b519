import type { BotState } from '../../events/bot-state.ts';
import { EMPTY_PORTFOLIO } from '../../events/portfolio.ts';
import type { RecentFill } from '../../events/records/gate-record.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { RiskFacts } from '../../risk/facts.ts';
import type { FactSources } from './fact-sources.ts';
import { factsBeforeAsking, opensExposure } from './gather-facts.ts';

/** Facts about an order from its strategy's books alone; `equity` is that of the whole account. A resume does not reset the day's loss. */
export function strategyFacts(
  terms: OrderTerms,
  owner: string,
  sources: FactSources,
  equity: Decimal,
): RiskFacts {
  const own: FactSources = { ...sources, state: ownState(sources.state, owner) };
  return {
    ...factsBeforeAsking(terms, own, opensExposure(terms, own)),
    equity: equity.isFinite() ? equity : undefined,
    resumedEquity: undefined,
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
