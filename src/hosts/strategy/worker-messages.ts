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
  StrategyRequest,
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
import { readDecision } from './read-draft.ts';
import { readGraph, readSeries } from './read-graph.ts';
import { type PackedRequest, unpackPlain } from './request-codec.ts';
import type { SignalSetup } from './signal-runs.ts';

/** Start data of a strategy's worker. */
export interface ThreadSetup {
  /** Absolute path of the strategy's file. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
  readonly symbols: readonly SecuritySymbol[];
  /** Input of the signal graph; absent if only the metadata is needed. */
  readonly signals?: SignalSetup;
  /** Market time that the plugin's `Date` shows until the first request. */
  readonly startsAt: Millis;
  /** Seed of the plugin's random numbers. */
  readonly seed: number;
  readonly draftsMax: number;
  /** Most memory that the strategy may hold after an answer, in bytes. */
  readonly heldBytesMax: number;
}

/** Questions to a strategy's worker: decisions on an event, signals of bars, or data for the dashboard. */
export type StrategyWorkerRequest =
  | { readonly kind: 'event'; readonly request: StrategyRequest }
  | { readonly kind: 'bars'; readonly bars: readonly Bar[] }
  /** Current values of each node of the graph. */
  | { readonly kind: 'nodes' }
  /** Newest values of the series of a symbol. */
  | { readonly kind: 'series'; readonly symbol: SecuritySymbol };

export type ThreadAnswer = StrategyAnswer | SignalReadings | GraphReading | SeriesReading;

/** A request as plain data. */
export type PackedStrategyWorkerRequest =
  | Exclude<StrategyWorkerRequest, { kind: 'event' }>
  | { readonly kind: 'event'; readonly request: PackedRequest };

/** Report of a strategy's worker after loading. */
export interface StrategyReady {
  readonly facts: StrategyFacts;
  readonly graph: GraphSummary;
  readonly state: DeclaredState | undefined;
}

/** Summary of a strategy's signal graph. */
interface GraphSummary {
  /** Names of signals and series; a graph without names receives no bars. */
  readonly names: readonly string[];
  /** Bars of each symbol before the first decision. */
  readonly warmup: number;
}

/** Reads the report of the worker after loading. */
export function readStrategyReady(value: unknown): ReadyReading<StrategyReady> {
  const { facts, graph, state: declared } = fieldsOf(value);
  const state = readDeclared(declared);
  const isDeclared = declared === undefined || state !== undefined;
  if (!isDeclared || !isGraph(graph)) return { kind: 'odd', what: ODD_MESSAGE };
  const read = readFacts(facts);
  return read.kind === 'ok' ? { kind: 'ok', ready: { facts: read.facts, graph, state } } : read;
}

/** Reads an answer from the worker; undefined if it does not fit the request. */
export function readStrategyAnswer(
  value: unknown,
  request: StrategyWorkerRequest,
  draftsMax: number,
): ThreadAnswer | undefined {
  const fields = fieldsOf(value);
  const { kind, message, stack } = fields;
  if (kind === 'failed') return { kind, message: textOf(message), stack: textOf(stack, STACK_CHARS_MAX) };
  switch (request.kind) {
    case 'event':
      return readDrafts(fields, draftsMax);
    case 'bars':
      return readReadings(fields, request.bars.length);
    case 'nodes':
      return readGraph(fields);
    case 'series':
      return readSeries(fields);
    default:
      return unreachable(request);
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
  const { initial, canUpgrade } = fieldsOf(value);
  const read = readKeptState(initial);
  return read === undefined ? undefined : { initial: read, canUpgrade: canUpgrade === true };
}

/** Reads a state from any sender: JSON of limited length. */
function readKeptState(value: unknown): KeptState | undefined {
  const { version, text } = fieldsOf(value);
  if (typeof version !== 'number' || !Number.isSafeInteger(version)) return undefined;
  if (typeof text !== 'string' || text.length > STATE_CHARS_MAX) return undefined;
  try {
    JSON.parse(text);
    return { version, text };
  } catch {
    // Invalid JSON.
    return undefined;
  }
}

function readDrafts(
  { drafts: packed, state: kept, returnedNothing }: Readonly<Record<string, unknown>>,
  draftsMax: number,
): StrategyAnswer | undefined {
  const drafts = draftsIn(packed, draftsMax);
  const state = readKeptState(kept);
  if (drafts === undefined || (kept !== undefined && state === undefined)) return undefined;
  return {
    kind: 'drafts',
    drafts,
    ...(returnedNothing === true ? { returnedNothing } : {}),
    ...omitUndefined({ state }),
  };
}

function draftsIn(packed: unknown, draftsMax: number): readonly OrderDraft[] | undefined {
  if (!Array.isArray(packed) || packed.length > draftsMax) return undefined;
  try {
    const read = readDecision(unpackPlain(packed), draftsMax);
    return read.kind === 'drafts' ? read.drafts : undefined;
  } catch {
    // An invalid figure.
    return undefined;
  }
}

/**
 * Reads the signal readings of `count` bars from a thread that runs untrusted code, as copies; undefined if they are
 * invalid.
 */
function readReadings(
  { readings }: Readonly<Record<string, unknown>>,
  count: number,
): SignalReadings | undefined {
  if (!Array.isArray(readings) || readings.length !== count) return undefined;
  const read: BarReading[] = [];
  for (const each of readings) {
    const { isWarmedUp, signals } = fieldsOf(each);
    if (typeof isWarmedUp !== 'boolean' || !Array.isArray(signals) || !signals.every(isSignal))
      return undefined;
    read.push({ isWarmedUp, signals });
  }
  return { kind: 'readings', readings: read };
}

function isSignal(value: unknown): value is RawSignal {
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
