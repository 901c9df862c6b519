import { concat, concatMap, defer, EMPTY, ignoreElements, merge, type Observable, Subject } from 'rxjs';
import type { GateMoved } from '../events/event.ts';
import type { TrackedOrder } from '../events/fold.ts';
import type { CommandName } from '../events/operator-events.ts';
import { isLive } from '../model/order-state.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { unreachable } from '../model/unreachable.ts';
import type { Clock } from '../ports/clock.ts';
import type { CommandOutcome, OperatorCommand, OperatorRequest } from '../ports/operator.ts';
import type { GateMove, GateWish } from '../risk/gate-state.ts';
import type { Concern } from './concern.ts';
import type { FlattenDesk } from './flatten-desk.ts';
import type { Gate } from './gate.ts';
import type { KillDesk, RushedCancel } from './kill-desk.ts';
import { inWords, tightens, wishOf } from './operator-words.ts';
import type { OrderNews } from './order-news.ts';
import type { StrategyFailurePolicy } from './order-style.ts';
import type { OrderTracker } from './order-tracker.ts';
import type { Recorder } from './recorder.ts';
import type { Restrictions, SeenRestrictions } from './restrictions.ts';
import { carriedOut, type SettleDesk, type Settled } from './settle-desk.ts';

/** Where a person's word, and a rule's, reaches the running bot. */
export interface OperatorDesk {
  /** Work for the lane that goes before everything that waits. */
  readonly turns$: Observable<Observable<OrderNews>>;
  /**
   * Takes a command in. What tightens holds when this returns; the rest takes its turn. What comes back runs beside the
   * lane: under kill, the cancels.
   */
  take(request: OperatorRequest): Observable<never>;
  /** Heeds what is wrong with an order: its account or symbol opens nothing from now on. */
  heed(concern: Concern): void;
  /** Heeds where the gate was moved to by a rule: a kill cancels everything, whoever asked for it. */
  moved(event: Pick<GateMoved, 'state' | 'by'>): void;
  /** Does with open orders and positions what was declared for a strategy that failed; one piece of a turn. */
  abandon(policy: StrategyFailurePolicy): Observable<OrderNews>;
  /** The same for one of several strategies: cancels its own orders alone; giving up its positions is the desk's. */
  abandonOwn(strategy: string, policy: StrategyFailurePolicy): Observable<OrderNews>;
  /** Has the account's losses judged. */
  review(): void;
}

/** What an operator desk works with. */
export interface OperatorDeskParts {
  readonly gate: Gate;
  readonly restrictions: Restrictions;
  readonly kills: KillDesk;
  readonly flattens: FlattenDesk;
  readonly settles: SettleDesk;
  readonly tracker: Pick<OrderTracker, 'cancelAll'>;
  /** Makes a turn urgent from now until it is over: nothing else waits for a call meanwhile. */
  readonly urgently: (turn$: Observable<OrderNews>) => Observable<OrderNews>;
  /** Reads the account and compares the books, so that what speaks against opening is known as it is now. */
  readonly reconcile: () => Observable<OrderNews>;
  readonly recorder: Recorder;
  readonly clock: Clock;
}

/** Commands for which everything else makes room. */
const URGENT: ReadonlySet<CommandName> = new Set(['kill', 'cancel-all', 'flatten']);

