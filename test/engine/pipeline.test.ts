import { EMPTY, map, NEVER, type Observable, of } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { pipeline, REACTIONS_MAX, type Stages } from '#src/engine/pipeline.ts';
import { fillUpdate } from '#src/execution/orders/order-update.ts';
import { millis } from '#src/model/time.ts';
import type { MarketBatch } from '#src/ports/signal-source.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import type { StrategyEvent } from '#src/strategy/strategy-event.ts';
import { AAPL, quoteOf } from '../fixtures/market.ts';
import { approve, fillOf, intentOf } from '../fixtures/orders.ts';
import { emitting, failing, returning, waitingFor } from '../fixtures/tasks.ts';

const START: StrategyEvent = { kind: 'start', time: millis(0) };
const buy = orderDrafts.buy(AAPL, 1);

/** A batch with one quote per price, which names it. */
function momentOf(...prices: readonly number[]): MarketBatch {
  const time = millis(0);
  const events = prices.map((price) => {
    return { kind: 'quote' as const, symbol: AAPL, time, quote: quoteOf(AAPL, 0, price) };
  });
  return { time, marks: [], events };
}

/** Name of an event, such as "quote 10", "fill e1" or "start". */
function nameOf(event: StrategyEvent): string {
  if (event.kind === 'quote') return `quote ${event.quote.last}`;
  return event.kind === 'fill' ? `fill ${event.fill.executionId}` : event.kind;
}

/** Minimal stages that log when they are entered. */
function stagesOf(change: Partial<Stages>, log: string[] = []): Stages {
  return {
    ...{ start: () => emitting(), batches$: EMPTY, tasks$: EMPTY, urgent$: EMPTY },
    markPositions: (moment) => moment.events,
    failOwner: (_event, { message }) => failing(message),
    fail: ({ message }) => failing(message),
    decide: (event) => {
      log.push(`ask ${nameOf(event)}`);
      return returning(event.kind === 'quote' ? [buy] : []);
    },
    size: (_draft, cause) => returning([intentOf(nameOf(cause))]),
    change: () => emitting(),
    algorithms: {
      start: () => emitting(),
      handleOrderEvent: () => undefined,
      withRetryMark: (event) => event,
      hold: () => undefined,
    },
    judge: (intent) => returning({ kind: 'approved', intent: approve(intent), numbers: [] }),
    execute: (verdict) => {
      log.push(`send ${verdict.intent.id}`);
      return emitting();
    },
    handleTask: () => emitting(),
    saveState: () => undefined,
    ...change,
  };
}

/** Names of all events that the strategy received. */
const asked = (stages: Stages): Observable<string> => pipeline(stages).pipe(map(nameOf));

