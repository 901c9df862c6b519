import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  finalize,
  from,
  ignoreElements,
  merge,
  mergeMap,
  type Observable,
  Subject,
  shareReplay,
  take,
  takeUntil,
  tap,
  throwError,
  toArray,
} from 'rxjs';
import type { RunEnded, SluiceEvent } from '../events/event.ts';
import { type BotState, createFold } from '../events/fold.ts';
import type { Decision, FlowCounts } from '../events/run-record.ts';
import { createExchangeRates, type RateStanding } from '../execution/exchange-rates.ts';
import { lastLook } from '../execution/last-look.ts';
import { limitsUsed } from '../execution/limits-used.ts';
import { createLossWatch } from '../execution/loss-watch.ts';
import type { OrderNews } from '../execution/order-news.ts';
import { createRecorder } from '../execution/recorder.ts';
import { recover } from '../execution/recovery.ts';
import { createRestrictions } from '../execution/restrictions.ts';
import type { GateStanding } from '../model/gate.ts';
import type { RiskNumber } from '../model/risk-number.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Alarms } from '../ports/alarms.ts';
import type { Moment } from '../ports/signal-source.ts';
import { inOrder } from '../ports/steps.ts';
import type { OrderDraft } from '../strategy/order-draft.ts';
import type { FillEvent, MarketEvent, StrategyEvent } from '../strategy/strategy-event.ts';
import { changeOrder } from './change-order.ts';
import { createActionDesk } from './corporate-actions.ts';
import { createDesks } from './desks.ts';
import type { Wish } from './draft-desk.ts';
import type { EngineParts } from './engine-parts.ts';
import { type EquityMark, keepMark } from './equity-marks.ts';
import { createFlow } from './flow.ts';
import { bookMoneyMoves } from './money-moves.ts';
import { type AnyLead, pipeline } from './pipeline.ts';
import { createStrategyDesks } from './strategy-desks.ts';
import { createView } from './view.ts';

/** Why whoever runs the engine ends it; the message says more where there is more to say. */
export type Stop = Pick<RunEnded, 'reason' | 'message'>;

/** Commands whose cancels may be under way at once; more than anybody gives. */
const COMMANDS_AT_ONCE_MAX = 1_000;

const FINISHED: Stop = { reason: 'finished', message: '' };

/** A bot, put together and ready to run. */
export interface Engine {
  /** Runs until `stop$` emits; completes when everything that was begun has been written down, errors when it cannot go on. */
  run(stop$: Observable<Stop>): Observable<never>;
  flow(): FlowCounts;
  /** Signals and order events so far, in the order in which they happened; empty where they are not kept. */
  readonly decisions: readonly Decision[];
  /** One mark per instant at which the signal source reported closes, or a delisted security was paid out. */
  readonly equity: readonly EquityMark[];
  /** Equity now, in the account's currency. */
  equityNow(): number;
  /** Close of a symbol's newest bar; NaN before the first. */
  lastClose(symbol: SecuritySymbol): number;
  /** What each of several strategies has earned, in the account's currency; empty in a bot with one. */
  earned(): ReadonlyMap<string, number>;
  /** Strategies that failed while others go on. */
  readonly quarantined: ReadonlySet<string>;
  readonly state: BotState;
  /** How the gate stands at this very instant: stricter than `state` says while word of it is on its way to the disk. */
  gateNow(): GateStanding;
  /** What the currencies of the account are worth. */
  rates(): readonly RateStanding[];
  /** How much of each limit of the account is used up now. */
  limitsUsed(): readonly RiskNumber[];
}

