import { first, ignoreElements, map, merge } from 'rxjs';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Broker } from '../../ports/broker.ts';
import type { QuoteFeed } from '../../ports/quote-feed.ts';
import type { RuleHost } from '../../ports/rule-host.ts';
import type { SignalEvaluator, StrategyHost } from '../../ports/strategy-host.ts';
import { toObservable } from '../../ports/to-observable.ts';
import type { Activity } from '../clock/activity.ts';
import type { SteppedInbox } from '../clock/stepped-inbox.ts';

/** The same Broker with every call counted as work in progress; in a stepped run, its hints wait in the inbox. */
export function trackedBroker(broker: Broker, { track }: Activity, inbox: SteppedInbox | undefined): Broker {
  return {
    facts: broker.facts,
    hints$: inbox === undefined ? broker.hints$ : inbox.hints(broker.hints$),
    ...omitUndefined({ pushes$: broker.pushes$, late$: broker.late$, unread: broker.unread }),
    submit: (order) => track(broker.submit(order)),
    replace: (order) => track(broker.replace(order)),
    cancel: (orderId) => track(broker.cancel(orderId)),
    orderDetail: (orderId, purpose) => track(broker.orderDetail(orderId, purpose)),
    ordersToday: (purpose, scope) => track(broker.ordersToday(purpose, scope)),
    ordersBefore: (from) => track(broker.ordersBefore(from)),
    executionsToday: (orderId, purpose) => track(broker.executionsToday(orderId, purpose)),
    executionsBefore: (from) => track(broker.executionsBefore(from)),
    buyLimit: (request) => track(broker.buyLimit(request)),
    marginFactors: (symbol) => track(broker.marginFactors(symbol)),
    balance: (currency, purpose) => track(broker.balance(currency, purpose)),
    positions: (purpose) => track(broker.positions(purpose)),
    cashPostings: (span) => track(broker.cashPostings(span)),
  };
}

/** The same feed with every request counted; in a stepped run, its quotes wait in the inbox. */
export function trackedFeed(
  feed: QuoteFeed,
  { track }: Activity,
  inbox: SteppedInbox | undefined,
): QuoteFeed {
  /** Counts as work until the venue has confirmed the subscriptions: no step is taken before that. */
  const confirmed = track(feed.state$.pipe(first((state) => state === 'live'))).pipe(ignoreElements());
  const closedBars = feed.closedBars?.bind(feed);
  return {
    state$: feed.state$,
    latest: (symbol) => feed.latest(symbol),
    quotes: (symbols) =>
      inbox === undefined ? feed.quotes(symbols) : merge(inbox.quotes(feed.quotes(symbols)), confirmed),
    ...omitUndefined({ best: feed.best }),
    ...(closedBars === undefined ? {} : { closedBars: (request) => track(closedBars(request)) }),
    pull: (symbols) => track(feed.pull(symbols)),
    securities: (symbols) => track(feed.securities(symbols)),
    history: (request) => track(feed.history(request)),
  };
}

/** The same host with every request counted until it is answered. */
export function trackedHost(host: StrategyHost, { track }: Activity): StrategyHost {
  const { listensTo, declaredState } = host;
  return { listensTo, declaredState, call: (request) => track(host.call(request)) };
}

/** The same rules with every request counted until it is answered. */
export function trackedRules(rules: RuleHost, { track }: Activity): RuleHost {
  return { evaluate: (request) => track(rules.evaluate(request)) };
}

/** The same signal graph with every reading counted until it is available. */
export function trackedSignals(signals: SignalEvaluator, { track }: Activity): SignalEvaluator {
  return {
    warmup: signals.warmup,
    evaluate: (bars) => track(signals.evaluate(bars)),
    values: (symbol, now) => signals.values(symbol, now),
    // Displays are not part of the run, so the market does not wait for them.
    ...omitUndefined({ nodes: signals.nodes?.bind(signals), series: signals.series?.bind(signals) }),
  };
}

/** The same rules with secrets removed from their reasons, which appear in the journal, the log and every view. */
export function redactedRules(rules: RuleHost, redact: (text: string) => string): RuleHost {
  return {
    evaluate: (request) =>
      toObservable(rules.evaluate(request)).pipe(
        map((answer) => {
          if (answer.kind === 'pass') return answer;
          return answer.kind === 'failed'
            ? { ...answer, message: redact(answer.message) }
            : { ...answer, reason: redact(answer.reason) };
        }),
      ),
  };
}