describe('the pipeline', () => {
  it('makes an event wait until the previous order is answered', () => {
    const marbles = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    marbles.run(({ cold, expectObservable }) => {
      const batches$ = cold('abc------|', { a: momentOf(1), b: momentOf(2), c: momentOf(3) });
      const execute = () => waitingFor(cold<never>('   ---|'));
      const names = { a: 'quote 1', b: 'quote 2', c: 'quote 3' };
      expectObservable(asked(stagesOf({ batches$, execute }))).toBe('a--b--c--|', names);
    });
  });

  it('judges the second order after the first was carried out, so that no money is spent twice', () => {
    const log: string[] = [];
    const marbles = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    marbles.run(({ cold, flush }) => {
      const stages = stagesOf({
        batches$: cold('a|', { a: momentOf(1, 2) }),
        judge: (intent) => {
          log.push(`judge ${intent.id} at ${marbles.now()}`);
          return returning({ kind: 'approved', intent: approve(intent), numbers: [] });
        },
        execute: () => waitingFor(cold<never>('--|')),
      });
      pipeline(stages).subscribe();
      flush();
    });
    expect(log).toEqual(['judge quote 1 at 0', 'judge quote 2 at 2']);
  });

  it('passes the stages in order, draft by draft', () => {
    const log: string[] = [];
    const stages = stagesOf(
      {
        batches$: of(momentOf(1), momentOf(2)),
        decide: (event) => {
          log.push(`ask ${nameOf(event)}`);
          return returning([buy, orderDrafts.sell(AAPL, 1)]);
        },
        size: (draft, cause) => {
          const side = draft.kind === 'order' ? draft.side : '';
          log.push(`size ${side}`);
          return returning([intentOf(`${nameOf(cause)} ${side}`)]);
        },
      },
      log,
    );
    pipeline(stages).subscribe();
    expect(log).toEqual([
      ...['ask quote 1', 'size buy', 'send quote 1 buy', 'size sell', 'send quote 1 sell'],
      ...['ask quote 2', 'size buy', 'send quote 2 buy', 'size sell', 'send quote 2 sell'],
    ]);
  });

  it('sends nothing without drafts', () => {
    const log: string[] = [];
    pipeline(stagesOf({ batches$: of(momentOf(1)), size: () => returning([]) }, log)).subscribe();
    expect(log).toEqual(['ask quote 1']);
  });

  it('emits the outcome of an order before the next event, in order', () => {
    const log: string[] = [];
    const news = (id: string) => fillUpdate(fillOf(id, 'buy', '1', '1'), millis(0));
    const stages = stagesOf(
      {
        start: () => emitting(START),
        batches$: of(momentOf(1, 2)),
        execute: (verdict) => emitting(news(`${verdict.intent.id} a`), news(`${verdict.intent.id} b`)),
      },
      log,
    );
    pipeline(stages).subscribe();
    expect(log).toEqual([
      'ask start',
      ...['ask quote 1', 'ask fill quote 1 a', 'ask fill quote 1 b'],
      ...['ask quote 2', 'ask fill quote 2 a', 'ask fill quote 2 b'],
    ]);
  });

  it('requests reactions to a first draft only after the second was sent', () => {
    const log: string[] = [];
    const stages = stagesOf(
      {
        batches$: of(momentOf(1)),
        decide: (event) => {
          log.push(`ask ${nameOf(event)}`);
          return returning(event.kind === 'quote' ? [buy, buy] : []);
        },
        execute: () => {
          log.push('send');
          return emitting(
            fillUpdate(
              fillOf(`e${log.filter((entry) => entry === 'send').length}`, 'buy', '1', '1'),
              millis(0),
            ),
          );
        },
      },
      log,
    );
    pipeline(stages).subscribe();
    expect(log.slice(0, 2)).toEqual(['ask quote 1', 'send']);
    expect(log.filter((entry) => entry.startsWith('ask'))).toEqual([
      'ask quote 1',
      'ask fill e1',
      'ask fill e2',
    ]);
  });

  it('runs tasks in the same queue, and passes their events on', () => {
    const log: string[] = [];
    const marbles = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    marbles.run(({ cold, expectObservable }) => {
      const stages = stagesOf(
        {
          batches$: cold('  a-------|', { a: momentOf(1) }),
          tasks$: cold('    -l------|', { l: { kind: 'listing' as const } }),
          execute: () => waitingFor(cold<never>('----|')),
          handleTask: () => emitting(fillUpdate(fillOf('e1', 'buy', '1', '1'), millis(0))),
        },
        log,
      );
      expectObservable(asked(stages)).toBe('a---f---|', { a: 'quote 1', f: 'fill e1' });
    });
    expect(log).toEqual(['ask quote 1', 'ask fill e1']);
  });

  it('marks every batch when it arrives, also one without calls of the strategy', () => {
    const marked: number[] = [];
    const markPositions = (moment: MarketBatch) => {
      marked.push(moment.events.length);
      return moment.events;
    };
    pipeline(stagesOf({ batches$: of(momentOf(), momentOf(1)), markPositions })).subscribe();
    expect(marked).toEqual([0, 1]);
  });

  it('ends when the market and the tasks have ended and all work is done', () => {
    const marbles = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    marbles.run(({ cold, expectObservable }) => {
      const execute = () => waitingFor(cold<never>('-----|'));
      const batches$ = cold('a|', { a: momentOf(1) });
      expectObservable(asked(stagesOf({ batches$, execute }))).toBe('a----|', { a: 'quote 1' });
      expectObservable(asked(stagesOf({ batches$, execute, tasks$: NEVER }))).toBe('a', { a: 'quote 1' });
    });
  });
});

