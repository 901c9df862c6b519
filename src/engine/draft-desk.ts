import { EMPTY, type Observable } from 'rxjs';
import type { AlgorithmDesk, AlgorithmRequest } from '../execution/algorithms/algorithm-desk.ts';
import type { Recorder } from '../execution/recorder.ts';
import type { AlgorithmSpec, Exits } from '../model/algorithm.ts';
import type { OrderIntent, OrderTerms } from '../model/order.ts';
import type { Security } from '../model/security.ts';
import { allOf, eachAs } from '../ports/steps.ts';
import { readExits } from '../strategy/exits.ts';
import type { OrderDraft, SizedDraft } from '../strategy/order-draft.ts';
import { type Sized, type SizingFacts, sizeDraft } from '../strategy/sizing.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';
import { causeOf } from './cause.ts';
import type { EngineParts } from './engine-parts.ts';
import type { EngineView } from './view.ts';

/** What a strategy's draft comes to: an order, or an algorithm that will ask for orders. */
export type Wish = OrderIntent | AlgorithmRequest;

/** What drafts are turned into wishes with. */
export interface DraftDeskParts {
  readonly parts: EngineParts;
  readonly view: EngineView;
  readonly recorder: Recorder;
  readonly algorithms: Pick<AlgorithmDesk, 'waiting'>;
}

/** Sizes one draft of a security that the bot trades; nothing comes out when there is nothing to do. */
export type DraftDesk = (draft: OrderDraft, security: Security, event: StrategyEvent) => Observable<Wish>;

/** Whole lots at a price, and what opens a position under exits becomes a bracket. */
export function createDraftDesk({ parts, view, recorder, algorithms }: DraftDeskParts): DraftDesk {
  const { clock, policy } = parts;

  function factsOf(security: Security): SizingFacts {
    const facts = view.sizingFacts(security);
    const [buys, sells] = (['buy', 'sell'] as const).map((side) => algorithms.waiting(security.symbol, side));
    if (buys?.isZero() === true && sells?.isZero() === true) return facts;
    return {
      ...facts,
      openBuys: facts.openBuys.plus(buys ?? 0),
      openSells: facts.openSells.plus(sells ?? 0),
    };
  }

  function wishOf(draft: OrderDraft, security: Security, event: StrategyEvent): Observable<Wish> {
    const facts = factsOf(security);
    if (draft.kind === 'oco') {
      const legs = draft.legs.map((leg) => sizeDraft(leg, facts, view.style(security)));
      return request({ kind: 'oco', legs: legs.flatMap(termsOf) }, draft, event, legs.length);
    }
    const sized = sizeDraft(draft, facts, view.style(security));
    if (sized.kind === 'nothing') return EMPTY;
    const exits = exitsOf(draft, sized.terms, facts);
    if (exits === undefined) return drafted(sized, event);
    const spec: AlgorithmSpec = { kind: 'bracket', entry: sized.terms, exits };
    return request(spec, { reason: sized.reason }, event);
  }

  function drafted({ terms, reason }: Extract<Sized, { kind: 'order' }>, event: StrategyEvent) {
    const cancel = policy.cancelAfterMs === undefined ? {} : { cancelAfterMs: policy.cancelAfterMs };
    const at = clock.now();
    const intent: OrderIntent = { id: parts.mintIntentId(), terms, reason, decidedAt: at, ...cancel };
    const cause = causeOf(event);
    return eachAs(
      recorder.record({ kind: 'intent-drafted', at, intentId: intent.id, terms, reason, cause, ...cancel }),
      (): Wish => intent,
    );
  }

  function request(
    spec: AlgorithmSpec,
    { reason }: { readonly reason?: string },
    event: StrategyEvent,
    legs?: number,
  ): Observable<Wish> {
    if (spec.kind === 'oco' && spec.legs.length !== legs) return EMPTY;
    return allOf([{ spec, reason: reason ?? spec.kind, cause: causeOf(event) }]);
  }

  return wishOf;
}

function termsOf(sized: Sized): readonly OrderTerms[] {
  return sized.kind === 'order' ? [sized.terms] : [];
}

/** Exits of an order that opens or adds to a position; undefined for one that only takes back, and for none. */
function exitsOf(
  draft: SizedDraft,
  { side, quantity }: OrderTerms,
  { held }: SizingFacts,
): Exits | undefined {
  if (draft.exits === undefined) return undefined;
  const against = side === 'buy' ? held.neg() : held;
  if (against.gte(quantity)) return undefined;
  const read = readExits(draft.exits);
  return read.kind === 'exits' && Object.keys(read.exits).length > 0 ? read.exits : undefined;
}
