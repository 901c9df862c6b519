/** The program of a strategy's thread: fences itself in, loads the strategy, and answers one question at a time. */
import { setPriority } from 'node:os';
import { pathToFileURL } from 'node:url';
import { MessageChannel, parentPort, workerData } from 'node:worker_threads';
import type { StrategyAnswer } from '../ports/strategy-host.ts';
import { isStrategy, type Strategy } from '../strategy/define-strategy.ts';
import { answerQuestion, hooksOf } from './answer-question.ts';
import { heldBeyond } from './held-memory.ts';
import { declaredState } from './hosted-state.ts';
import { enterMarketWorld } from './market-world.ts';
import { refuseReachingModules } from './plugin-imports.ts';
import { packDrafts, unpackQuestion } from './question-codec.ts';
import { readThrown } from './thrown.ts';
import type { NumberedQuestion, ThreadSetup } from './worker-messages.ts';

/** How far plugins stand back when the cores are busy: the engine's own thread stays at 0. */
const NICENESS = 5;

const setup: ThreadSetup = workerData;
const { port } = setup;
let marketNow: number = setup.startsAt;

/** Answers take their own way; what the plugin posts here leads nowhere. */
parentPort?.close();
/** Elsewhere than on Linux this would slow the whole process. */
if (process.platform === 'linux') setPriority(0, NICENESS);
enterMarketWorld({ now: () => marketNow, startsAt: setup.startsAt, seed: setup.seed });
refuseReachingModules();
process.on('uncaughtException', (thrown) => {
  const { message, stack, place } = readThrown(thrown);
  endSaying(`threw outside of its hooks: ${message}${place}`, stack);
});
await open();

async function open(): Promise<void> {
  const strategy = await load();
  if (strategy === undefined) return;
  port.on('message', answerer(strategy));
  const { name } = strategy;
  port.postMessage({
    kind: 'ready',
    name,
    listensTo: [...hooksOf(strategy)],
    state: declaredState(strategy),
  });
}

async function load(): Promise<Strategy | undefined> {
  try {
    const exported: Readonly<Record<string, unknown>> = await import(pathToFileURL(setup.file).href);
    const strategy = exported['default'];
    if (isStrategy(strategy)) return strategy;
    const wanted = 'want "export default defineStrategy({ ... })"';
    endSaying(`has a default export that did not come from defineStrategy, ${wanted}`, '');
  } catch (thrown) {
    const { message, stack, place } = readThrown(thrown);
    endSaying(`failed while it was loaded: ${message}${place}`, stack);
  }
  return undefined;
}

function endSaying(what: string, stack: string): void {
  port.postMessage({ kind: 'over', what, stack });
}

/**
 * An answer leaves one turn of the thread's loop after its hook returned: when promises that the hook began go round in
 * circles it never leaves, and when one of them fails the thread is gone before it does.
 */
function answerer(strategy: Strategy): (asked: NumberedQuestion) => void {
  const hosted = { strategy, params: setup.params, symbols: setup.symbols };
  const turn = new MessageChannel();
  let held: (() => void) | undefined;
  turn.port2.on('message', () => {
    held?.();
    held = undefined;
  });
  return ({ number, question }) => {
    marketNow = question.snapshot.now;
    const answer = answerQuestion(hosted, unpackQuestion(question), setup.draftsMax);
    held = () => port.postMessage({ number, ...packed(checked(answer, strategy)) });
    turn.port1.postMessage(undefined);
  };
}

function checked(answer: StrategyAnswer, strategy: Strategy): StrategyAnswer {
  const held = answer.kind === 'failed' ? undefined : heldBeyond(setup.heldBytesMax);
  if (held === undefined) return answer;
  const most = megabytes(setup.heldBytesMax);
  const message = `Strategy "${strategy.name}" holds ${megabytes(held)} MB of memory after an event, most is ${most} MB`;
  return { kind: 'failed', message, stack: '' };
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}

function packed(answer: StrategyAnswer): object {
  return answer.kind === 'failed' ? answer : { ...answer, drafts: packDrafts(answer.drafts) };
}
