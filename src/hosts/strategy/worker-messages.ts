import type { Bar } from '../../model/bar.ts';
import type { KeptState } from '../../model/kept-state.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import type {
  BarReading,
  DeclaredState,
  GraphReading,
  SeriesReading,
  SignalReadings,
  SignalValues,
  StrategyAnswer,
  StrategyQuestion,
} from '../../ports/strategy-host.ts';
import { MAX_WARMUP_BARS } from '../../signals/program.ts';
import type { RawSignal } from '../../signals/signal.ts';
import type { OrderDraft } from '../../strategy/order-draft.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import { STATE_CHARS_MAX } from '../../strategy/state.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import { readFacts } from '../plugins/read-facts.ts';
import { fieldsOf, textOf } from '../workers/read-fields.ts';
import { ODD_MESSAGE, type ReadyReading } from '../workers/rpc-worker.ts';
import { STACK_CHARS_MAX } from '../workers/thrown.ts';
import { type PackedQuestion, unpackPlain } from './question-codec.ts';
import { readDecision } from './read-draft.ts';
import { readGraph, readSeries } from './read-graph.ts';
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

/** A question on its way to the thread. */
export type PackedThreadQuestion =
  | Exclude<ThreadQuestion, { kind: 'event' }>
  | { readonly kind: 'event'; readonly question: PackedQuestion };

/** What a strategy's thread reports once the strategy is loaded. */
export interface StrategyReady {
  readonly facts: StrategyFacts;
  readonly graph: GraphSummary;
  readonly state: DeclaredState | undefined;
}

/** What a strategy's signal graph is, seen from outside. */
export interface GraphSummary {
  /** Names of signals and series; a graph that names nothing is not asked about bars. */
  readonly names: readonly string[];
  /** Bars of each symbol that are fed before the first is decided on. */
  readonly warmup: number;
}

/** Reads what the thread reports once the strategy is loaded. */
export function readStrategyReady(value: unknown): ReadyReading<StrategyReady> {
  const { facts, graph, state: declared } = fieldsOf(value);
  const state = readDeclared(declared);
  const isDeclared = declared === undefined || state !== undefined;
  if (!isDeclared || !isGraph(graph)) return { kind: 'odd', what: ODD_MESSAGE };
  const read = readFacts(facts);
  return read.kind === 'ok' ? { kind: 'ok', ready: { facts: read.facts, graph, state } } : read;
}

/** Reads an answer from the thread; undefined for one that our own part of the thread would not give to the question. */
export function readStrategyAnswer(
  value: unknown,
  question: ThreadQuestion,
  draftsMax: number,
): ThreadAnswer | undefined {
  const fields = fieldsOf(value);
  const { kind, message, stack } = fields;
  if (kind === 'failed') return { kind, message: textOf(message), stack: textOf(stack, STACK_CHARS_MAX) };
  switch (question.kind) {
    case 'event':
      return readDrafts(fields, draftsMax);
    case 'bars':
      return readReadings(fields, question.bars.length);
    case 'nodes':
      return readGraph(fields);
    case 'series':
      return readSeries(fields);
    default:
      return unreachable(question);
  }
}

function isGraph(value: unknown): value is GraphSummary {
  const { names, warmup } = fieldsOf(value);
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
  const { initial, upgrades } = fieldsOf(value);
  const read = readKeptState(initial);
  return read === undefined ? undefined : { initial: read, upgrades: upgrades === true };
}

/** A state is JSON of bounded length from any sender. */
function readKeptState(value: unknown): KeptState | undefined {
  const { version, text } = fieldsOf(value);
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

function readDrafts(
  { drafts: packed, state: kept, isUnreturned }: Readonly<Record<string, unknown>>,
  draftsMax: number,
): StrategyAnswer | undefined {
  const drafts = draftsIn(packed, draftsMax);
  const state = readKeptState(kept);
  if (drafts === undefined || (kept !== undefined && state === undefined)) return undefined;
  return {
    kind: 'drafts',
    drafts,
    ...(isUnreturned === true ? { isUnreturned } : {}),
    ...omitUndefined({ state }),
  };
}

function draftsIn(packed: unknown, draftsMax: number): readonly OrderDraft[] | undefined {
  if (!Array.isArray(packed) || packed.length > draftsMax) return undefined;
  try {
    const read = readDecision(unpackPlain(packed), draftsMax);
    return read.kind === 'drafts' ? read.drafts : undefined;
  } catch {
    // A figure that is none: our own part of the thread sends no such thing.
    return undefined;
  }
}

/**
 * Reads the signal readings of `count` bars from a thread that runs untrusted code, into copies that share nothing with it;
 * undefined for a value that is not that.
 */
export function readReadings(
  { readings }: Readonly<Record<string, unknown>>,
  count: number,
): SignalReadings | undefined {
  if (!Array.isArray(readings) || readings.length !== count) return undefined;
  const read: BarReading[] = [];
  for (const each of readings) {
    const { decides, raised } = fieldsOf(each);
    if (typeof decides !== 'boolean' || !Array.isArray(raised) || !raised.every(isRaised)) return undefined;
    read.push({ decides, raised });
  }
  return { kind: 'readings', readings: read };
}

function isRaised(value: unknown): value is RawSignal {
  const { name, direction, strength, values } = fieldsOf(value);
  return (
    typeof name === 'string' &&
    (direction === 'up' || direction === 'down') &&
    typeof strength === 'number' &&
    isFigures(values)
  );
}

function isFigures(value: unknown): value is SignalValues {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((figure) => typeof figure === 'number')
  );
}