describe('a busy event queue', () => {
  it('processes everything that waited behind a slow answer, however much (I-23)', () => {
    const marbles = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    const many = Array.from({ length: 5_000 }, (_, index) => index);
    let reported = 0;
    marbles.run(({ cold, flush }) => {
      const stages = stagesOf({
        batches$: cold('a|', { a: momentOf(...many) }),
        execute: (verdict) =>
          verdict.intent.id === 'quote 0' ? waitingFor(cold<never>('-----|')) : emitting(),
      });
      pipeline(stages).subscribe(() => {
        reported += 1;
      });
      flush();
    });
    expect(reported).toBe(5_000);
  });

  it('processes any number of orders without effect', () => {
    const drafts = new Array(1_000).fill(buy);
    let sized = 0;
    let completed = false;
    const marbles = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    marbles.run(({ cold, flush }) => {
      const stages = stagesOf({
        batches$: of(momentOf(1)),
        decide: () => returning(drafts),
        size: (_draft, cause) => {
          sized += 1;
          return returning(sized === 1 ? [intentOf(nameOf(cause))] : []);
        },
        execute: () => waitingFor(cold<never>('-----|')),
      });
      pipeline(stages).subscribe({
        complete: () => {
          completed = true;
        },
      });
      flush();
    });
    expect([sized, completed]).toEqual([1_000, true]);
  });
});

describe('a strategy that reacts to its own orders', () => {
  /** A strategy that answers each of its fills with an order, this number of times per event. */
  function reacting(times: number): Stages {
    let left = times;
    return stagesOf({
      batches$: of(momentOf(1)),
      decide: () => {
        left -= 1;
        return returning(left >= 0 ? [buy] : []);
      },
      execute: () => emitting(fillUpdate(fillOf('e', 'buy', '1', '1'), millis(0))),
    });
  }

  function outcomeOf(stages: Stages): string {
    let [reported, outcome] = [0, ''];
    pipeline(stages).subscribe({
      next: () => {
        reported += 1;
      },
      error: (error: Error) => {
        outcome = error.message;
      },
      complete: () => {
        outcome = 'done';
      },
    });
    return `${reported}: ${outcome}`;
  }

  it('may do so up to the limit (I-23)', () => {
    expect(outcomeOf(reacting(REACTIONS_MAX - 1))).toBe(`${REACTIONS_MAX}: done`);
  });

  it('is stopped one beyond it, whatever it orders (I-15, I-23)', () => {
    const runaway = `Strategy reacts to its own orders without end: more than ${REACTIONS_MAX} times at one instant`;
    expect(outcomeOf(reacting(Number.POSITIVE_INFINITY))).toBe(`${REACTIONS_MAX + 1}: ${runaway}`);
  });

  it('starts counting again at each event', () => {
    let turns = 0;
    const stages = stagesOf({
      batches$: of(momentOf(1, 2, 3)),
      decide: (event) => {
        turns = event.kind === 'quote' ? 0 : turns + 1;
        return returning(turns < REACTIONS_MAX - 1 ? [buy] : []);
      },
      execute: () => emitting(fillUpdate(fillOf('e', 'buy', '1', '1'), millis(0))),
    });
    expect(outcomeOf(stages)).toBe(`${3 * REACTIONS_MAX}: done`);
  });
});