/** Ties the ports to the pipeline. Which adapters stand behind them is not known here. */
export function createEngine(parts: EngineParts): Engine {
  const { clock, source, broker, limits } = parts;
  const flow = createFlow(source);
  const decisions: Decision[] = [];
  const { keepsDecisions = true } = parts;
  const equity: EquityMark[] = [];
  const fold = createFold();
  const foreignFilled$ = new Subject<void>();
  const recorder = createRecorder(parts.journal, fold, (event) => {
    flow.count(event);
    if (keepsDecisions && isDecision(event)) decisions.push(event);
    // No bar of the security closes any more, and none of another may.
    if (event.kind === 'corporate-action' && event.action === 'delisting')
      keepMark(equity, { time: event.at, ...view.valuation() });
    if (event.kind === 'order-filled' || event.kind === 'foreign-filled') watchLosses();
    else if (event.kind === 'gate-moved') desks.operator.moved(event);
    if (event.kind === 'foreign-filled' || event.kind === 'books-adopted') algorithms.heldChanged();
    desks.exitWatch?.heed(event);
    parts.onEvent?.(event);
    if (event.kind === 'foreign-filled') foreignFilled$.next();
  });
  const restrictions = createRestrictions({ recorder, clock, killMark: parts.killMark });
  const alarms: Alarms = { raise: (alarm) => parts.onAlarm?.(alarm) };
  const rates = createExchangeRates({
    ...{ broker, clock, state: fold.state, currency: parts.currency, alarms },
    ...{ fx: parts.fx, fxSeries: parts.fxSeries },
    traded: [...parts.securities.values()].map(({ currency }) => currency),
  });
  const view = createView(parts, fold.state, { restrictions, rates });
  const desks = createDesks(parts, { recorder, view, restrictions });
  const { gate, tracker, reconciler, executor, algorithms } = desks;
  const losses = createLossWatch(view.factSources, [...parts.securities.keys()], limits);
  let stop: Stop | undefined;
  const strategies = createStrategyDesks(parts, {
    ...{ view, recorder, algorithms },
    operator: desks.operator,
    isOver: () => stop !== undefined,
  });

  /** Losses count whether or not an order wants to open; what a killed gate holds cannot be lost twice. */
  function watchLosses(equity = view.valuation().equity): void {
    if (losses.looksBad(equity) && restrictions.standing().state !== 'killed') desks.operator.review();
  }

  /** Where pushes are complete the instants between two events of the strategy are not lived through, here as in a backtest. */
  function mark(moment: Moment): readonly MarketEvent[] {
    const isClose = moment.marks.length > 0;
    if (isClose || moment.events.length > 0) {
      const valuation = view.valuation();
      if (isClose) keepMark(equity, { time: moment.time, ...valuation });
      if (moment.events.length > 0 || !broker.facts.pushComplete) watchLosses(valuation.equity);
    }
    for (const event of moment.events) {
      if (event.kind !== 'signal') continue;
      flow.signal();
      if (keepsDecisions) decisions.push(event);
    }
    return moment.events;
  }

  /** The journal first: what it says was done by earlier processes. */
  function replay(): readonly FillEvent[] {
    for (const event of parts.journal.replay()) fold.apply(event);
    return strategies.untold(parts.journal, clock.now());
  }

  /** Start-up is recovery, of an empty journal as well; only then does the strategy hear of anything. */
  const opening$ = defer(() => {
    const untold = replay();
    const { strategy, config, currency, lease } = parts;
    strategies.check(fold.state);
    const recovered$ = recover({
      ...{ broker, recorder, clock, tracker, reconciler, alarms: desks.alarms },
      ...{ budget: parts.budget, lease, move: restrictions.impose },
      ...{ pullMark: view.pullMark, rates: rates.refresh },
      start: { strategy, config, currency },
    });
    // A kill holds across restarts: what an earlier process did not live to cancel is cancelled now.
    const cancels$ = defer(() =>
      restrictions.standing().state === 'killed' ? desks.kills.follow([]) : EMPTY,
    );
    const algorithms$ = defer(() => algorithms.resume());
    return concat(from(untold), recovered$, defer(strategies.open), cancels$, algorithms$);
  }).pipe(
    toArray(),
    concatMap((news): readonly StrategyEvent[] => [...strategies.life('start', clock.now()), ...news]),
  );

  const actions = createActionDesk(parts.corporateActions ?? [], {
    ...{ clock, securities: parts.securities },
    ...{ state: fold.state, recorder },
  });

  function follow(lead: AnyLead): Observable<OrderNews> {
    return inOrder<OrderNews>(actions.catchUp, () => followed(lead));
  }

  function followed(lead: AnyLead): Observable<OrderNews> {
    switch (lead.kind) {
      case 'reconcile':
        return concat(reconciler.follow(), rates.refresh());
      case 'rates':
        return rates.refresh();
      case 'algorithm':
        return algorithms.follow(lead);
      default:
        return tracker.follow(lead);
    }
  }

  const { breathe } = parts;
  const sizeInTime =
    (breath: () => Observable<never>) =>
    (draft: OrderDraft, event: StrategyEvent): Observable<Wish> =>
      inOrder<Wish>(breath, () => strategies.size(draft, event));

  const trade$ = (stop$: Observable<unknown>): Observable<StrategyEvent> =>
    pipeline({
      opening$,
      moments$: source.moments$.pipe(takeUntil(stop$)),
      conflates: !broker.facts.pushComplete,
      leads$: merge(tracker.leads$, reconciler.leads$, algorithms.leads$, rates.leads$).pipe(
        takeUntil(stop$),
      ),
      urgent$: desks.operator.turns$.pipe(takeUntil(stop$)),
      mark,
      fail: strategies.fail,
      blame: strategies.blame,
      decide: strategies.decide,
      size: breathe === undefined ? strategies.size : sizeInTime(breathe),
      judge: gate.judge,
      execute: executor.execute,
      change: (wish) => changeOrder(wish, fold.state, desks),
      algorithms,
      follow,
      ...(strategies.keep === undefined ? {} : { keep: strategies.keep }),
    });

  /** Tells the strategy that the run is over. What it wants now comes too late to be sent. */
  const closing$ = concat(
    defer(() => from(strategies.life('stop', clock.now()))).pipe(concatMap(strategies.decide)),
    defer(() => strategies.keep?.() ?? EMPTY),
  ).pipe(ignoreElements());

  /** Nothing opens any more; what is in doubt is looked for a last time. */
  const settling$ = defer(() => lastLook({ broker, clock, tracker, state: fold.state }));

  /** Writes down why the run ended, as the last record. */
  function ended(stop: Stop): Observable<never> {
    return defer(() => recorder.record({ kind: 'run-ended', at: clock.now(), ...stop })).pipe(
      ignoreElements(),
    );
  }

  function failed(error: unknown): Observable<never> {
    const message = error instanceof Error ? error.message : String(error);
    return concat(
      ended({ reason: 'failed', message }),
      throwError(() => error),
    );
  }

  function run(stop$: Observable<Stop>): Observable<never> {
    const stopping$ = stop$.pipe(
      take(1),
      tap((why) => {
        stop = why;
      }),
      // With its past: whoever asks to stop before trading began is heard, too.
      shareReplay({ bufferSize: 1, refCount: true }),
    );
    const last$ = defer(() => ended(stop ?? FINISHED));
    const beside$ = (parts.commands$ ?? EMPTY).pipe(
      takeUntil(stopping$),
      mergeMap(desks.operator.take, COMMANDS_AT_ONCE_MAX),
    );
    const actions$ = actions.booked$.pipe(takeUntil(stopping$));
    const moves$ = defer(() => bookMoneyMoves(parts.daysCost, { ...parts, recorder, foreignFilled$ })).pipe(
      takeUntil(stopping$),
    );
    return merge(
      stopping$,
      beside$,
      actions$,
      moves$,
      concat(trade$(stopping$), settling$, closing$, last$),
    ).pipe(
      ignoreElements(),
      catchError(failed),
      finalize(() => desks.exitWatch?.close()),
    );
  }

  return {
    run,
    flow: flow.counts,
    decisions,
    equity,
    equityNow: () => view.valuation().equity,
    lastClose: (symbol) => source.lastPrice(symbol),
    earned: view.earned,
    quarantined: strategies.quarantined,
    state: fold.state,
    gateNow: restrictions.standing,
    limitsUsed: () => limitsUsed(view.factSources, limits, view.valuation().equity),
    rates: rates.standings,
  };
}

/** What this run decided, as its journal has it, without signals; a journal of several runs tells the newest one's. */
export function journaledDecisions(events: Iterable<SluiceEvent>): readonly Decision[] {
  let decisions: Decision[] = [];
  for (const event of events) {
    if (event.kind === 'lease-taken') decisions = [];
    else if (isDecision(event)) decisions.push(event);
  }
  return decisions;
}

function isDecision(event: SluiceEvent): event is Exclude<Decision, { kind: 'signal' }> {
  switch (event.kind) {
    case 'intent-drafted':
    case 'intent-denied':
    case 'intent-armed':
    case 'submit-refused':
    case 'order-moved':
    case 'order-filled':
    case 'foreign-filled':
    case 'state-kept':
    case 'corporate-action':
    case 'interest-booked':
      return true;
    default:
      return false;
  }
}
