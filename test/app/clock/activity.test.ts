import { NEVER, of, Subject, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createActivity } from '#src/app/clock/activity.ts';

/** Whether a promise has resolved after all work that is due now. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  let done = false;
  promise.then(() => {
    done = true;
  });
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe('activity', () => {
  it('is idle when no work is in progress', async () => {
    expect(await isDone(createActivity().idle())).toBe(true);
  });

  it('is not idle until all counted work has ended, however it ends', async () => {
    const activity = createActivity();
    const [first$, second$] = [new Subject<number>(), new Subject<number>()];
    const errors: unknown[] = [];
    activity.track(first$).subscribe();
    activity.track(second$).subscribe({ error: (error) => errors.push(error) });
    const idle = activity.idle();
    first$.next(1);
    expect(await isDone(idle)).toBe(false);
    first$.complete();
    expect(await isDone(idle)).toBe(false);
    second$.error('broken');
    expect(await isDone(idle)).toBe(true);
    expect(errors).toEqual(['broken']);
  });

  it('counts each subscription, from its start and not from the call', async () => {
    const activity = createActivity();
    const work$ = activity.track(NEVER);
    expect(await isDone(activity.idle())).toBe(true);
    const subscriptions = [work$.subscribe(), work$.subscribe()];
    subscriptions[0]?.unsubscribe();
    expect(await isDone(activity.idle())).toBe(false);
  });

  it('is idle again after work was unsubscribed', async () => {
    const activity = createActivity();
    const subscription = activity.track(NEVER).subscribe();
    const idle = activity.idle();
    subscription.unsubscribe();
    expect(await isDone(idle)).toBe(true);
  });

  it('waits for work that begins because other work ended', async () => {
    const activity = createActivity();
    const [first$, next$] = [new Subject<void>(), new Subject<void>()];
    activity.track(first$).subscribe({ complete: () => activity.track(next$).subscribe() });
    const idle = activity.idle();
    first$.complete();
    expect(await isDone(idle)).toBe(false);
    next$.complete();
    expect(await isDone(idle)).toBe(true);
  });

  it('passes values and errors on unchanged', () => {
    const activity = createActivity();
    const seen: unknown[] = [];
    activity.track(of(1, 2)).subscribe((value) => seen.push(value));
    activity.track(throwError(() => 'no')).subscribe({ error: (error) => seen.push(error) });
    expect(seen).toEqual([1, 2, 'no']);
  });
});
