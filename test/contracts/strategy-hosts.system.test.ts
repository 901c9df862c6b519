import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInProcessHost } from '#src/hosts/strategy/in-process.ts';
import type { WorkerHost } from '#src/hosts/strategy/worker.ts';
import { WORKER_LIMITS } from '#src/hosts/workers/worker-limits.ts';
import type { Strategy } from '#src/strategy/define-strategy.ts';
import { workerFor } from '../fixtures/hosts.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import echo from '../fixtures/plugins/echo.ts';
import misbehaves from '../fixtures/plugins/misbehaves.ts';
import remembers from '../fixtures/plugins/remembers.ts';
import { someQuestion } from '../fixtures/questions.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { describeStrategyHost, type PluginName } from './describe-strategy-host.ts';

const PLUGINS: Readonly<Record<PluginName, unknown>> = { echo, misbehaves, remembers };

describeStrategyHost('in this process', async (plugin, params) => ({
  host: createInProcessHost({ strategy: PLUGINS[plugin] as Strategy, params, symbols: [AAPL] }),
  close: async () => undefined,
}));

/** None of these plugins is late on purpose, so a busy machine gets enough time. */
const PATIENT = { ...WORKER_LIMITS, answerMsMax: 20_000 };

describeStrategyHost('in a worker', async (plugin, params) => {
  const host = await workerFor(plugin, { params, limits: PATIENT });
  return { host, close: () => host.close() };
});

describe('both hosts', () => {
  const symbols = [AAPL, TENCENT];
  const near = createInProcessHost({ strategy: echo as unknown as Strategy, params: {}, symbols });
  let far: WorkerHost;

  beforeAll(async () => {
    far = await workerFor('echo', { symbols });
  });

  afterAll(() => far.close());

  it('listen to the same events', () => {
    expect(far.listensTo).toEqual(near.listensTo);
  });

  it('give the same answers to the same requests, to the last digit', async () => {
    await fc.assert(
      fc.asyncProperty(someQuestion, async (question) => {
        const [one, other] = await Promise.all([answerOf(near.call(question)), answerOf(far.call(question))]);
        expect(one.kind).toBe('drafts');
        expect(other).toEqual(one);
      }),
      { numRuns: 300 },
    );
  });
});
