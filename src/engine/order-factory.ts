import type { BotState, TrackedOrder } from '../events/bot-state.ts';
import type { Cause } from '../events/cause.ts';
import { isOpenOrWaiting } from '../events/records/open-orders.ts';
import type { LeftOutOrders } from '../events/run-record.ts';
import type { AlgorithmRequest, AlgorithmRunner } from '../execution/algorithms/algorithm-runner.ts';
import { noWorseTick } from '../execution/orders/order-style.ts';
import type { Recorder } from '../execution/recorder.ts';
import { oddLotText } from '../markets/lots.ts';
import {
  type AlgorithmSpec,
  type BracketSpec,
  type ChaseSpec,
  type OneSymbolSpec,
  symbolOf,
  type TargetHolding,
} from '../model/algorithm.ts';
import { type Quantity, ZERO } from '../model/decimal.ts';
import type { StateNote } from '../model/kept-state.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { OrderIntent, OrderTerms } from '../model/order.ts';
import type { Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { type ReadExits, readExits, wrongSideProblem } from '../strategy/exits.ts';
import { toDecimal } from '../strategy/numeric.ts';
import type {
  CancelDraft,
  OcoDraft,
  OneSymbolDraft,
  RebalanceDraft,
  ReplaceDraft,
  SizedDraft,
} from '../strategy/order-draft.ts';
import {
  fault,
  type NothingToSend,
  type OrderStyle,
  type Sized,
  type SizingFacts,
  sizeDraft,
} from '../strategy/sizing.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';
import { chaseOf, ocoOf, slicesOf, targetFlag } from './algorithm-specs.ts';
import { causeOf } from './cause.ts';
import type { EngineParts } from './engine-parts.ts';
import { draftFor, rebalanceOf } from './rebalance-of.ts';
import type { StrategyStateStore } from './strategy-state-store.ts';
import type { EngineView } from './view.ts';

/** The result of a strategy's draft: an order, a change of one, or an algorithm that will send orders. */
export type OrderRequest = OrderIntent | AlgorithmRequest | ReplaceDraft | CancelDraft;

/** Dependencies of the order factory. */
interface OrderFactoryParts {
  readonly parts: EngineParts;
  readonly view: EngineView;
  readonly recorder: Recorder;
  readonly algorithms: Pick<AlgorithmRunner, 'waiting' | 'endForExclusiveOrder'>;
  readonly stateStore: Pick<StrategyStateStore, 'take' | 'flush'>;
  /** The strategy's name among several; undefined in a bot with one. */
  readonly owner: string | undefined;
}

const ALGORITHM_NAMES: Readonly<Record<OneSymbolSpec['kind'], string>> = {
  bracket: 'a stop or target',
  oco: 'one order that cancels the other',
  slices: 'an order in parts',
  chase: 'a chase',
};

/** Most reasons for which orders were left out that are kept and reported, and most notes of odd lots. */
const REPORTS_MAX = 100;

/**
 * Sizes drafts of securities that the bot trades, each request when it is made; none where there is nothing to do. Orders are whole lots
 * at a price, and what opens a position under exits becomes a bracket.
 */
export function createOrderFactory({
  parts,
  view,
  recorder,
  algorithms,
  stateStore,
  owner,
}: OrderFactoryParts) {
  const { clock, policy } = parts;
  const reportedOddLots = new Set<string>();
  const leftOuts = new Map<string, LeftOutOrders>();

  function factsOf(security: Security): SizingFacts {
    const facts = view.sizingFacts(security);
    const [buys, sells] = (['buy', 'sell'] as const).map((side) =>
      algorithms.waiting(security.symbol, side, owner),
    );
    if (buys?.isZero() === true && sells?.isZero() === true) return facts;
    return {
      ...facts,
      openBuys: facts.openBuys.plus(buys ?? 0),
      openSells: facts.openSells.plus(sells ?? 0),
    };
  }

  function rebalance(draft: RebalanceDraft, event: StrategyEvent): Iterable<OrderRequest> {
    const open = ownOrders(recorder.state, owner).filter(isOpenOrWaiting);
    const isKnown = (security: Security): boolean =>
      !view.sizingFacts(security).held.isZero() || open.some(({ terms }) => terms.symbol === security.symbol);
    const known = [...parts.securities.values()].filter(isKnown).map(({ symbol }) => symbol);
    const spec = rebalanceOf(draft, {
      known,
      before: open.map(({ intentId }) => intentId),
      cancelAfterMs: policy.cancelAfterMs,
      sizing: (symbol) => {
        const security = parts.securities.get(symbol);
        return security && { facts: factsOf(security), style: view.style(security) };
      },
    });
    const [about = ''] = [...Object.keys(draft.weights), ...known, ...parts.securities.keys()];
    const symbol = about as SecuritySymbol;
    if (spec.kind === 'nothing') return reportLeftOut(symbol, spec);
    for (const holding of spec.holdings) reportOddLots(holding);
    return request(spec, draft.reason ?? 'rebalance', causeOf(event, symbol));
  }

  /** A position that a rebalance cannot close wholly is reported as it begins. */
  function reportOddLots(holding: TargetHolding): void {
    const security = parts.securities.get(holding.symbol);
    if (security === undefined || holding.weight !== 0) return;
    const facts = factsOf(security);
    const { keeps } = sizeDraft(draftFor(holding), facts, view.style(security));
    if (keeps !== undefined) reportOddLot(facts, keeps);
  }

  function requestFor(
    draft: OneSymbolDraft,
    security: Security,
    event: StrategyEvent,
  ): Iterable<OrderRequest> {
    const style = view.style(security);
    switch (draft.kind) {
      case 'oco':
        return requestAlgorithm(
          draft,
          ocoOf(draft, factsOf(security), style),
          'one cancels the other',
          event,
        );
      case 'slices':
        return requestAlgorithm(
          draft.order,
          slicesOf(draft, factsOf(security), style, policy.missedSlices),
          draft.style,
          event,
        );
      case 'chase':
        return requestAlgorithm(
          draft.order,
          roundedBound(chaseOf(draft, factsOf(security), style)),
          'chase',
          event,
        );
      case 'replace':
      case 'cancel':
        return change(draft);
      default:
        return policy.exclusive === true && opensPosition(draft)
          ? exclusiveRequest(draft, security, event)
          : sizedRequest(draft, factsOf(security), style, event);
    }
  }

  function roundedBound(spec: ChaseSpec | NothingToSend): ChaseSpec | NothingToSend {
    if (spec.kind === 'nothing') return spec;
    const security = parts.securities.get(spec.order.symbol);
    const bound =
      security === undefined ? spec.bound : noWorseTick(security, spec.bound, spec.order.side, clock.now());
    return { ...spec, bound };
  }

  function* change(draft: ReplaceDraft | CancelDraft): Iterable<OrderRequest> {
    stateStore.flush();
    yield draft;
  }

  /** Cancels what is open, closes what is held, and enters as if there had been nothing. */
  function* exclusiveRequest(
    draft: SizedDraft,
    security: Security,
    event: StrategyEvent,
  ): Iterable<OrderRequest> {
    const facts = { ...factsOf(security), openBuys: ZERO, openSells: ZERO };
    const { symbol } = security;
    const close = { kind: 'target-quantity', symbol, quantity: 0, reason: 'makes room' } as const;
    const closing = sizeDraft(close, facts, view.style(security));
    if (closing.keeps !== undefined) reportOddLot(facts, closing.keeps);
    yield* openOrdersOf(recorder.state, symbol, owner);
    algorithms.endForExclusiveOrder(symbol, owner);
    if (closing.kind !== 'nothing') yield* draftIntent(closing, event, targetFlag(close));
    // The close is sized by the position, the new entry as if there were none.
    yield* sizedRequest(draft, { ...facts, held: ZERO }, view.style(security), event, {});
  }

  function sizedRequest(
    draft: SizedDraft,
    facts: SizingFacts,
    style: OrderStyle,
    event: StrategyEvent,
    mark = targetFlag(draft),
  ): Iterable<OrderRequest> {
    const sized = sizeDraft(draft, facts, style);
    if (sized.keeps !== undefined) reportOddLot(facts, sized.keeps);
    if (sized.kind === 'nothing') return reportLeftOut(facts.symbol, sized);
    const exits = exitsOf(draft, sized.terms, facts);
    if (exits === undefined) return draftIntent(sized, event, mark);
    // A position that was to have a stop is not opened without it.
    if (exits.kind === 'problem') return reportLeftOut(facts.symbol, fault(exits.problem));
    const { cancelAfterMs } = policy;
    const bracket: BracketSpec = {
      ...{ kind: 'bracket', entry: sized.terms, ...mark, exits: exits.exits },
      ...omitUndefined({ cancelAfterMs }),
    };
    return request(bracket, sized.reason, causeOf(event, facts.symbol));
  }

  /** A dropped request is reported once for each reason, unless there was nothing to do. */
  function reportLeftOut(symbol: SecuritySymbol, { reason, isFault }: NothingToSend): Iterable<never> {
    if (!isFault) return [];
    const before = leftOuts.get(reason);
    if (before === undefined && leftOuts.size >= REPORTS_MAX) return [];
    const { count, firstAt } = before ?? { count: 0, firstAt: clock.now() };
    leftOuts.set(reason, { ...omitUndefined({ strategy: owner }), reason, count: count + 1, firstAt });
    if (before !== undefined) return [];
    const message = `An order in "${symbol}" that the strategy wants was left out: ${reason}`;
    parts.onAlarm?.({ code: 'order-left-out', message, at: clock.now(), facts: { symbol } });
    return [];
  }

  /** A position that is not closed wholly is reported once for each number of shares. */
  function reportOddLot({ symbol, lotSize }: SizingFacts, quantity: Quantity): void {
    const message = oddLotText({ symbol, quantity, lotSize });
    if (reportedOddLots.size >= REPORTS_MAX || reportedOddLots.has(message)) return;
    reportedOddLots.add(message);
    parts.onAlarm?.({ code: 'odd-lot-kept', message, at: clock.now(), facts: { symbol } });
  }

  function* draftIntent(
    { terms, reason }: Extract<Sized, { kind: 'order' }>,
    event: StrategyEvent,
    mark: ReturnType<typeof targetFlag>,
  ): Iterable<OrderRequest> {
    const at = clock.now();
    const intentId = parts.mintIntentId();
    const fields = {
      terms,
      reason,
      ...mark,
      ...omitUndefined({ cancelAfterMs: policy.cancelAfterMs, strategy: owner }),
    };
    const cause = causeOf(event, terms.symbol);
    recorder.record({ kind: 'intent-drafted', at, intentId, ...fields, cause, ...stateNote() });
    yield { id: intentId, decidedAt: at, ...fields };
  }

  function requestAlgorithm(
    { symbol, reason }: OcoDraft | SizedDraft,
    spec: OneSymbolSpec | NothingToSend,
    defaultReason: string,
    event: StrategyEvent,
  ): Iterable<OrderRequest> {
    return spec.kind === 'nothing'
      ? reportLeftOut(symbol, spec)
      : request(spec, reason ?? defaultReason, causeOf(event, symbol));
  }

  function request(spec: AlgorithmSpec, reason: string, cause: Cause): Iterable<OrderRequest> {
    if (parts.broker.facts.changesOrders === false && spec.kind !== 'rebalance')
      return reportLeftOut(
        symbolOf(spec),
        fault(`${ALGORITHM_NAMES[spec.kind]} needs cancels, and this API has none`),
      );
    return [{ spec, reason, cause, ...stateNote(), ...omitUndefined({ strategy: owner }) }];
  }

  /** The strategy's new state is recorded with the first request of the same answer. */
  function stateNote(): { readonly note?: StateNote } {
    return omitUndefined({ note: stateStore.take() });
  }

  return {
    requestFor: requestFor,
    rebalance,
    /** Orders that could not be made, so far, by reason. */
    leftOut: (): readonly LeftOutOrders[] => [...leftOuts.values()],
  };
}

/** True unless the draft closes the position. */
function opensPosition(draft: SizedDraft): boolean {
  return draft.kind !== 'target-quantity' || toDecimal(draft.quantity)?.isZero() !== true;
}

/** Cancels of the strategy's own orders of a symbol that are open or wait for exits to be gone. */
function openOrdersOf(
  state: BotState,
  symbol: SecuritySymbol,
  owner: string | undefined,
): readonly CancelDraft[] {
  return ownOrders(state, owner)
    .filter((order) => order.terms.symbol === symbol && isOpenOrWaiting(order))
    .map(({ intentId }) => ({ kind: 'cancel', symbol, intentId, reason: 'makes room' }));
}

/** Orders of a strategy that are not over; exits belong to the position that they close. */
function ownOrders(state: BotState, owner: string | undefined): readonly TrackedOrder[] {
  return [...state.live.values()].filter(
    ({ strategy, link }) => (owner === undefined || strategy === owner) && link?.exit !== true,
  );
}

/** Exits of an order that opens or adds to a position, or what is wrong with them; undefined for one that only closes, and for none. */
function exitsOf(
  draft: SizedDraft,
  { side, quantity, price, triggerPrice }: OrderTerms,
  { held, lastPrice }: SizingFacts,
): ReadExits | undefined {
  if (draft.exits === undefined) return undefined;
  const opposite = side === 'buy' ? held.neg() : held;
  if (opposite.gte(quantity)) return undefined;
  const read = readExits(draft.exits, side);
  if (read.kind === 'problem') return read;
  if (Object.keys(read.exits).length === 0) return undefined;
  const problem = wrongSideProblem(read.exits, { side, limit: price, from: triggerPrice ?? lastPrice });
  return problem === undefined ? read : { kind: 'problem', problem };
}
