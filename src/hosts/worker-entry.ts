/** Program of a strategy's worker: enters the sandbox, loads the strategy and answers questions. */

import { seededRandom } from '../model/seeded-random.ts';
import { securitySymbol } from '../model/symbol.ts';
import { unreachable } from '../model/unreachable.ts';
import { PLUGIN_KINDS } from '../plugins/kinds.ts';
import type { StrategyFailure, StrategyRequest } from '../ports/strategy-host.ts';
import { compileSignals, type SignalProgram } from '../signals/program.ts';
import type { Strategy } from '../strategy/define-strategy.ts';
import { importPlugin } from './plugins/import-plugin.ts';
import { strategyMetadata } from './plugins/strategy-metadata.ts';
import { keepCompiled } from './sandbox/compile-cache.ts';
import { linkToHost } from './sandbox/host-link.ts';
import { enterSandbox } from './sandbox/sandbox.ts';
import { answerQuestion } from './strategy/answer-question.ts';
import { declaredState } from './strategy/hosted-state.ts';
import { packPlain, unpackQuestion } from './strategy/question-codec.ts';
import { programIn, type SignalRuns, signalRuns, takeBars } from './strategy/signal-runs.ts';
import type { PackedThreadQuestion, ThreadSetup } from './strategy/worker-messages.ts';
import { heapProblem } from './workers/heap-usage.ts';
import { serveRequests } from './workers/serve-requests.ts';
import { readThrown } from './workers/thrown.ts';

/** Niceness of strategies. */
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
    const program = signals === undefined ? compileSignals({}) : programIn(strategy, params, signals.feed);
    serveRequests(port, answerer(strategy, program));
    const { names, warmup } = program;
    const state = declaredState(strategy);
    const ready = { facts: strategyMetadata(strategy), graph: { names, warmup }, state };
    port.postMessage({ kind: 'ready', ready });
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

function answerer(strategy: Strategy, program: SignalProgram): (question: PackedThreadQuestion) => object {
  const hosted = { strategy, params: setup.params, symbols: setup.symbols };
  const runs = signalRuns(program, setup.signals?.splitAdjustments);
  return (asked) => {
    switch (asked.kind) {
      case 'nodes':
        return runs.nodes();
      case 'series':
        return runs.series(asked.symbol);
      case 'bars':
        return checked(takeBars(strategy.name, runs, asked.bars), strategy);
      case 'event': {
        marketNow = asked.question.snapshot.now;
        const question = unpackQuestion(asked.question);
        const input = program.names.length === 0 ? question : withValues(question, runs);
        const answer = checked(answerQuestion(hosted, input, setup.draftsMax), strategy);
        return answer.kind === 'drafts' ? { ...answer, drafts: packPlain(answer.drafts) } : answer;
      }
      default:
        return unreachable(asked);
    }
  };
}

/** Adds the values of the signal graph, which runs in this worker. */
function withValues(question: StrategyRequest, runs: SignalRuns): StrategyRequest {
  const { snapshot } = question;
  const symbols = Object.entries(snapshot.symbols).map(([text, known]) => {
    const values = runs.values(securitySymbol(text), snapshot.now);
    return [text, { ...known, values }];
  });
  return { ...question, snapshot: { ...snapshot, symbols: Object.fromEntries(symbols) } };
}

/**
 * Returns the answer, or a failure if the strategy holds too much memory. Answers for the dashboard are not checked.
 */
function checked<A extends { readonly kind: string }>(answer: A, { name }: Strategy): A | StrategyFailure {
  const problem = answer.kind === 'failed' ? undefined : heapProblem(setup.heldBytesMax, 'an event');
  if (problem === undefined) return answer;
  return { kind: 'failed', message: `Strategy "${name}" holds ${problem}`, stack: '' };
}
