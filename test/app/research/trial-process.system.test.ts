import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { WorkerSlots } from '#src/app/research/queue/worker-slots.ts';
import { startTrialProcess, type TrialJob } from '#src/app/research/trial-process.ts';

const project = mkdtempSync(join(tmpdir(), 'sluice-trials-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const PLAIN = `import { defineStrategy, param } from '@sluice-trading/sluice';
export default defineStrategy({
  name: 'plain',
  params: { n: param.int({ min: 0, max: 100, default: 1, doc: 'N' }) },
  onBar: (bar, { params, orders }) => orders.targetWeight(bar.symbol, (params.n + 1) / 500, 'a little'),
});
`;

beforeAll(() => {
  mkdirSync(join(project, 'strategies'));
  writeFileSync(join(project, 'strategies/plain.ts'), PLAIN);
  writeFileSync(join(project, 'strategies/leaves.ts'), `process.exit(0);\n${PLAIN}`);
  writeFileSync(
    join(project, 'strategies/rejects.ts'),
    PLAIN.replace("'plain'", "'rejects'").replace(
      '(bar, { params, orders }) =>',
      `$&
      params.n === 1 ? void Promise.reject(new Error('no such level')) :`,
    ),
  );
  for (const strategy of ['plain', 'leaves', 'rejects'])
    writeFileSync(
      join(project, `${strategy}.yaml`),
      `strategy: ${strategy}
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2019-01-02, to: 2019-12-31 }
risk: { maxOrderNotional: 100000 USD, maxPositionWeight: 90% }
`,
    );
});

const jobOf = (strategy: string): TrialJob => ({
  ...{ path: join(project, `${strategy}.yaml`), project, changes: {}, callMsMax: 10_000, keepDays: false },
});

/** Starts a process, sends it two trials at once and waits for its end. */
async function heardFrom(strategy: string) {
  const heard: string[] = [];
  let data = '';
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const running = startTrialProcess(jobOf(strategy), 1, {
    onReady: (hash) => {
      data = hash;
      heard.push('ready');
    },
    onOutcome: (trial, outcome) =>
      heard.push(`${trial} ${outcome.kind}${outcome.kind === 'failed' ? `: ${outcome.message}` : ''}`),
    onFault: ({ message }) => heard.push(message),
    interrupted: stop.signal,
  });
  running.run(0, [
    { trial: 4, params: { n: 1 } },
    { trial: 5, params: { n: 2 } },
  ]);
  running.finish();
  return { end: await running.ended, heard, data };
}

it('runs trials that it received before it was ready, once it is', async () => {
  const { end, heard } = await heardFrom('plain');
  expect(heard).toEqual(['ready', '4 done', '5 done']);
  expect(end).toMatchObject({ isReady: true, running: [], waiting: [] });
});

it('returns its trials if its strategy ends it on load', async () => {
  const { end, heard } = await heardFrom('leaves');
  expect(heard).toEqual([]);
  expect(end).toMatchObject({ isReady: false, running: [4], waiting: [5] });
  expect(end.reason).toBe('the strategy ended its process, exit code 0');
});

it('names an error that a strategy threw outside its hooks', async () => {
  const { end, heard } = await heardFrom('rejects');
  expect(heard).toEqual([
    'ready',
    '4 failed: the thread of the trial failed: no such level (at strategies/rejects.ts:6:44)',
  ]);
  expect(end).toMatchObject({ isReady: true, running: [], waiting: [5] });
});

it('returns outcomes to a worker, and refuses data other than those of the sweep', async () => {
  const { data } = await heardFrom('plain');
  const slots = new WorkerSlots(1, new AbortController());
  onTestFinished(() => slots.close());
  const of = (hash: string) =>
    ({ job: jobOf('plain'), manifest: { data: hash } }) as Parameters<WorkerSlots['run']>[0];
  const outcomes = await Promise.all([0, 1, 2].map((trial) => slots.run(of(data), trial, { n: trial })));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['done', 'done', 'done']);
  await slots.close();
  const others = new WorkerSlots(1, new AbortController());
  onTestFinished(() => others.close());
  const refused = 'The data that this worker reads is not that of the sweep';
  await expect(others.run(of('other'), 0, { n: 1 })).rejects.toThrow(refused);
  // The process ends by itself, and another one takes its place.
  await expect(others.run(of('other'), 1, { n: 1 })).rejects.toThrow(refused);
});
