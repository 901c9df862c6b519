/** Program of the risk rules' worker: enters the sandbox, loads the rules and answers requests. */

import { seededRandom } from '../model/seeded-random.ts';
import { PLUGIN_KINDS } from '../plugins/kinds.ts';
import type { RuleAnswer, RuleQuestion } from '../risk/custom-rules.ts';
import { importPlugin } from './plugins/import-plugin.ts';
import { evaluateRules, type HostedRule } from './rules/evaluate-rules.ts';
import type { RuleSetup } from './rules/rule-worker.ts';
import { saveCompileCache } from './sandbox/compile-cache.ts';
import { linkToHost } from './sandbox/host-link.ts';
import { enterSandbox } from './sandbox/sandbox.ts';
import { unpackPlain } from './strategy/request-codec.ts';
import { heapProblem } from './workers/heap-usage.ts';
import { serveRequests } from './workers/serve-requests.ts';

/** Niceness of rules. */
const NICENESS = 5;

const setup = await linkToHost<RuleSetup>();
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
  serveRequests(port, (packed: unknown) => {
    const question = unpackPlain(packed) as RuleQuestion;
    marketNow = question.now;
    return withHeapCheck(evaluateRules(hosted, question));
  });
  saveCompileCache();
  port.postMessage({ kind: 'ready' });
}

/** Returns a failure if the rules hold too much memory. */
function withHeapCheck(answer: RuleAnswer): RuleAnswer {
  const problem = heapProblem(setup.heldBytesMax, 'a question');
  if (problem === undefined) return answer;
  return { kind: 'failed', rule: setup.rules[0]?.name ?? '', message: `Risk rules hold ${problem}` };
}
