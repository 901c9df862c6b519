import { describe, expect, it } from 'vitest';
import type { WorkerHost } from '#src/hosts/strategy/worker.ts';
import { decimal } from '#src/model/decimal.ts';
import type { StrategyAnswer } from '#src/ports/strategy-host.ts';
import { workerFor } from '../fixtures/hosts.ts';
import { AAPL } from '../fixtures/market.ts';
import type { Way } from '../fixtures/plugins/misbehaves.ts';
import { barQuestion, quoteQuestion, startQuestion } from '../fixtures/questions.ts';
import { answerOf } from '../fixtures/tasks.ts';

async function using<T>(host: WorkerHost, work: (host: WorkerHost) => Promise<T>): Promise<T> {
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}

/** The first failure of a strategy that misbehaves at every bar, and the number of answers before it. */
async function fallOf(host: WorkerHost): Promise<{ readonly message: string; readonly answers: number }> {
  for (let answers = 0; answers < 20; answers += 1) {
    const answer = await answerOf(host.call(barQuestion(answers)));
    if (answer.kind === 'failed') return { message: answer.message, answers };
  }
  return { message: 'is well', answers: 20 };
}

/** Faults that the in-process host would not survive; `at` is the number of answers before. */
const FATAL: readonly (readonly [way: Way, message: RegExp, answersBefore: number])[] = [
  ['loops', /gave no answer to "bar" within 500 ms$/, 0],
  ['goes round in promises', /gave no answer to "bar" within 500 ms$/, 0],
  ['rejects aside', /threw outside of its hooks: this is not awaited \(at .*misbehaves\.ts:/, 0],
  ['fills a map', /gave no answer to "bar" within|used more than 512 MB of memory at one event$/, 0],
  ['fills arrays', /gave no answer to "bar" within|used more than 512 MB of memory at one event$/, 0],
  ['fills buffers', /gave no answer to "bar" within|used more than 512 MB of memory at one event$/, 0],
  ['holds 40 MB more each time', /holds \d+ MB of memory after an event, most is 128 MB$/, 3],
  ['exits the process', /ended its own process, exit code 3$/, 0],
  ['kills the process', /threw in onBar: A strategy cannot use process\.kill: /, 0],
  ['floods its console', /wrote more than 65536 characters to its console at one event$/, 2],
  ['posts messages', /threw in onBar: A strategy cannot use process\.getBuiltinModule: /, 0],
  ['sets a timer', /threw in onBar: A strategy cannot use setTimeout: decide in the hooks/, 0],
  ['fetches', /threw in onBar: A strategy cannot use fetch: /, 0],
  ['opens a socket', /threw in onBar: A strategy cannot use WebSocket: /, 0],
  ['imports the network', /threw outside of its hooks: A strategy cannot import "node:http"/, 0],
];

/**
 * Faults that only code in a thread (`isolation: thread`) can cause, as it shares the class of its port with our own
 * code.
 */
const FATAL_IN_THREAD: typeof FATAL = [
  ['answers twice', /sent a message that no question asked for$/, 1],
  ['answers something else', /sent a message that no question asked for$/, 0],
  ['exits the process', /ended its own thread, exit code 3$/, 0],
  ['loops', /gave no answer to "bar" within 500 ms$/, 0],
  ['posts messages', /threw in onBar: A strategy cannot use process\.getBuiltinModule: /, 0],
  ['imports the network', /threw outside of its hooks: A strategy cannot import "node:http"/, 0],
];

describe('a strategy that would end or block the process', () => {
  it.each(FATAL_IN_THREAD)('fails alone in a thread when it %s (I-16)', async (way, message, before) => {
    const host = await workerFor('misbehaves', { params: { way }, isolation: 'thread' });
    await using(host, async () => {
      const fall = await fallOf(host);
      expect(fall.message).toMatch(message);
      expect(fall.answers).toBeLessThanOrEqual(before);
      expect(host.state()).toBe('quarantined');
    });
  });

  it.each(FATAL)(
    'fails alone when it %s (I-16, F-G01, F-G02, F-G03, F-G05)',
    async (way, message, before) => {
      // A busy machine takes long to provide memory; loops are found at the deadline of users.
      const limits = way.includes('40 MB') ? { answerMsMax: 20_000 } : {};
      await using(await workerFor('misbehaves', { params: { way }, limits }), async (host) => {
        const fall = await fallOf(host);
        expect(fall.message).toMatch(/^Strategy "misbehaves" /);
        expect(fall.message).toMatch(message);
        expect(fall.answers).toBeLessThanOrEqual(before);
        expect(host.state()).toBe('quarantined');
      });
    },
  );

  it('does not affect other strategies (I-16)', async () => {
    await using(await workerFor('misbehaves', { params: { way: 'loops' } }), async (bad) => {
      await using(await workerFor('misbehaves', { params: { way: 'throws' } }), async (good) => {
        const falling = answerOf(bad.call(barQuestion(1)));
        let answers = 0;
        while (bad.state() === 'running') {
          expect((await answerOf(good.call(startQuestion(answers)))).kind).toBe('drafts');
          answers += 1;
        }
        expect(answers).toBeGreaterThan(10);
        expect((await falling).kind).toBe('failed');
        expect(good.state()).toBe('running');
      });
    });
  });
});

describe('a strategy without malice', () => {
  it('is not blamed for garbage that can be collected (F-G05)', async () => {
    const params = { way: 'leaves 40 MB behind each time' };
    // Only its memory is judged: a busy machine may take long to collect garbage.
    const limits = { answerMsMax: 20_000 };
    await using(await workerFor('misbehaves', { params, limits }), async (host) => {
      expect(await fallOf(host)).toEqual({ message: 'is well', answers: 20 });
    });
  });

  it('changes copies of its input, and nothing else (F-G07)', async () => {
    await using(await workerFor('meddles'), async (host) => {
      const question = quoteQuestion(7, decimal('412.40'), 300);
      const before = structuredClone({ ...question.snapshot });
      const seen: StrategyAnswer[] = [];
      for (let time = 0; time < 2; time += 1) seen.push(await answerOf(host.call(question)));
      expect(seen[0]).toMatchObject({
        drafts: [{ symbol: 'AAPL.US', reason: '300 held at 412.4, of NONE.US' }],
      });
      expect(seen[1]).toEqual(seen[0]);
      expect(question.snapshot).toEqual(before);
      expect(question.event).toMatchObject({ symbol: AAPL, quote: { last: decimal('412.40') } });
    });
  });
});

describe('clock and random numbers in a worker', () => {
  async function shown(seed: number, time: number) {
    return using(await workerFor('clock-and-chance', { seed }), async (host) => {
      const answer = await answerOf(host.call(startQuestion(time)));
      if (answer.kind === 'failed') throw new Error(answer.message);
      return JSON.parse(answer.drafts[0]?.reason ?? '');
    });
  }

  it('are market time and a seed, and no environment can be read (F-G08)', async () => {
    const time = Date.UTC(2024, 1, 29, 14, 30, 0, 250);
    expect(await shown(1, time)).toEqual({
      loadedAt: 0,
      now: time,
      written: '2024-02-29T14:30:00.250Z',
      text: Math.floor(time / 1_000) * 1_000,
      copied: time,
      given: 77,
      inWords: '2/29/24',
      inParts: '2024',
      performance: time,
      origin: 0,
      hrtime: [Math.floor(time / 1_000), 250_000_000],
      nanos: `${time}000000`,
      uptime: time / 1_000,
      environment: [],
      random: [
        expect.any(Number),
        expect.any(Number),
        expect.stringMatching(/^[0-9a-f-]{36}$/),
        expect.any(Object),
      ],
    });
  });

  it('are the same in every run of one seed, and different with another (F-G08, I-26)', async () => {
    const first = await shown(1, 5_000);
    expect(await shown(1, 5_000)).toEqual(first);
    expect((await shown(2, 5_000)).random).not.toEqual(first.random);
  });
});
