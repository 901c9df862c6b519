import { EMPTY, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { pipeline } from '#src/engine/pipeline.ts';
import { conflatedQuotes } from '#src/engine/quote-conflation.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import type { MarketBatch } from '#src/ports/signal-source.ts';
import type { Task, TaskFactory } from '#src/ports/task.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import type { MarketEvent } from '#src/strategy/strategy-event.ts';
import { AAPL, quoteOf, TENCENT } from '../fixtures/market.ts';
import { approve, intentOf } from '../fixtures/orders.ts';
import { emitting, failing, newsOf, returning, waitingFor } from '../fixtures/tasks.ts';

const FLOOD = 50_000;
const NVIDIA = securitySymbol('NVDA.US');

/** The quote of a symbol at an instant; the price is that instant. */
function quote(symbol: typeof AAPL, at: number, strategy?: string): MarketEvent {
  const event = { kind: 'quote', symbol, time: millis(at), quote: quoteOf(symbol, at, at + 1) } as const;
  return strategy === undefined ? event : { ...event, strategy };
}

function timer(at: number): MarketEvent {
  return { kind: 'timer', name: 'tick', market: 'US', symbols: [AAPL], time: millis(at) };
}

/**
 * A pipeline whose first order stays unanswered until it is released, and the quotes that the strategy receives in
 * the meantime and afterwards.
 */
function behindOneOrder(conflates: boolean) {
  const batches$ = new Subject<MarketBatch>();
  const answer$ = new Subject<never>();
  const heard: string[] = [];
  let orders = 0;
  const execute = (): Task => {
    orders += 1;
    return orders === 1 ? waitingFor(answer$) : emitting();
  };
  pipeline({
    ...{ start: () => emitting(), batches$, conflates, tasks$: EMPTY, urgent$: EMPTY },
    markPositions: (moment) => moment.events,
    failOwner: (_event, { message }) => failing(message),
    fail: ({ message }) => failing(message),
    decide: (event) => returning(event.kind === 'quote' ? [orderDrafts.buy(AAPL, 1)] : []),
    size: () => returning([intentOf('one')]),
    change: () => emitting(),
    algorithms: {
      start: () => emitting(),
      handleOrderEvent: () => undefined,
      withRetryMark: (event) => event,
      hold: () => undefined,
    },
    judge: (intent) => returning({ kind: 'approved', intent: approve(intent), numbers: [] }),
    execute,
    handleTask: () => emitting(),
    saveState: () => undefined,
  }).subscribe((event) => {
    if (!('time' in event)) return;
    const whose = 'strategy' in event && event.strategy !== undefined ? ` ${event.strategy}` : '';
    heard.push(`${event.kind === 'quote' ? event.symbol : event.kind} ${event.time}${whose}`);
  });
  return {
    heard,
    come: (...events: readonly MarketEvent[]) => {
      for (const event of events) batches$.next({ time: event.time, marks: [], events: [event] });
    },
    letGo: () => answer$.complete(),
  };
}

describe('quotes that arrive while an order waits for its answer (F-D08, I-23)', () => {
  it('are replaced by the newest of their symbol: the strategy receives two of fifty thousand', () => {
    const { heard, come, letGo } = behindOneOrder(true);
    for (let at = 0; at < FLOOD; at++) come(quote(at % 3 === 0 ? TENCENT : AAPL, at));
    expect(heard).toEqual([`${TENCENT} 0`]);
    letGo();
    expect(heard.slice(1)).toEqual([`${AAPL} ${FLOOD - 1}`, `${TENCENT} ${FLOOD - 2}`]);
    come(quote(AAPL, FLOOD), quote(AAPL, FLOOD + 1));
    expect(heard.slice(3)).toEqual([`${AAPL} ${FLOOD}`, `${AAPL} ${FLOOD + 1}`]);
  });

  it('never overtake other market events, which are all delivered', () => {
    const { heard, come, letGo } = behindOneOrder(true);
    come(quote(AAPL, 0), quote(AAPL, 1), quote(AAPL, 2), timer(3), quote(AAPL, 4), quote(AAPL, 5), timer(6));
    letGo();
    expect(heard).toEqual(['AAPL.US 0', 'AAPL.US 2', 'timer 3', 'AAPL.US 5', 'timer 6']);
  });

  it('are conflated separately for each strategy', () => {
    const { heard, come, letGo } = behindOneOrder(true);
    come(quote(AAPL, 0), quote(AAPL, 1, 'a'), quote(AAPL, 1, 'b'), quote(AAPL, 2, 'a'));
    letGo();
    expect(heard).toEqual(['AAPL.US 0', 'AAPL.US 2 a', 'AAPL.US 1 b']);
  });

  it('keep the position of the first that waits, so that no symbol waits for ever behind faster ones', () => {
    const turnsOf = conflatedQuotes();
    const queue: TaskFactory<MarketEvent>[] = [];
    const heard: string[] = [];
    for (let round = 0; round < 6; round++) {
      for (const symbol of [AAPL, TENCENT, AAPL, NVIDIA, AAPL]) queue.push(...turnsOf(quote(symbol, round)));
      expect(queue.length).toBeLessThanOrEqual(3);
      const turn = queue.shift();
      for (const event of turn === undefined ? [] : newsOf(turn()))
        if (event.kind === 'quote') heard.push(`${event.symbol} ${event.time}`);
    }
    const each = [AAPL, TENCENT, NVIDIA];
    expect(heard).toEqual([...each, ...each].map((symbol, round) => `${symbol} ${round}`));
  });

  it('are all delivered in a run that must be repeatable', () => {
    const { heard, come, letGo } = behindOneOrder(false);
    for (let at = 0; at < 1_000; at++) come(quote(AAPL, at));
    letGo();
    expect(heard).toHaveLength(1_000);
  });
});
