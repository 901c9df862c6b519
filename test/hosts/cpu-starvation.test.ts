import { beforeEach, describe, expect, it } from 'vitest';
import { CpuStarvation } from '#src/hosts/workers/cpu-starvation.ts';

const EVERY_MS = 25;
let alive = 0;
beforeEach(() => {
  alive = 900;
});

const delayOf = (ownMs: () => Promise<number | undefined>): CpuStarvation =>
  new CpuStarvation({ aliveMs: () => alive, ownMs }, EVERY_MS);

async function lookAfter(delay: CpuStarvation, ms: number): Promise<void> {
  alive += ms;
  await delay.sample();
}

describe('how long a thread waits for a processor', () => {
  it('is zero for one that always runs or idles, and before anything is known', async () => {
    const delay = delayOf(async () => alive - 7);
    expect(delay.ms).toBe(0);
    for (let looks = 0; looks < 20; looks += 1) await lookAfter(delay, EVERY_MS);
    expect(delay.ms).toBe(0);
  });

  it('is the time since the first reading in which it did not run', async () => {
    let own = 700;
    const delay = delayOf(async () => own);
    await lookAfter(delay, 0);
    own += 30;
    await lookAfter(delay, 100);
    expect(delay.ms).toBe(70);
    own += 400;
    await lookAfter(delay, 400);
    expect(delay.ms).toBe(70);
  });

  it('continues while a reading is unanswered, after the time that an answer takes, with one request at a time', async () => {
    const answers: ((own: number) => void)[] = [];
    const delay = delayOf(() => new Promise((resolve) => answers.push(resolve)));
    const first = delay.sample();
    alive += 25;
    expect(delay.ms).toBe(0);
    await lookAfter(delay, 200);
    expect([delay.ms, answers.length]).toEqual([200, 1]);
    answers[0]?.(50);
    await first;
    expect(delay.ms).toBe(200);
    const second = delay.sample();
    alive += 300;
    answers[1]?.(60);
    await second;
    expect(delay.ms).toBe(490);
  });

  it('is the delay of the first observer', async () => {
    const delay = delayOf(async () => alive);
    await lookAfter(delay, 85);
    await lookAfter(delay, 85);
    expect(delay.ms).toBe(60);
  });

  it('keeps its value if there is no thread, not yet or not any more', async () => {
    const reported = [undefined, 10, 10, undefined];
    const delay = delayOf(async () => reported.shift());
    for (let looks = 0; looks < 4; looks += 1) await lookAfter(delay, EVERY_MS);
    alive += 500;
    expect(delay.ms).toBe(EVERY_MS);
  });
});
