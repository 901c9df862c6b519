import { concat, defer, EMPTY, from, ignoreElements, type Observable, throwError } from 'rxjs';
import type { AlgorithmDesk } from '../execution/algorithms/algorithm-desk.ts';
import type { OperatorDesk } from '../execution/operator-desk.ts';
import type { Recorder } from '../execution/recorder.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { allOf, andThen, inOrder } from '../ports/steps.ts';
import type { StrategyAnswer, StrategyFailure, StrategyQuestion } from '../ports/strategy-host.ts';
import { type OrderDraft, orderDrafts } from '../strategy/order-draft.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';
import { createDraftDesk, type Wish } from './draft-desk.ts';
import type { EngineParts } from './engine-parts.ts';
import { createStateKeeper } from './state-keeper.ts';
import { StrategyError } from './strategy-error.ts';
import type { EngineView } from './view.ts';

/** Where a strategy is asked, and where what it wants becomes orders. */
export interface StrategyDesk {
  /** Asks it about an event that it listens to; nothing comes out of others. */
  decide(event: StrategyEvent): Observable<OrderDraft>;
  /** Sizes one draft; nothing comes out when there is nothing to do, or it is too late. */
  size(draft: OrderDraft, event: StrategyEvent): Observable<Wish>;
  /** The strategy is at an end: written down, its orders treated as its policy says, and then the error if it was the last. */
  fail(failure: StrategyFailure): Observable<never>;
  /** Writes down what it remembers from an answer on, if no order took it along. */
  keep(): Observable<never>;
  /** Writes down the state that it begins with, at its first start on this journal. */
  open(): Observable<never>;
}

/** What the desk works with. */
export interface StrategyDeskParts {
  readonly parts: EngineParts;
  readonly view: EngineView;
  readonly recorder: Recorder;
  readonly algorithms: Pick<AlgorithmDesk, 'waiting'>;
  readonly operator: Pick<OperatorDesk, 'abandon' | 'abandonOwn'>;
  /** Its name among several; absent in a bot with one. */
  readonly owner?: string;
  /** Says that it failed: true when no strategy is left, and the bot ends. */
  readonly isLast: () => boolean;
  /** True once the run is about to end: what is wanted now comes too late to be sent. */
  readonly isOver: () => boolean;
}

/** Errors with StrategyError once the strategy throws or breaks its contract. */
export function createStrategyDesk(desk: StrategyDeskParts): StrategyDesk {
  const { parts, view, recorder, algorithms, owner } = desk;
  const { clock, host, strategy } = parts;
  const keeper = createStateKeeper({ host, strategy, recorder, clock });
  const drafts = createDraftDesk({ parts, view, recorder, algorithms, keeper, owner });

  function decide(event: StrategyEvent): Observable<OrderDraft> {
    if (!host.listensTo.has(event.kind)) return EMPTY;
    return andThen(
      inOrder(() => host.ask(questionOf(event))),
      (answer) => draftsOf(answer, event),
    );
  }

  function questionOf(event: StrategyEvent): StrategyQuestion {
    const state = keeper.state();
    return { event, snapshot: view.snapshot(), ...(state === undefined ? {} : { state }) };
  }

  function draftsOf(answer: StrategyAnswer, event: StrategyEvent): Observable<OrderDraft> {
    if (answer.kind === 'failed') return failed(answer);
    keeper.hold(answer, event);
    return allOf(answer.drafts);
  }

  /** Among several it alone is asked no more; what it wants last is to be without a position, where its policy says so. */
  function failed(answer: Omit<StrategyFailure, 'kind'>): Observable<OrderDraft> {
    const { message, stack } = answer;
    const policy = parts.policy.whenStrategyFails ?? 'cancel';
    const whose = owner === undefined ? {} : { strategy: owner };
    const failure = { kind: 'strategy-failed', at: clock.now(), message, stack, ...whose } as const;
    if (desk.isLast())
      return concat(
        recorder.record(failure),
        desk.operator.abandon(policy),
        throwError(() => new StrategyError(message)),
      ).pipe(ignoreElements());
    return concat(
      recorder.record(failure).pipe(ignoreElements()),
      desk.operator.abandonOwn(owner ?? '', policy).pipe(ignoreElements()),
      defer(() => from(policy === 'close' ? closing() : [])),
    );
  }

  function closing(): readonly OrderDraft[] {
    const { symbols } = view.snapshot();
    return [...parts.securities.keys()].flatMap((symbol) =>
      (symbols[symbol]?.position.quantity ?? 0) === 0
        ? []
        : [orderDrafts.close(symbol, 'the strategy failed and its position is given up')],
    );
  }

  function size(draft: OrderDraft, event: StrategyEvent): Observable<Wish> {
    return inOrder(() => {
      if (desk.isOver()) {
        keeper.drop();
        return EMPTY;
      }
      const asked = draft.kind === 'rebalance' ? Object.keys(draft.weights) : [draft.symbol];
      const unknown = asked.find((symbol) => !parts.securities.has(symbol as SecuritySymbol));
      if (unknown !== undefined) return failed(unknownSymbol(unknown)).pipe(ignoreElements());
      if (draft.kind === 'rebalance') return drafts.rebalance(draft, event);
      const security = parts.securities.get(draft.symbol);
      return security === undefined ? EMPTY : drafts.one(draft, security, event);
    });
  }

  function unknownSymbol(symbol: string) {
    const known = [...parts.securities.keys()].join(', ');
    return {
      message: `Strategy asked for an order in "${symbol}", which this bot does not trade (symbols: ${known})`,
      stack: '',
    };
  }

  return {
    decide,
    size,
    fail: (failure) => failed(failure).pipe(ignoreElements()),
    keep: keeper.flush,
    open: keeper.open,
  };
}