/** Ties commands, concerns and losses to the gate, the cancels and the lane. */
export function createOperatorDesk(parts: OperatorDeskParts): OperatorDesk {
  const { gate, restrictions, kills, flattens, settles, tracker, recorder, clock } = parts;
  const { state } = recorder;
  const turns$ = new Subject<Observable<OrderNews>>();
  let rush$: Observable<readonly RushedCancel[]> | undefined;
  let reviewing = false;

  function take(request: OperatorRequest): Observable<never> {
    const { command } = request;
    const to = tightens(command);
    const imposed$ = to === undefined ? EMPTY : restrictions.impose(wishOf(request, to));
    // A resume ends what was in force when it was asked for, whatever waits before its turn.
    const seen = restrictions.seen();
    const beside$ = command.kind === 'kill' ? startRush() : undefined;
    const turn$ = defer(() => carryOut(request, imposed$, seen));
    turns$.next(URGENT.has(command.kind) ? parts.urgently(turn$) : turn$);
    return beside$?.pipe(ignoreElements()) ?? EMPTY;
  }

  function startRush(): Observable<readonly RushedCancel[]> {
    rush$ ??= kills.rush();
    return rush$;
  }

  function carryOut(
    request: OperatorRequest,
    imposed$: Observable<GateMove>,
    seen: SeenRestrictions,
  ): Observable<OrderNews> {
    const { command } = request;
    switch (command.kind) {
      case 'kill':
        return kill(request, command, imposed$);
      case 'halt':
      case 'reduce-only':
        return concat(tell(request, ''), imposed$.pipe(ignoreElements()), done(request));
      case 'resume':
        return resume(request, seen);
      case 'cancel-all':
        return concat(tell(request, inWords(command.symbols)), cancelAll(command.symbols), done(request));
      case 'flatten':
        return concat(
          tell(request, inWords(command.symbols)),
          cancelAll(command.symbols),
          flattens.begin(command.symbols),
          done(request),
        );
      case 'stop-opening':
      case 'start-opening':
        return concat(tell(request, ''), done(request));
      case 'settle':
        return settle(request, settles.order(request, command), command.intentId);
      case 'adopt-books':
        return settle(request, settles.books(request), 'books', parts.reconcile);
      default:
        return unreachable(command);
    }
  }

  /** The cancels are on their way already; what is left is to write down, to try again, and to give up what is held. */
  function kill(
    request: OperatorRequest,
    { flatten, foreign }: Extract<OperatorCommand, { kind: 'kill' }>,
    imposed$: Observable<GateMove>,
  ): Observable<OrderNews> {
    const extras = [...(flatten ? ['flatten'] : []), ...(foreign ? ['foreign orders, too'] : [])].join(', ');
    return concat(
      startRush().pipe(
        concatMap((rushed) => {
          rush$ = undefined;
          return concat(tell(request, extras), imposed$.pipe(ignoreElements()), kills.follow(rushed));
        }),
      ),
      foreign ? kills.cancelForeign() : EMPTY,
      flatten ? flattens.begin(undefined) : EMPTY,
      done(request),
    );
  }

  /** Nothing opens again before every cancel of a kill is confirmed and the books agree (F-O02, F-O04). */
  function resume(request: OperatorRequest, seen: SeenRestrictions): Observable<OrderNews> {
    if (request.reason.trim() === '') return refuse(request, 'Cannot resume without a reason');
    const live = [...state.live.values()].filter(({ facets }) => isLive(facets));
    if (restrictions.standing().state === 'killed' && live.length > 0) {
      const [first] = live;
      const which = `${first?.intentId} (${first?.facets.submission.kind})`;
      return refuse(
        request,
        `Cannot resume: ${live.length} of our orders may still be executed, the first is ${which}. Wait for their cancels, or settle what nobody can tell of`,
      );
    }
    return gate.differences().pipe(
      concatMap((read) => {
        if (read.kind === 'unread')
          return refuse(
            request,
            `Cannot resume: nobody tells what the account holds (${read.why}), try again in half a minute`,
          );
        const { differences } = read;
        if (differences.length > 0)
          return refuse(
            request,
            `Cannot resume: our books are not the venue's, settle that first: ${differences.join('; ')}`,
          );
        return defer(() => {
          const later = restrictions.supersededBy(seen);
          if (later !== undefined) return refuse(request, `Cannot resume: ${later}`);
          return concat(tell(request, ''), resumed(request, seen), defer(parts.reconcile));
        });
      }),
    );
  }

  function settle(
    request: OperatorRequest,
    settled$: Observable<Settled>,
    what: string,
    after: () => Observable<OrderNews> = () => EMPTY,
  ): Observable<OrderNews> {
    return carriedOut(settled$, {
      settled: (news$) => concat(tell(request, what), news$, defer(after), done(request)),
      refused: (message) => refuse(request, message),
    });
  }

  function resumed(request: OperatorRequest, seen: SeenRestrictions): Observable<OrderNews> {
    return defer(() => gate.resume(wishOf(request, 'active'), seen)).pipe(
      concatMap((move) => (move.kind === 'refused' ? refuse(request, move.why) : done(request))),
    );
  }

  function cancelAll(symbols: readonly SecuritySymbol[] | undefined): Observable<OrderNews> {
    return cancelWhere(({ terms }) => symbols === undefined || symbols.includes(terms.symbol));
  }

  function cancelWhere(isMeant: (order: TrackedOrder) => boolean): Observable<OrderNews> {
    return defer(() =>
      tracker.cancelAll([...state.live.values()].filter(isMeant).map(({ intentId }) => intentId)),
    );
  }

  function tell(request: OperatorRequest, message: string, taken = true): Observable<never> {
    const { command, by, reason } = request;
    const name: CommandName = command.kind;
    const symbols = 'symbols' in command ? command.symbols : undefined;
    return defer(() =>
      recorder.record({
        ...{ kind: 'operator-commanded' as const, at: clock.now(), command: name, by, reason },
        ...(symbols === undefined ? {} : { symbols }),
        ...{ taken, message },
      }),
    ).pipe(ignoreElements());
  }

  function done(request: OperatorRequest): Observable<never> {
    return answer(request, { kind: 'done', message: standingText() });
  }

  function refuse(request: OperatorRequest, message: string): Observable<never> {
    return concat(tell(request, message, false), answer(request, { kind: 'refused', message }));
  }

  function answer(request: OperatorRequest, outcome: CommandOutcome): Observable<never> {
    return defer(() => {
      request.answer?.(outcome);
      return EMPTY;
    });
  }

  function standingText(): string {
    const { state: to, rule, reason } = restrictions.standing();
    return `Gate is ${to} (${rule}${reason === '' ? '' : `: ${reason}`})`;
  }

  function heed({ alarm, symbol, halt }: Concern): void {
    if (halt === undefined) return;
    const { code: rule, message: reason } = alarm;
    if (halt === 'account') {
      const wish: GateWish = { to: 'halted', by: 'books', rule, reason };
      turns$.next(restrictions.impose(wish).pipe(ignoreElements()));
      return;
    }
    turns$.next(restrictions.haltSymbol(symbol, rule, reason));
  }

  function review(): void {
    if (reviewing) return;
    reviewing = true;
    turns$.next(
      concat(
        gate.reviewLosses().pipe(ignoreElements()),
        defer(() => {
          reviewing = false;
          return EMPTY;
        }),
      ),
    );
  }

  return {
    turns$: merge(turns$, flattens.turns$),
    take,
    heed,
    review,
    abandon: (policy) =>
      concat(
        policy === 'keep' ? EMPTY : cancelAll(undefined),
        policy === 'close' ? flattens.begin(undefined) : EMPTY,
      ),
    abandonOwn: (strategy, policy) =>
      policy === 'keep' ? EMPTY : cancelWhere((order) => order.strategy === strategy),
    moved({ state: to, by }) {
      if (to === 'killed' && by !== 'operator') turns$.next(parts.urgently(defer(() => kills.follow([]))));
    },
  };
}
