/** The program of a strategy's thread: fences itself in, loads the strategy, and answers one question at a time. */
import { MessageChannel } from 'node:worker_threads';
import { securitySymbol } from '../model/symbol.ts';
import { PLUGIN_KINDS } from '../plugins/kinds.ts';
import type { StrategyFailure, StrategyQuestion } from '../ports/strategy-host.ts';
import type { SignalProgram } from '../signals/program.ts';
import type { Strategy } from '../strategy/define-strategy.ts';
import { NO_GRAPH } from './plugins/graph-summary.ts';
import { importPlugin } from './plugins/import-plugin.ts';
import { strategyMetadata } from './plugins/strategy-metadata.ts';
import { keepCompiled } from './sandbox/compile-cache.ts';
import { linkToHost } from './sandbox/host-link.ts';
import { enterSandbox } from './sandbox/sandbox.ts';
import { seededRandom } from './sandbox/seeded-random.ts';
import { answerQuestion } from './strategy/answer-question.ts';
import { declaredState } from './strategy/hosted-state.ts';
import { packDrafts, unpackQuestion } from './strategy/question-codec.ts';
import { programIn, type SignalRuns, signalRuns, takeBars } from './strategy/signal-runs.ts';
import type { NumberedQuestion, ThreadAnswer, ThreadSetup } from './strategy/worker-messages.ts';
import { heapUsageAbove } from './workers/heap-usage.ts';
import { readThrown } from './workers/thrown.ts';

/** How far strategies stand back when the cores are busy. */
const NICENESS = 5;

const setup = await linkToHost<ThreadSetup>();
const { port, modules } = setup;
let marketNow: number = setup.startsAt;

enterSandbox({
  kind: 'strategy',
  port,
  modules,
  niceness: NICENESS,
  world: { now: () => marketNow, startsAt: setup.startsAt, random: seededRandom(setup.seed) },
});
await open();

async function open(): Promise<void> {
  const strategy = await load();
  if (strategy === undefined) return;
  try {
    const { signals, params } = setup;
    const program = signals === undefined ? undefined : programIn(strategy, params, signals.feed);
    port.on('message', answerer(strategy, program));
    const { names, warmup } = program ?? NO_GRAPH;
    const state = declaredState(strategy);
    port.postMessage({ kind: 'ready', facts: strategyMetadata(strategy), graph: { names, warmup }, state });
  } catch (thrown) {
    const { message, stack, place } = readThrown(thrown);
    endSaying(`threw in signals: ${message}${place}`, stack);
  }
}

async function load(): Promise<Strategy | undefined> {
  const imported = await importPlugin(setup.file, PLUGIN_KINDS.strategy);
  keepCompiled();
  if (imported.kind === 'ok') return imported.plugin;
  endSaying(imported.what, imported.stack);
  return undefined;
}

function endSaying(what: string, stack: string): void {
  port.postMessage({ kind: 'over', what, stack });
}

/**
 * An answer leaves one turn of the thread's loop after its hook returned: when promises that the hook began go round in
 * circles it never leaves, and when one of them fails the thread is gone before it does.
 */
function answerer(
  strategy: Strategy,
  program: SignalProgram | undefined,
): (numbered: NumberedQuestion) => void {
  const hosted = { strategy, params: setup.params, symbols: setup.symbols };
  const runs = program === undefined ? undefined : signalRuns(program, setup.signals?.splitAdjustments);
  const turn = new MessageChannel();
  let held: (() => void) | undefined;
  turn.port2.on('message', () => {
    held?.();
    held = undefined;
  });
  const answerTo = (numbered: NumberedQuestion): ThreadAnswer => {
    if (numbered.kind === 'bars')
      return runs === undefined ? NO_SIGNALS : takeBars(strategy.name, runs, numbered.bars);
    if (numbered.kind === 'nodes') return runs?.nodes() ?? { kind: 'nodes', symbols: [] };
    if (numbered.kind === 'series')
      return runs?.series(numbered.symbol) ?? { kind: 'series', times: [], series: [] };
    marketNow = numbered.question.snapshot.now;
    const question = unpackQuestion(numbered.question);
    const input = runs === undefined || program?.names.length === 0 ? question : withValues(question, runs);
    return answerQuestion(hosted, input, setup.draftsMax);
  };
  return (numbered) => {
    const answer = answerTo(numbered);
    held = () => port.postMessage({ number: numbered.number, ...packed(checked(answer, strategy)) });
    turn.port1.postMessage(undefined);
  };
}

/** The graph runs here, so its values are put in here. */
function withValues(question: StrategyQuestion, runs: SignalRuns): StrategyQuestion {
  const { snapshot } = question;
  const symbols = Object.entries(snapshot.symbols).map(([text, known]) => {
    const values = runs.values(securitySymbol(text), snapshot.now);
    return [text, { ...known, values }];
  });
  return { ...question, snapshot: { ...snapshot, symbols: Object.fromEntries(symbols) } };
}

const NO_SIGNALS: StrategyFailure = {
  kind: 'failed',
  message: 'A strategy that is only looked at was asked for its signals',
  stack: '',
};

function checked(answer: ThreadAnswer, strategy: Strategy): ThreadAnswer {
  // Looking at the graph makes nothing that a strategy could hold.
  const isLooked = answer.kind === 'failed' || answer.kind === 'nodes' || answer.kind === 'series';
  const held = isLooked ? undefined : heapUsageAbove(setup.heldBytesMax);
  if (held === undefined) return answer;
  const most = megabytes(setup.heldBytesMax);
  const message = `Strategy "${strategy.name}" holds ${megabytes(held)} MB of memory after an event, most is ${most} MB`;
  return { kind: 'failed', message, stack: '' };
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}

function packed(answer: ThreadAnswer): object {
  return answer.kind === 'drafts' ? { ...answer, drafts: packDrafts(answer.drafts) } : answer;
}
