import type { BotState } from '../events/bot-state.ts';
import type { Recorder } from '../execution/recorder.ts';
import type { KeptState, StateNote } from '../model/kept-state.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Clock } from '../ports/clock.ts';
import type { StrategyAnswer, StrategyHost } from '../ports/strategy-host.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';
import { StrategyError } from './strategy-error.ts';

/** Records a strategy's new state together with the orders of the same answer, or not at all. */
export interface StrategyStateStore {
  /** The strategy's current state; undefined if it declares none. */
  state(): KeptState | undefined;
  /** Holds the new state of an answer; the first record that results from the answer includes it. */
  hold(answer: Extract<StrategyAnswer, { kind: 'drafts' }>, event: StrategyEvent): void;
  /** Returns the unsaved state once; the caller records it. */
  take(): StateNote | undefined;
  /** Discards the held state: its orders come too late to be sent. */
  drop(): void;
  /** Records a state that no order included. */
  flush(): void;
  /** Records the initial state of a strategy, at its first start on this journal. */
  open(): void;
}

/** Dependencies of the store. */
interface StrategyStateStoreParts {
  readonly host: Pick<StrategyHost, 'listensTo' | 'declaredState'>;
  readonly strategy: string;
  readonly recorder: Recorder;
  readonly clock: Clock;
}

/** Keeps the state of one strategy; without a declared state it holds nothing. */
export function createStrategyStateStore({
  host,
  strategy,
  recorder,
  clock,
}: StrategyStateStoreParts): StrategyStateStore {
  const { declaredState } = host;
  let held: StateNote | undefined;

  function state(): KeptState | undefined {
    return declaredState === undefined
      ? undefined
      : (recorder.state.kept.get(strategy) ?? declaredState.initial);
  }

  function take(): StateNote | undefined {
    const note = held;
    held = undefined;
    return note;
  }

  return {
    state,
    take,
    hold(answer, event) {
      if (declaredState === undefined) return;
      const fillField = event.kind === 'fill' ? { told: event.fill.executionId } : {};
      if (answer.state === undefined && event.kind !== 'fill') return;
      held = { strategy, ...omitUndefined({ state: answer.state }), ...fillField };
    },
    drop() {
      held = undefined;
    },
    open() {
      if (declaredState === undefined || recorder.state.kept.has(strategy)) return;
      const note = { strategy, state: declaredState.initial };
      recorder.record({ kind: 'state-kept', at: clock.now(), note });
    },
    flush() {
      const note = take();
      if (note !== undefined) recorder.record({ kind: 'state-kept', at: clock.now(), note });
    },
  };
}

/**
 * Checks that a strategy can continue with its state in the journal. Throws StrategyError for a state of another
 * version that it does not upgrade, or of another shape.
 */
export function checkState(
  { kept }: Pick<BotState, 'kept'>,
  { host: { declaredState }, strategy }: Pick<StrategyStateStoreParts, 'host' | 'strategy'>,
): void {
  const known = kept.get(strategy);
  if (declaredState === undefined || known === undefined) return;
  const { initial, canUpgrade } = declaredState;
  if (known.version !== initial.version && !canUpgrade)
    throw new StrategyError(otherVersion(strategy, known, initial));
  const shapeDifference = known.version === initial.version ? otherShape(known, initial) : undefined;
  if (shapeDifference === undefined) return;
  throw new StrategyError(
    `Cannot continue with strategy "${strategy}": the journal's state ${shapeDifference}, though both are of version ${initial.version}; raise state.version, and declare state.upgrade(kept, version), which makes the new shape from the old`,
  );
}

function otherVersion(strategy: string, known: KeptState, initial: KeptState): string {
  const what = `the journal holds its state in version ${known.version}, it declares version ${initial.version}`;
  const todo =
    known.version < initial.version
      ? 'declare state.upgrade(kept, version), which makes the new shape from the old'
      : 'continue with the newer strategy that wrote it, or declare state.upgrade(kept, version), which takes it back';
  return `Cannot continue with strategy "${strategy}": ${what}; ${todo}`;
}

/**
 * Describes how the stored state differs in shape from the initial one, at its top level; undefined if it does not.
 */
function otherShape(known: KeptState, initial: KeptState): string | undefined {
  const [kept, wanted]: readonly [unknown, unknown] = [JSON.parse(known.text), JSON.parse(initial.text)];
  if (kept === null || wanted === null) return undefined;
  const [is, want] = [shapeOf(kept), shapeOf(wanted)];
  if (is !== want) return `is ${is}, its initial one is ${want}`;
  if (typeof kept !== 'object' || typeof wanted !== 'object' || wanted === null || Array.isArray(kept))
    return undefined;
  const missing = Object.keys(wanted).filter((name) => !Object.hasOwn(kept ?? {}, name));
  return missing.length === 0 ? undefined : `has no "${missing.join('", "')}", which its initial one has`;
}

function shapeOf(data: unknown): string {
  if (Array.isArray(data)) return 'a list';
  return typeof data === 'object' ? 'an object' : `a ${typeof data}`;
}
