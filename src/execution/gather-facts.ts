import { forkJoin, map, type Observable, of } from 'rxjs';
import { type BotState, openQuantity } from '../events/fold.ts';
import { dayOf } from '../markets/sessions.ts';
import { tickSize } from '../markets/ticks.ts';
import { type Decimal, type Price, ZERO } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { OrderTerms } from '../model/order.ts';
import { isLive } from '../model/order-state.ts';
import type { Security } from '../model/security.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { Answer, Broker } from '../ports/broker.ts';
import type { Aged, OpeningFacts, RiskFacts } from '../risk/facts.ts';

/** What facts are gathered from: the venue by questions, and what we know ourselves. */
export interface FactSources {
  readonly broker: Broker;
  readonly state: BotState;
  /** The account's own currency, in which equity and margin are asked for. */
  readonly currency: Currency;
  now(): Millis;
  security(symbol: SecuritySymbol): Security | undefined;
  /** Latest quote's price, or the newest close; undefined before either. */
  reference(symbol: SecuritySymbol): Aged<Price> | undefined;
  rate(security: Security): Decimal | undefined;
}

/** Gathers everything the gate judges by. An order that only reduces exposure asks the venue nothing. */
export function gatherFacts(terms: OrderTerms, sources: FactSources): Observable<RiskFacts> {
  const known = knownFacts(terms, sources);
  if (!known.opens) return of({ ...known, opening: undefined, unanswered: [] });
  return openingFacts(terms, sources).pipe(map((asked) => ({ ...known, ...asked })));
}

type KnownFacts = Omit<RiskFacts, 'opening' | 'unanswered'>;

function knownFacts(terms: OrderTerms, sources: FactSources): KnownFacts {
  const { state } = sources;
  const security = sources.security(terms.symbol);
  const held = state.portfolio.holdings.get(terms.symbol)?.quantity ?? ZERO;
  const openBuys = openQuantity(state, terms.symbol, 'buy');
  const openSells = openQuantity(state, terms.symbol, 'sell');
  const now = sources.now();
  return {
    now,
    security,
    held,
    openBuys,
    openSells,
    openOrders: [...state.live.values()].filter((order) => isLive(order.facets)).length,
    reference: sources.reference(terms.symbol),
    rate: security === undefined ? undefined : sources.rate(security),
    tick:
      terms.price === undefined || security === undefined ? undefined : tickAt(security, terms.price, now),
    opens:
      terms.side === 'buy'
        ? held.plus(openBuys).plus(terms.quantity).gt(0)
        : held.minus(openSells).lt(terms.quantity),
  };
}

function tickAt(security: Security, price: Price, now: Millis): Decimal {
  const market = marketOf(security.symbol);
  return tickSize({ market, kind: security.kind }, price, dayOf(market, now));
}

function openingFacts(
  terms: OrderTerms,
  sources: FactSources,
): Observable<Pick<RiskFacts, 'opening' | 'unanswered'>> {
  const { broker, currency } = sources;
  const { symbol, side, type, price } = terms;
  const at = sources.now();
  const aged = <T>(answer: Answer<T>): Aged<T> | undefined =>
    answer.kind === 'ok' ? { value: answer.value, at } : undefined;
  return forkJoin({
    buyLimit: broker.buyLimit({ symbol, side, type, ...(price === undefined ? {} : { price }) }),
    margin: broker.marginFactors(symbol),
    balance: broker.balance(currency),
  }).pipe(
    map((answers) => {
      const unanswered = Object.entries(answers).flatMap(([name, answer]) =>
        answer.kind === 'ok' ? [] : [`${name} (${answer.code}: ${answer.message})`],
      );
      const buyLimit = aged(answers.buyLimit);
      const margin = aged(answers.margin);
      const balance = aged(answers.balance);
      const complete = buyLimit !== undefined && margin !== undefined && balance !== undefined;
      const opening: OpeningFacts | undefined = complete ? { buyLimit, margin, balance } : undefined;
      return { opening, unanswered };
    }),
  );
}
