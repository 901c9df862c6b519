import type { Bar } from '../../model/bar.ts';
import type { KeptState } from '../../model/kept-state.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type {
  DeclaredState,
  GraphReading,
  SeriesReading,
  SignalReadings,
  StrategyAnswer,
  StrategyQuestion,
} from '../../ports/strategy-host.ts';
import { MAX_WARMUP_BARS } from '../../signals/program.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import { STATE_CHARS_MAX } from '../../strategy/state.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import type { GraphSummary } from '../plugins/graph-summary.ts';
import { readFacts } from '../plugins/read-facts.ts';
import type { WorkerMessage } from '../workers/rpc-worker.ts';
import { MESSAGE_CHARS_MAX, STACK_CHARS_MAX } from '../workers/thrown.ts';
import { type Packed, unpackDrafts } from './question-codec.ts';
import { readDecision } from './read-decision.ts';
import { readGraph, readSeries } from './read-graph.ts';
import { readReadings } from './read-readings.ts';
import type { SignalSetup } from './signal-runs.ts';

/** What a strategy's thread is started with. */
export interface ThreadSetup {
  /** The strategy's file, an absolute path. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
  readonly symbols: readonly SecuritySymbol[];
  /** What the signal graph is built on; absent: the strategy is only looked at, and no graph is built. */
  readonly signals?: SignalSetup;
  /** What the plugin's clock shows until the first question. */
  readonly startsAt: Millis;
  /** Where the plugin's chance begins. */
  readonly seed: number;
  readonly draftsMax: number;
  /** Most that the strategy may hold once a question is answered. */
  readonly heldBytesMax: number;
}

/** Questions to a thread: the decisions on an event, or the readings of the signal graph on bars. */
export type ThreadQuestion =
  | { readonly kind: 'event'; readonly question: StrategyQuestion }
  | { readonly kind: 'bars'; readonly bars: readonly Bar[] }
  /** What each node of the graph shows now. */
  | { readonly kind: 'nodes' }
  /** The newest values of the series of a symbol. */
  | { readonly kind: 'series'; readonly symbol: SecuritySymbol };

/** What it answers. */
export type ThreadAnswer = StrategyAnswer | SignalReadings | GraphReading | SeriesReading;

/** A question on its way to the thread; the answer carries the same number. */
export type NumberedQuestion = { readonly number: number } & (
  | { readonly kind: 'event'; readonly question: Packed<StrategyQuestion> }
  | { readonly kind: 'bars'; readonly bars: readonly Bar[] }
  | { readonly kind: 'nodes' }
  | { readonly kind: 'series'; readonly symbol: SecuritySymbol }
);

/** The message of a strategy's thread once the strategy is loaded. */
export interface StrategyReady {
  readonly facts: StrategyFacts;
  readonly graph: GraphSummary;
  readonly state: DeclaredState | undefined;
}

type StrategyMessage = WorkerMessage<StrategyReady, ThreadAnswer>;

/**
 * Reads what came out of a thread in which foreign code runs; undefined when it is nothing that our own part of the thread
 * would say.
 */
export function readStrategyMessage(value: unknown, draftsMax: number): StrategyMessage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  switch (fields['kind']) {
    case 'ready':
      return readReady(fields);
    case 'over': {
      const { message: what, stack } = failureIn({ message: fields['what'], stack: fields['stack'] });
      return { kind: 'over', what, stack };
    }
    case 'drafts':
      return numbered(fields, readAnswer(fields, draftsMax));
    case 'readings':
      return numbered(fields, readReadings(fields));
    case 'nodes':
      return numbered(fields, readGraph(fields));
    case 'series':
      return numbered(fields, readSeries(fields));
    case 'failed':
      return numbered(fields, { kind: 'failed', ...failureIn(fields) });
    default:
      return undefined;
  }
}

function readReady(fields: Readonly<Record<string, unknown>>): StrategyMessage | undefined {
  const { facts, graph, state: declared } = fields;
  const state = readDeclared(declared);
  if (declared !== undefined && state === undefined) return undefined;
  const read = readFacts(facts);
  if (read.kind === 'odd') return { kind: 'over', what: read.what, stack: '' };
  return isGraph(graph) ? { kind: 'ready', ready: { facts: read.facts, graph, state } } : undefined;
}

function isGraph(value: unknown): value is GraphSummary {
  if (typeof value !== 'object' || value === null) return false;
  const { names, warmup } = value as Readonly<Record<string, unknown>>;
  return (
    Array.isArray(names) &&
    names.every((name) => typeof name === 'string') &&
    typeof warmup === 'number' &&
    Number.isInteger(warmup) &&
    warmup >= 0 &&
    warmup <= MAX_WARMUP_BARS
  );
}

function readDeclared(value: unknown): DeclaredState | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { initial, upgrades } = value as Readonly<Record<string, unknown>>;
  const read = readKeptState(initial);
  return read === undefined ? undefined : { initial: read, upgrades: upgrades === true };
}

/** A state is JSON of bounded length from any sender. */
function readKeptState(value: unknown): KeptState | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { version, text } = value as Readonly<Record<string, unknown>>;
  if (typeof version !== 'number' || !Number.isSafeInteger(version)) return undefined;
  if (typeof text !== 'string' || text.length > STATE_CHARS_MAX) return undefined;
  try {
    JSON.parse(text);
    return { version, text };
  } catch {
    // Our own part of the thread sends no such thing.
    return undefined;
  }
}

function numbered(
  { number }: Readonly<Record<string, unknown>>,
  answer: ThreadAnswer | undefined,
): StrategyMessage | undefined {
  return typeof number === 'number' && answer !== undefined ? { kind: 'answer', number, answer } : undefined;
}

function readAnswer(
  { drafts, state: kept, isUnreturned }: Readonly<Record<string, unknown>>,
  draftsMax: number,
): StrategyAnswer | undefined {
  const read = readDrafts(drafts, draftsMax);
  const answer =
    read?.kind === 'drafts' && isUnreturned === true ? { ...read, isUnreturned: true as const } : read;
  if (kept === undefined || answer?.kind !== 'drafts') return answer;
  const state = readKeptState(kept);
  return state === undefined ? undefined : { ...answer, state };
}

function readDrafts(packed: unknown, draftsMax: number): StrategyAnswer | undefined {
  if (!Array.isArray(packed) || packed.length > draftsMax) return undefined;
  try {
    const read = readDecision(unpackDrafts(packed), draftsMax);
    return read.kind === 'drafts' ? read : undefined;
  } catch {
    // A figure that is none: our own part of the thread sends no such thing.
    return undefined;
  }
}

function failureIn({ message, stack }: Readonly<Record<string, unknown>>) {
  return {
    message: textOf(message).slice(0, 2 * MESSAGE_CHARS_MAX),
    stack: textOf(stack).slice(0, STACK_CHARS_MAX),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
