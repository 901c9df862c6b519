import { concat, defer, ignoreElements, lastValueFrom, type Observable, of, Subject, timer } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { createActivity } from '#src/app/clock/activity.ts';
import { reloadableHost } from '#src/app/plugins/reloadable-host.ts';
import type { WorkerHost } from '#src/hosts/strategy/worker.ts';
import type { Bar } from '#src/model/bar.ts';
import type { SignalReadings, StrategyFailure, StrategyRequest } from '#src/ports/strategy-host.ts';
import { toObservable } from '#src/ports/to-observable.ts';
import { AAPL } from '../../fixtures/market.ts';

type Reading = SignalReadings | StrategyFailure;

const READ: Reading = { kind: 'readings', readings: [] };
const FAILED: Reading = { kind: 'failed', message: 'it threw', stack: '' };

const bar = (time: number) => ({ symbol: AAPL, time }) as Bar;

/** A strategy that answers each question with its name; its signal graph answers as `evaluate` does. */
function strategy(name: string, evaluate: (bars: readonly Bar[]) => Observable<Reading> = () => of(READ)) {
  const close = vi.fn(async (): Promise<void> => undefined);
  const call = (): Observable<unknown> => of(name);
  const signals = { warmup: 1, evaluate, values: () => ({}) };
  const host = {
    facts: { timers: {} },
    listensTo: new Set(['bar']),
    declaredState: undefined,
    call,
    signals,
  };
  return Object.assign(host as unknown as WorkerHost, { close });
}

/** A bot that received the bar of time 1, and then another strategy to replace its own. */
async function reloading(next: WorkerHost, old: WorkerHost = strategy('old')) {
  const { host, signals, swap, close } = reloadableHost(old, [AAPL]);
  const take = (time: number) => lastValueFrom(toObservable(signals.evaluate([bar(time)])));
  const question$ = defer(() => toObservable(host.call({} as StrategyRequest)));
  await take(1);
  const history = new Subject<readonly Bar[]>();
  const outcome = swap(next, () => history, createActivity()).then(
    () => 'taken up',
    (error: Error) => error.message,
  );
  const warm = (): void => {
    history.next([bar(0), bar(1)]);
    history.complete();
  };
  return { old, take, question$, ask: () => lastValueFrom(question$), close, outcome, warm };
}

describe('a strategy that replaces the running one', () => {
  it('is not put in place by a question that ends while it closes after a failure', async () => {
    const closing = Promise.withResolvers<void>();
    const next = strategy('next', ([first]) => of(first?.time === 2 ? FAILED : READ));
    next.close.mockReturnValue(closing.promise);
    const { old, take, ask, outcome, warm } = await reloading(next);
    await take(2);
    warm();
    await vi.waitFor(() => expect(next.close).toHaveBeenCalled());
    expect(await ask()).toBe('old');
    closing.resolve();
    expect(await outcome).toBe('it threw');
    expect(await ask()).toBe('old');
    expect(old.close).not.toHaveBeenCalled();
  });

  it.each([
    [READ, 'taken up', 'next'],
    [FAILED, 'it threw', 'old'],
  ])('receives no question before the bars of its warm-up are %o', async (reading, what, name) => {
    const late = new Subject<Reading>();
    const next = strategy('next', ([first]) => (first?.time === 2 ? late : of(READ)));
    const { take, ask, outcome, warm } = await reloading(next);
    await take(2);
    warm();
    await vi.waitFor(() => expect(late.observed).toBe(true));
    const answer = ask();
    const taken = take(3);
    late.next(reading);
    late.complete();
    expect(await answer).toBe(name);
    expect(await taken).toBe(READ);
    expect(await outcome).toBe(what);
    expect(await ask()).toBe(name);
  });

  it('is put in place although the running one always has a question open', async () => {
    const old = strategy('old');
    old.call = () => concat(timer(1).pipe(ignoreElements()), of('old')) as never;
    const { question$, outcome, warm } = await reloading(strategy('next'), old);
    let asked = 0;
    // Each question is sent before the one before it has ended.
    const askOn = (): void => {
      asked += 1;
      question$.subscribe((name) => {
        if (asked < 50 && String(name) === 'old') askOn();
      });
    };
    askOn();
    warm();
    expect(await outcome).toBe('taken up');
    expect(asked).toBeLessThan(50);
  });

  it('is closed with the running one if the bot ends during its warm-up', async () => {
    const next = strategy('next');
    const { old, close, outcome, warm } = await reloading(next);
    await close();
    warm();
    expect(await outcome).toBe('the bot ends');
    for (const each of [old, next]) expect(each.close).toHaveBeenCalled();
  });
});
