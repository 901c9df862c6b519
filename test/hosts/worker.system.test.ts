import { lastValueFrom, merge, toArray } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import type { PluginOutput } from '#src/hosts/plugin-runner.ts';
import { createWorkerHost, type WorkerHost, type WorkerHostOptions } from '#src/hosts/strategy/worker.ts';
import { WorkerStartError } from '#src/hosts/workers/rpc-worker.ts';
import { millis } from '#src/model/time.ts';
import type { StrategyAnswer } from '#src/ports/strategy-host.ts';
import type { Request } from '#src/ports/task.ts';
import { toObservable } from '#src/ports/to-observable.ts';
import { pluginFile, workerFor } from '../fixtures/hosts.ts';
import { AAPL } from '../fixtures/market.ts';
import type { Way } from '../fixtures/plugins/misbehaves.ts';
import { barQuestion, startQuestion } from '../fixtures/questions.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { runTo } from '../fixtures/time.ts';

const open: WorkerHost[] = [];

async function hostOf(name: string, options: Partial<WorkerHostOptions> = {}): Promise<WorkerHost> {
  const host = await workerFor(name, options);
  open.push(host);
  return host;
}

const hostThat = (way: Way, options: Partial<WorkerHostOptions> = {}): Promise<WorkerHost> =>
  hostOf('misbehaves', { params: { way }, ...options });

afterEach(async () => {
  for (const host of open.splice(0)) await host.close();
});

/** Content of an answer: its failure, or the reason of its first draft. */
async function said(question: Request<StrategyAnswer>): Promise<string | undefined> {
  const answer = await answerOf(question);
  return answer.kind === 'failed' ? answer.message : answer.drafts[0]?.reason;
}

describe('a strategy in a worker', () => {
  it('is in quarantine after its first fault, and its thread is not called again (I-16)', async () => {
    const host = await hostThat('throws');
    const fault = expect.stringMatching(/^Strategy "misbehaves" threw in onBar: index out of bars/);
    expect(host.state()).toBe('running');
    expect(await said(host.call(startQuestion(1)))).toBe('at 1');
    expect(await said(host.call(barQuestion(2)))).toEqual(fault);
    expect(host.state()).toBe('quarantined');
    expect(await said(host.call(startQuestion(3)))).toMatch(
      /^Quarantined: Strategy "misbehaves" threw in onBar/,
    );
  });

  it('answers in quarantine at once, while subscribing', async () => {
    const host = await hostThat('throws');
    await said(host.call(barQuestion(1)));
    const heard: StrategyAnswer['kind'][] = [];
    toObservable(host.call(startQuestion(2))).subscribe((answer) => heard.push(answer.kind));
    expect(heard).toEqual(['failed']);
  });

  it('leaves no request unanswered when it fails, and none out of order', async () => {
    const host = await hostThat('throws');
    const asked = [startQuestion(1), barQuestion(2), startQuestion(3), barQuestion(4)].map((question) =>
      said(host.call(question)),
    );
    expect(await Promise.all(asked)).toEqual([
      'at 1',
      expect.stringMatching(/^Strategy .* threw/),
      expect.stringMatching(/^Quarantined: Strategy .* threw/),
      expect.stringMatching(/^Quarantined: Strategy .* threw/),
    ]);
  });

  it('may leave a limited number of requests waiting (I-23)', async () => {
    const host = await hostThat('throws', { limits: { requestsMax: 3 } });
    const three = Array.from({ length: 3 }, (_, at) => toObservable(host.call(startQuestion(at))));
    expect((await lastValueFrom(merge(...three).pipe(toArray()))).map(({ kind }) => kind)).toEqual(
      Array.from({ length: 3 }, () => 'drafts'),
    );
    const heard = await lastValueFrom(
      merge(...three, toObservable(host.call(startQuestion(9)))).pipe(toArray()),
    );
    expect(heard.map(({ kind }) => kind)).toEqual(Array.from({ length: 4 }, () => 'failed'));
    expect(heard[0]).toMatchObject({ message: 'Strategy "misbehaves" left 3 questions unanswered' });
  });

  it('continues when a caller unsubscribes before the answer', async () => {
    const host = await hostThat('throws');
    const left: StrategyAnswer[] = [];
    const away = toObservable(host.call(startQuestion(1))).subscribe((answer) => left.push(answer));
    const waiting = toObservable(host.call(barQuestion(2))).subscribe((answer) => left.push(answer));
    const stays = said(host.call(startQuestion(3)));
    away.unsubscribe();
    waiting.unsubscribe();
    expect(await stays).toBe('at 3');
    expect(left).toEqual([]);
    expect(host.state()).toBe('running');
  });

  it('has its console recorded, and cannot write to the console of this process', async () => {
    const heard: PluginOutput[] = [];
    const host = await hostThat('floods its console', {
      limits: { outputCharsMax: 10_000_000 },
      onOutput: (output) => heard.push(output),
    });
    await said(host.call(barQuestion(1)));
    await expect
      .poll(
        () =>
          heard
            .filter(({ stream }) => stream === 'stdout')
            .map(({ text }) => text)
            .join('').length,
      )
      .toBe(2_000 * 101);
  });
});

