import fc from 'fast-check';
import { of } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { programIn } from '#src/hosts/strategy/signal-runs.ts';
import type { WorkerHost, WorkerHostOptions } from '#src/hosts/strategy/worker.ts';
import { WORKER_LIMITS } from '#src/hosts/workers/worker-limits.ts';
import type { Bar } from '#src/model/bar.ts';
import type { SecuritySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS, millis } from '#src/model/time.ts';
import { workerFor } from '../fixtures/hosts.ts';
import { createInProcessSignals } from '../fixtures/in-process-signals.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import ownIndicator, { type OwnWay } from '../fixtures/plugins/own-indicator.ts';
import { signalQuestion, startQuestion } from '../fixtures/questions.ts';
import { answerOf } from '../fixtures/tasks.ts';

const FEED = { period: '1m', dayPieces: [390 * MINUTE_MS] } as const;
const open: WorkerHost[] = [];

async function hostThat(way: OwnWay, options: Partial<WorkerHostOptions> = {}): Promise<WorkerHost> {
  const host = await workerFor('own-indicator', { params: { way }, signals: { feed: FEED }, ...options });
  open.push(host);
  return host;
}

afterEach(async () => {
  for (const host of open.splice(0)) await host.close();
});

function bar(symbol: SecuritySymbol, minute: number, close: number): Bar {
  const time = millis(minute * MINUTE_MS);
  return { symbol, period: '1m', time, open: close, high: close, low: close, close, volume: 100 };
}

const barsTo = (...closes: readonly number[]): readonly Bar[] =>
  closes.map((close, minute) => bar(AAPL, minute, close));

describe("a strategy's signals in a worker", () => {
  it('are computed where the strategy runs, bar by bar, a run per symbol', async () => {
    const host = await hostThat('well');
    const { signals } = host;
    expect(signals.warmup).toBe(3);
    const warm = await answerOf(signals.evaluate([...barsTo(5, 6, 7), bar(TENCENT, 0, 9)]));
    expect(warm).toEqual({
      kind: 'readings',
      readings: Array.from({ length: 4 }, () => ({ isWarmedUp: false, signals: [] })),
    });
    await answerOf(signals.evaluate([bar(AAPL, 3, 4)]));
    expect(await answerOf(signals.evaluate([bar(AAPL, 4, 13)]))).toMatchObject({
      readings: [{ isWarmedUp: true, signals: [{ name: 'cross', direction: 'up' }] }],
    });
    const answer = await answerOf(host.call(signalQuestion(5)));
    expect(answer).toMatchObject({ drafts: [{ reason: 'average 8' }] });
  });

  it('show their nodes while the thread has nothing else to answer, and do not change by it', async () => {
    const { signals } = await hostThat('well');
    await answerOf(signals.evaluate([...barsTo(5, 6, 7), bar(TENCENT, 0, 9)]));
    const shown = async () => answerOf(signals.nodes?.() ?? of(undefined));
    const graph = await shown();
    expect(graph?.symbols.map(({ symbol }) => symbol)).toEqual([AAPL, TENCENT]);
    const closeOf = (at: number) => graph?.symbols[at]?.nodes.find(({ key }) => key === 'close')?.values;
    expect([closeOf(0), closeOf(1)]).toEqual([[7], [9]]);
    expect(await shown()).toEqual(graph);
    const [taken, busy] = await Promise.all([answerOf(signals.evaluate([bar(AAPL, 3, 4)])), shown()]);
    expect(busy).toBeUndefined();
    expect(taken).toMatchObject({ readings: [{ isWarmedUp: true }] });
  });

  it('keep the values of their series, each as it was at its bar, and none before the strategy can read them', async () => {
    const { signals } = await hostThat('well');
    await answerOf(signals.evaluate([...barsTo(5, 6, 7, 8), bar(TENCENT, 0, 9)]));
    const shown = async (symbol: SecuritySymbol) => answerOf(signals.series?.(symbol) ?? of(undefined));
    const read = await shown(AAPL);
    expect(read?.times).toEqual([0, 1, 2, 3].map((minute) => minute * MINUTE_MS));
    const average = read?.series.find(({ name }) => name === 'average')?.values;
    expect(average).toEqual([null, null, 6, 7]);
    expect((await shown(TENCENT))?.series[0]?.values).toEqual([null]);
    const [, busy] = await Promise.all([answerOf(signals.evaluate([bar(AAPL, 4, 4)])), shown(AAPL)]);
    expect(busy).toBeUndefined();
    expect((await shown(AAPL))?.times).toHaveLength(5);
  });

  it('are the same as in this process, to the last digit', async () => {
    const far = await hostThat('well', { limits: { ...WORKER_LIMITS, answerMsMax: 20_000 } });
    const near = createInProcessSignals('own-indicator', programIn(ownIndicator, { way: 'well' }, FEED));
    let minute = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(AAPL, TENCENT), fc.double({ min: 1, max: 20, noNaN: true })), {
          minLength: 1,
        }),
        async (closes) => {
          const bars = closes.map(([symbol, close]) => {
            minute += 1;
            return bar(symbol, minute, close);
          });
          const [one, other] = await Promise.all([
            answerOf(near.evaluate(bars)),
            answerOf(far.signals.evaluate(bars)),
          ]);
          expect(one.kind).toBe('readings');
          expect(other).toEqual(one);
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each([
    ['throws', /^Strategy "own-indicator" threw in signals: index out of bars \(at .*own-indicator\.ts:/],
    ['loops', /^Strategy "own-indicator" gave no signals of a bar within 500 ms$/],
    ['exits', /^Strategy "own-indicator" ended its own process, exit code 3$/],
    ['fills arrays', /gave no signals of a bar within|used more than 512 MB of memory at one event$/],
  ] as const)('fail alone when a custom indicator %s (I-16, F-G01, F-G02, F-G05)', async (way, what) => {
    const host = await hostThat(way);
    expect((await answerOf(host.signals.evaluate(barsTo(5, 6, 7)))).kind).toBe('readings');
    const fall = await answerOf(host.signals.evaluate([bar(AAPL, 9, 21)]));
    expect(fall).toMatchObject({ kind: 'failed', message: expect.stringMatching(what) });
    expect(host.state()).toBe('quarantined');
    expect(await answerOf(host.signals.evaluate([bar(AAPL, 10, 5)]))).toMatchObject({
      message: expect.stringMatching(/^Quarantined: /),
    });
    expect((await answerOf(host.call(startQuestion(1)))).kind).toBe('failed');
  });

  it('have 500 ms, and as much again for every hundred bars', async () => {
    const host = await hostThat('loops', { limits: { answerMsMax: 20 } });
    const bars = Array.from({ length: 250 }, (_, minute) => bar(AAPL, minute, 21));
    expect(await answerOf(host.signals.evaluate(bars))).toMatchObject({
      message: 'Strategy "own-indicator" gave no signals of 250 bars within 60 ms',
    });
  });

  it('that cannot be built do not start', async () => {
    await expect(hostThat('throws at once')).rejects.toMatchObject({
      message: expect.stringMatching(/it threw in signals: no such window \(at .*own-indicator\.ts:/),
    });
  });

  it('are not built while the strategy is only inspected', async () => {
    const host = await workerFor('own-indicator', { params: { way: 'throws at once' } });
    open.push(host);
    expect(host.facts).toMatchObject({
      name: 'own-indicator',
      params: { way: { kind: 'choice', default: 'well' } },
      listensTo: new Set(['signal']),
    });
    expect(host.signals.warmup).toBe(0);
  });
});
