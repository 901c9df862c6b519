import type { TrackedAlgorithm } from '../../events/algorithm-record.ts';
import type { BotState } from '../../events/fold.ts';
import { nextBarClose } from '../../markets/held-sessions.ts';
import { roundToLot } from '../../markets/lots.ts';
import { dayOf, regularClose, tradingDayOf } from '../../markets/sessions.ts';
import { roundToTick, tickOf } from '../../markets/ticks.ts';
import { symbolOf } from '../../model/algorithm.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { HeldSessions } from '../../model/held-sessions.ts';
import type { OrderIntent, Side } from '../../model/order.ts';
import { isLive } from '../../model/order-state.ts';
import type { Period } from '../../model/period.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { openedBy } from './bracket.ts';
import type { AlgorithmFacts } from './plan.ts';

/** Where the facts of algorithms come from. */
export interface AlgorithmSources {
  security(symbol: SecuritySymbol): Security | undefined;
  /** Latest price; undefined before the first. */
  last(symbol: SecuritySymbol): Price | undefined;
  /** Newest close of the bot's own bars; undefined before the first. */
  close(symbol: SecuritySymbol): Price | undefined;
  /** Period of the bot's own bars. */
  readonly period: Period;
  /** The sessions whose bars they are; regular trading alone when absent. */
  readonly sessions?: HeldSessions;
  /** True where the venue judges orders only when they fill; absent: when they come. */
  readonly judgesAtFill?: boolean;
}

/** What facts are made of at one instant. */
export interface FactParts {
  readonly sources: AlgorithmSources;
  readonly state: BotState;
  /** Orders that wait for exits to be gone. */
  readonly held: readonly OrderIntent[];
  readonly now: Millis;
}

/** The world as one algorithm sees it. */
export function factsFor(
  algorithm: TrackedAlgorithm,
  { sources, state, held, now }: FactParts,
): AlgorithmFacts {
  const symbol = symbolOf(algorithm.spec);
  const market = marketOf(symbol);
  return {
    now,
    order: (id) => state.order(id),
    held: (side) => heldBeside(algorithm, side, state),
    isTaken: (side) => isTaken(algorithm, { symbol, side }, state, held),
    last: sources.last(symbol),
    close: sources.close(symbol),
    judgesAtFill: sources.judgesAtFill === true,
    toTick(price, direction) {
      const security = sources.security(symbol);
      if (security === undefined) return price;
      const tick = tickOf(security, price, dayOf(market, now));
      return Decimal.max(tick, roundToTick(price, tick, direction));
    },
    wholeLots(quantity) {
      const security = sources.security(symbol);
      return security === undefined ? quantity : roundToLot(quantity, security.lotSize);
    },
    sessionEnd: () => regularClose(market, tradingDayOf(market, now)),
    nextClose: () => nextBarClose(market, sources.period, now, sources.sessions ?? 'regular'),
    killed: state.gate.standing.state === 'killed',
    halted: state.gate.standing.state === 'halted',
  };
}

/** The strategy's position in a direction, less what its older brackets of the symbol have opened and not taken back. */
function heldBeside(algorithm: TrackedAlgorithm, side: Side, state: BotState): Quantity {
  const symbol = symbolOf(algorithm.spec);
  const { strategy } = algorithm;
  const books = strategy === undefined ? state.portfolio : state.books.get(strategy);
  const signed = books?.holdings.get(symbol)?.quantity ?? ZERO;
  let rest = side === 'buy' ? signed : signed.neg();
  for (const other of state.algorithms.values()) {
    if (other.id === algorithm.id) break;
    if (
      other.strategy !== strategy ||
      other.spec.kind !== 'bracket' ||
      symbolOf(other.spec) !== symbol ||
      other.spec.entry.side !== side
    )
      continue;
    rest = rest.minus(Decimal.max(ZERO, openedBy(other, { order: (id) => state.order(id) })));
  }
  return Decimal.max(ZERO, rest);
}

/** Exits of other brackets stand beside each other; what the strategy itself sends on their side goes first. */
function isTaken(
  { id, strategy: owner }: TrackedAlgorithm,
  { symbol, side }: { readonly symbol: SecuritySymbol; readonly side: Side },
  state: BotState,
  held: readonly OrderIntent[],
): boolean {
  const waits = held.some(
    ({ terms, strategy }) => terms.symbol === symbol && terms.side === side && strategy === owner,
  );
  if (waits) return true;
  for (const { terms, facets, link, strategy } of state.live.values()) {
    if (strategy !== owner) continue;
    if (terms.symbol !== symbol || terms.side !== side || !isLive(facets)) continue;
    if (link?.exit !== true && link?.algorithm !== id) return true;
  }
  return false;
}
