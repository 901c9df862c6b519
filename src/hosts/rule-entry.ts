/** The program of the thread in which risk rules run: fences itself in, loads them, and answers one question at a time. */
import { MessageChannel } from 'node:worker_threads';
import { PLUGIN_KINDS } from '../plugins/kinds.ts';
import type { RuleAnswer, RuleQuestion } from '../risk/custom-rules.ts';
import { importPlugin } from './plugins/import-plugin.ts';
import { askRules, type HostedRule } from './rules/ask-rules.ts';
import type { RuleThreadSetup } from './rules/rule-setup.ts';
import { keepCompiled } from './sandbox/compile-cache.ts';
import { linkToHost } from './sandbox/host-link.ts';
import { enterSandbox } from './sandbox/sandbox.ts';
import { seededRandom } from './sandbox/seeded-random.ts';
import { unpackPlain } from './strategy/question-codec.ts';
import { heapUsageAbove } from './workers/heap-usage.ts';

/** How far rules stand back when the cores are busy. */
const NICENESS = 5;

const setup = await linkToHost<RuleThreadSetup>();
const { port, modules } = setup;
let marketNow = setup.startsAt;

enterSandbox({
  kind: 'risk-rule',
  port,
  modules,
  niceness: NICENESS,
  world: { now: () => marketNow, startsAt: setup.startsAt, random: seededRandom(setup.seed) },
});
await open();

async function open(): Promise<void> {
  // An answer leaves one turn of the loop after its rule returned: promises that go round in circles never let it.
  const turn = new MessageChannel();
  const held: (() => void)[] = [];
  turn.port2.on('message', () => held.shift()?.());
  const hosted: HostedRule[] = [];
  for (const { name, file, params } of setup.rules) {
    const imported = await importPlugin(file, PLUGIN_KINDS['risk-rule']);
    if (imported.kind === 'fault') {
      const which = setup.rules.length > 1 ? `("${name}") ` : '';
      port.postMessage({ kind: 'over', what: `${which}${imported.what}` });
      return;
    }
    hosted.push({ name, rule: imported.plugin, params });
  }
  port.on('message', (request: { readonly number: number; readonly question: unknown }) => {
    const question = unpackPlain(request.question) as RuleQuestion;
    marketNow = question.now;
    const answer = weighed(askRules(hosted, question));
    held.push(() => port.postMessage({ kind: 'answer', number: request.number, answer }));
    turn.port1.postMessage(undefined);
  });
  keepCompiled();
  port.postMessage({ kind: 'ready' });
}

/** A rule that keeps ever more is a failed one. */
function weighed(answer: RuleAnswer): RuleAnswer {
  const held = heapUsageAbove(setup.heldBytesMax);
  if (held === undefined) return answer;
  const most = Math.ceil(setup.heldBytesMax / 2 ** 20);
  const message = `Risk rules hold ${Math.ceil(held / 2 ** 20)} MB of memory after a question, most is ${most} MB`;
  return { kind: 'failed', rule: setup.rules[0]?.name ?? '', message };
}
