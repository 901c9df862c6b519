/** Program of a strategy's worker: enters the sandbox, loads the strategy and answers requests. */

import { seededRandom } from '../model/seeded-random.ts';
import { securitySymbol } from '../model/symbol.ts';
import { unreachable } from '../model/unreachable.ts';
import { PLUGIN_KINDS } from '../plugins/kinds.ts';
import type { StrategyFailure, StrategyRequest } from '../ports/strategy-host.ts';
import { compileSignals, type SignalProgram } from '../signals/program.ts';
import type { Strategy } from '../strategy/define-strategy.ts';
import { importPlugin } from './plugins/import-plugin.ts';
import { strategyMetadata } from './plugins/strategy-metadata.ts';
import { saveCompileCache } from './sandbox/compile-cache.ts';
import { linkToHost } from './sandbox/host-link.ts';
import { enterSandbox } from './sandbox/sandbox.ts';
import { handleRequest } from './strategy/handle-request.ts';
import { declaredState } from './strategy/hosted-state.ts';
import { packPlain, unpackRequest } from './strategy/request-codec.ts';
import { evaluateBars, programIn, type SignalRuns, signalRuns } from './strategy/signal-runs.ts';
import type { PackedStrategyWorkerRequest, ThreadSetup } from './strategy/worker-messages.ts';
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
    serveRequests(port, requestHandler(strategy, program));
    const { names, warmup } = program;
    const state = declaredState(strategy);
    const ready = { facts: strategyMetadata(strategy), graph: { names, warmup }, state };
    port.postMessage({ kind: 'ready', ready });
  } catch (thrown) {
    const { message, stack, place } = readThrown(thrown);
    endWith(`threw in signals: ${message}${place}`, stack);
  }
}

async function load(): Promise<Strategy | undefined> {
  const imported = await importPlugin(setup.file, PLUGIN_KINDS.strategy);
  saveCompileCache();
  if (imported.kind === 'ok') return imported.plugin;
  endWith(imported.what, imported.stack);
  return undefined;
}

function endWith(what: string, stack: string): void {
  port.postMessage({ kind: 'over', what, stack });
}

function requestHandler(
  strategy: Strategy,
  program: SignalProgram,
): (strategyRequest: PackedStrategyWorkerRequest) => object {
  const hosted = { strategy, params: setup.params, symbols: setup.symbols };
  const runs = signalRuns(program, setup.signals?.splitAdjustments);
  return (request) => {
    switch (request.kind) {
      case 'nodes':
        return runs.nodes();
      case 'series':
        return runs.series(request.symbol);
      case 'bars':
        return checked(evaluateBars(strategy.name, runs, request.bars), strategy);
      case 'event': {
        marketNow = request.request.snapshot.now;
        const strategyRequest = unpackRequest(request.request);
        const input = program.names.length === 0 ? strategyRequest : withValues(strategyRequest, runs);
        const answer = checked(handleRequest(hosted, input, setup.draftsMax), strategy);
        return answer.kind === 'drafts' ? { ...answer, drafts: packPlain(answer.drafts) } : answer;
      }
      default:
        return unreachable(request);
    }
  };
}

/** Adds the values of the signal graph, which runs in this worker. */
function withValues(strategyRequest: StrategyRequest, runs: SignalRuns): StrategyRequest {
  const { snapshot } = strategyRequest;
  const symbols = Object.entries(snapshot.symbols).map(([text, known]) => {
    const values = runs.values(securitySymbol(text), snapshot.now);
    return [text, { ...known, values }];
  });
  return { ...strategyRequest, snapshot: { ...snapshot, symbols: Object.fromEntries(symbols) } };
}

/**
 * Returns the answer, or a failure if the strategy holds too much memory. Answers for the dashboard are not checked.
 */
function checked<A extends { readonly kind: string }>(answer: A, { name }: Strategy): A | StrategyFailure {
  const problem = answer.kind === 'failed' ? undefined : heapProblem(setup.heldBytesMax, 'an event');
  if (problem === undefined) return answer;
  return { kind: 'failed', message: `Strategy "${name}" holds ${problem}`, stack: '' };
}
