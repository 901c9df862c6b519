import type { MessagePort } from 'node:worker_threads';
import type { KeptState } from '../model/kept-state.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { DeclaredState, StrategyAnswer, StrategyQuestion } from '../ports/strategy-host.ts';
import type { ParamDeclarations, ParamValues } from '../strategy/params.ts';
import { STATE_CHARS_MAX } from '../strategy/state.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';
import { HOOKS } from './answer-question.ts';
import { type Packed, unpackDrafts } from './question-codec.ts';
import { readDecision } from './read-decision.ts';
import { MESSAGE_CHARS_MAX, STACK_CHARS_MAX } from './thrown.ts';

/** What a strategy's thread is started with. */
export interface ThreadSetup {
  /** Questions come in here and answers go out; the plugin never sees it. */
  readonly port: MessagePort;
  /** The strategy's file, an absolute path. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
  readonly symbols: readonly SecuritySymbol[];
  /** What the plugin's clock shows until the first question. */
  readonly startsAt: Millis;
  /** Where the plugin's chance begins. */
  readonly seed: number;
  readonly draftsMax: number;
  /** Most that the strategy may hold once a question is answered. */
  readonly heldBytesMax: number;
}

/** A question on its way to the thread; the answer carries the same number. */
export interface NumberedQuestion {
  readonly number: number;
  readonly question: Packed<StrategyQuestion>;
}

/** What a strategy's thread says. */
export type ThreadMessage =
  | {
      readonly kind: 'ready';
      readonly name: string;
      readonly listensTo: readonly StrategyEvent['kind'][];
      readonly state: DeclaredState | undefined;
    }
  /** Did not load the strategy, or met an error outside of its hooks and ends. */
  | { readonly kind: 'over'; readonly what: string; readonly stack: string }
  | { readonly kind: 'answer'; readonly number: number; readonly answer: StrategyAnswer };

/**
 * Reads what came out of a thread in which foreign code runs; undefined when it is nothing that our own part of the thread
 * would say.
 */
export function readThreadMessage(value: unknown, draftsMax: number): ThreadMessage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const said = value as Readonly<Record<string, unknown>>;
  switch (said['kind']) {
    case 'ready':
      return readReady(said);
    case 'over': {
      const { message: what, stack } = failureIn({ message: said['what'], stack: said['stack'] });
      return { kind: 'over', what, stack };
    }
    case 'drafts':
      return numbered(said, readAnswer(said, draftsMax));
    case 'failed':
      return numbered(said, { kind: 'failed', ...failureIn(said) });
    default:
      return undefined;
  }
}

function readReady(said: Readonly<Record<string, unknown>>): ThreadMessage | undefined {
  const { name, listensTo, state: declared } = said;
  if (typeof name !== 'string' || !Array.isArray(listensTo)) return undefined;
  const state = readDeclared(declared);
  if (declared !== undefined && state === undefined) return undefined;
  const kinds = Object.keys(HOOKS) as StrategyEvent['kind'][];
  return { kind: 'ready', name, listensTo: kinds.filter((kind) => listensTo.includes(kind)), state };
}

function readDeclared(value: unknown): DeclaredState | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { initial, upgrades } = value as Readonly<Record<string, unknown>>;
  const read = readKept(initial);
  return read === undefined ? undefined : { initial: read, upgrades: upgrades === true };
}

/** A state is JSON of bounded length, whoever sends it. */
function readKept(value: unknown): KeptState | undefined {
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
  answer: StrategyAnswer | undefined,
): ThreadMessage | undefined {
  return typeof number === 'number' && answer !== undefined ? { kind: 'answer', number, answer } : undefined;
}

function readAnswer(
  { drafts, state: kept }: Readonly<Record<string, unknown>>,
  draftsMax: number,
): StrategyAnswer | undefined {
  const answer = readDrafts(drafts, draftsMax);
  if (kept === undefined || answer?.kind !== 'drafts') return answer;
  const state = readKept(kept);
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