describe('the deadline of an answer', () => {
  it('is 500 ms of the given clock, to the millisecond (I-16, F-G01)', async () => {
    const clock = new VirtualClock(millis(1_000));
    const host = await hostThat('loops', { isolation: 'thread', clock });
    const heard: StrategyAnswer[] = [];
    toObservable(host.call(barQuestion(7))).subscribe((answer) => heard.push(answer));
    runTo(clock, 1_499);
    expect(heard).toEqual([]);
    runTo(clock, 1_500);
    expect(heard).toEqual([
      { kind: 'failed', message: 'Strategy "misbehaves" gave no answer to "bar" within 500 ms', stack: '' },
    ]);
  });

  it('is as long as configured', async () => {
    const clock = new VirtualClock(millis(0));
    const host = await hostThat('loops', { isolation: 'thread', clock, limits: { answerMsMax: 30 } });
    const heard: StrategyAnswer[] = [];
    toObservable(host.call(barQuestion(7))).subscribe((answer) => heard.push(answer));
    runTo(clock, 29);
    expect(heard).toEqual([]);
    runTo(clock, 30);
    expect(heard).toHaveLength(1);
  });

  it('is extended for as long as the machine keeps the thread from running', async () => {
    const host = await hostThat('does not run for a while', {
      isolation: 'thread',
      limits: { answerMsMax: 150 },
    });
    expect(await said(host.call(barQuestion(1)))).toBeUndefined();
    expect(host.state()).toBe('running');
  });

  it('is extended to ten times its length at most (I-16, F-G01)', async () => {
    const host = await hostThat('never runs again', { isolation: 'thread', limits: { answerMsMax: 200 } });
    const began = performance.now();
    expect(await said(host.call(barQuestion(1)))).toMatch(/gave no answer to "bar" within 200 ms$/);
    expect(performance.now() - began).toBeGreaterThan(1_990);
  });

  it('begins when the request is sent, not when it is queued, and ends with the answer', async () => {
    const clock = new VirtualClock(millis(0));
    const host = await hostThat('throws', { clock });
    expect(await said(host.call(startQuestion(1)))).toBe('at 1');
    runTo(clock, 10_000);
    expect(await said(host.call(startQuestion(2)))).toBe('at 2');
    runTo(clock, 20_000);
    expect(host.state()).toBe('running');
  });
});

describe('starting a strategy in a worker', () => {
  it.each([
    ['no-strategy', /has a default export that did not come from defineStrategy, want /],
    ['throws-at-load', /failed while it was loaded: no such model file \(at .*throws-at-load\.ts:1:7\)$/],
    ['reaches-out-at-load', /failed while it was loaded: A strategy cannot import "node:net"/],
    ['no-such-file', /failed while it was loaded: Cannot find module/],
  ])('fails for the file %s, and reports why', async (name, why) => {
    const error: unknown = await hostOf(name).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WorkerStartError);
    expect(error).toMatchObject({
      code: 'strategy-not-started',
      message: expect.stringMatching(/^Cannot start the strategy in ".+\.ts": it /),
    });
    expect(error).toMatchObject({ message: expect.stringMatching(why) });
  });

  it('fails when it takes longer than the limit (I-16, F-G01)', async () => {
    const clock = new VirtualClock(millis(0));
    const options = { file: pluginFile('loops-at-load'), params: {}, symbols: [AAPL], startsAt: millis(0) };
    const starting = createWorkerHost({ ...options, clock, seed: 1, isolation: 'thread' });
    runTo(clock, 12_000);
    await expect(starting).rejects.toThrow('was not loaded within 10000 ms');
  });
});

describe('closing', () => {
  it('answers what is still open, ends the thread, and may be repeated', async () => {
    const host = await hostThat('loops');
    const asked = [said(host.call(barQuestion(1))), said(host.call(startQuestion(2)))];
    const over = 'Strategy "misbehaves" cannot be asked: its host is closed';
    await host.close();
    expect(await Promise.all(asked)).toEqual([over, over]);
    expect(await said(host.call(startQuestion(3)))).toBe(over);
    expect(host.state()).toBe('closed');
    await host.close();
  });
});
