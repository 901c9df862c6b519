import { afterEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { createInProcessRules } from '#src/hosts/rules/evaluate-rules.ts';
import { createRuleWorker, type RuleWorker, type RuleWorkerOptions } from '#src/hosts/rules/rule-worker.ts';
import { WorkerStartError } from '#src/hosts/workers/rpc-worker.ts';
import { decimal } from '#src/model/decimal.ts';
import { millis } from '#src/model/time.ts';
import type { RuleHost } from '#src/ports/rule-host.ts';
import type { RuleQuestion } from '#src/risk/custom-rules.ts';
import { pluginFile } from '../fixtures/hosts.ts';
import { AAPL } from '../fixtures/market.ts';
import ruleThat from '../fixtures/plugins/rule-that.ts';
import { answerOf } from '../fixtures/tasks.ts';

const QUESTION: RuleQuestion = {
  now: millis(1_000),
  order: {
    ...{ symbol: AAPL, side: 'buy', type: 'LO', timeInForce: 'day' },
    ...{ quantity: decimal('100'), price: decimal('10.5') },
  },
  opens: true,
  session: { kind: 'regular', until: millis(2_000) },
  ...{ currency: 'USD', lotSize: 1, lastPrice: decimal('10'), bid: undefined, ask: undefined },
  ...{ dayOpen: undefined, held: decimal('0'), openBuys: decimal('0'), openSells: decimal('0') },
  ...{ openOrders: 0, notional: decimal('1050'), equity: decimal('10000'), dayProfit: decimal('-1.5') },
  ...{ grossElsewhere: decimal('0'), passed: [] },
};

const open: RuleWorker[] = [];
afterEach(async () => {
  for (const worker of open.splice(0)) await worker.close();
});

async function workerOf(
  rules: RuleWorkerOptions['rules'],
  more: Partial<RuleWorkerOptions> = {},
): Promise<RuleWorker> {
  const clock = createSystemClock();
  const worker = await createRuleWorker({ rules, clock, startsAt: millis(0), seed: 1, ...more });
  open.push(worker);
  return worker;
}

const ruleFile = (way: string) => ({ name: 'own', file: pluginFile('rule-that'), params: { way } });
const HOSTS: readonly [string, (way: string) => Promise<RuleHost>][] = [
  ['in process', async (way) => createInProcessRules([{ name: 'own', rule: ruleThat, params: { way } }])],
  ['in a thread', (way) => workerOf([ruleFile(way)])],
];
const ask = (host: RuleHost, question = QUESTION) => answerOf(host.evaluate(question));

describe.each(HOSTS)('risk rules %s', (_where, hostThat) => {
  it('approve an order by returning nothing, and deny it with a reason', async () => {
    expect(await ask(await hostThat('passes'))).toEqual({ kind: 'pass' });
    const reason = 'the tide is out';
    expect(await ask(await hostThat('denies'))).toEqual({ kind: 'deny', rule: 'own', reason });
  });

  it.each([
    ['throws', 'Risk rule "own" threw: no such moon'],
    ['throws a text', 'Risk rule "own" threw: oops'],
    ['answers true', 'answered a boolean, want a reason why the order is denied, or undefined'],
    ['answers a pass', 'answered a object'],
    ['answers an approval', 'answered a object'],
    ['answers a promise', 'answered a Promise (a rule is a plain function, not async)'],
    ['answers an empty text', 'answered an empty text'],
    ['answers null', 'answered null'],
  ])('mark a rule as failed that %s, and keep it failed (I-16)', async (way, words) => {
    const host = await hostThat(way);
    const answer = await ask(host);
    expect(answer).toMatchObject({ kind: 'failed', rule: 'own', message: expect.stringContaining(words) });
    expect(await ask(host)).toEqual(answer);
  });

  it('are not called for orders that only reduce, unless they request it', async () => {
    const reducing = { ...QUESTION, opens: false };
    expect(await ask(await hostThat('denies'), reducing)).toEqual({ kind: 'pass' });
  });
});

describe('a risk rule in a thread', () => {
  it('receives every figure to the last digit, and the clock of the market', async () => {
    const worker = await workerOf([{ name: 'reads', file: pluginFile('rule-reads'), params: {} }]);
    expect(await ask(worker, { ...QUESTION, notional: decimal('0.1000000000000000000001') })).toEqual({
      ...{ kind: 'deny', rule: 'reads' },
      reason: '100 at 10.5 worth 0.1000000000000000000001 at 1000, 0 passed',
    });
  });

  it.each(['loops', 'loops in promises'])('is ended when it %s (F-G01)', async (way) => {
    const reported: string[] = [];
    const onFailure = (message: string) => reported.push(message);
    const worker = await workerOf([ruleFile(way)], { limits: { answerMsMax: 150 }, onFailure });
    const answers = await Promise.all([ask(worker), ask(worker)]);
    for (const answer of answers)
      expect(answer).toMatchObject({ kind: 'failed', message: expect.stringContaining('within 150 ms') });
    expect(await ask(worker)).toEqual(answers[0]);
    expect(reported).toHaveLength(1);
  });

  it('is ended when it holds more than its share (F-G05)', async () => {
    const worker = await workerOf([ruleFile('holds 40 MB more each time')]);
    for (let asked = 0; asked < 3; asked += 1) await ask(worker);
    expect(await ask(worker)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('MB of memory after a question, most is 128 MB'),
    });
  });

  it('cannot end the process (F-G02)', async () => {
    const answer = await ask(await workerOf([ruleFile('ends its process')]));
    expect(answer).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('ended its own process'),
    });
  });

  it('that does not load starts nothing', async () => {
    const reported: string[] = [];
    const onFailure = (message: string) => reported.push(message);
    const starting = workerOf([{ name: 'own', file: pluginFile('throws-at-load'), params: {} }], {
      onFailure,
    });
    await expect(starting).rejects.toBeInstanceOf(WorkerStartError);
    await expect(workerOf([{ name: 'own', file: pluginFile('echo'), params: {} }])).rejects.toThrow(
      'Cannot start the risk rule "own": it has a default export that did not come from defineRiskRule, want ',
    );
    const several = ['one', 'other'].map((name) => ({ name, file: pluginFile('echo'), params: {} }));
    await expect(workerOf(several)).rejects.toThrow(
      'Cannot start the risk rules "one", "other": one of them ("one") has a default export',
    );
    expect(reported).toEqual([]);
  });

  it('may use no more memory while it is loaded than at a request (I-16, F-G05)', async () => {
    const starting = workerOf([{ name: 'own', file: pluginFile('fills-at-load'), params: {} }]);
    await expect(starting).rejects.toThrow(
      /it (was not loaded within|used more than 512 MB of memory while it was loaded|ran out of memory)/,
    );
  });

  it('receives an error when it uses a refused resource', async () => {
    expect(await ask(await workerOf([ruleFile('sets a timer')]))).toMatchObject({
      message: expect.stringContaining('A risk rule cannot use setTimeout: decide in the hooks'),
    });
  });

  it('is closed without reporting a failure', async () => {
    const reported: string[] = [];
    const worker = await workerOf([ruleFile('passes')], { onFailure: (message) => reported.push(message) });
    await worker.close();
    expect(reported).toEqual([]);
  });
});
