import type { BotState } from '../events/bot-state.ts';
import type { Recorder } from '../execution/recorder.ts';
import type { KeptState, StateNote } from '../model/kept-state.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Clock } from '../ports/clock.ts';
import type { StrategyAnswer, StrategyHost } from '../ports/strategy-host.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';
import { StrategyError } from './strategy-error.ts';

/** Sees to it that what a strategy remembers is on disk together with what it asked for, or not at all. */
export interface StrategyStateStore {
  /** What the strategy remembers now; undefined when it declares no state. */
  state(): KeptState | undefined;
  /** Takes what an answer wants remembered; the first record that the answer leads to takes it along. */
  hold(answer: Extract<StrategyAnswer, { kind: 'drafts' }>, event: StrategyEvent): void;
  /** Returns the unsaved state once; the caller records it. */
  take(): StateNote | undefined;
  /** Forgets what is held: what it goes with comes too late to be sent. */
  drop(): void;
  /** Writes down what no order took along. */
  flush(): void;
  /** Writes down the state that a strategy begins with, at its first start on this journal. */
  open(): void;
}

/** Dependencies of the store. */
export interface StrategyStateStoreParts {
  readonly host: Pick<StrategyHost, 'listensTo' | 'remembers'>;
  readonly strategy: string;
  readonly recorder: Recorder;
  readonly clock: Clock;
}

/** Keeps the state of one strategy; nothing is held of one that declares none. */
export function createStrategyStateStore({
  host,
  strategy,
  recorder,
  clock,
}: StrategyStateStoreParts): StrategyStateStore {
  const { remembers } = host;
  let held: StateNote | undefined;

  function state(): KeptState | undefined {
    return remembers === undefined ? undefined : (recorder.state.kept.get(strategy) ?? remembers.initial);
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
      if (remembers === undefined) return;
      const fillField = event.kind === 'fill' ? { told: event.fill.executionId } : {};
      if (answer.state === undefined && event.kind !== 'fill') return;
      held = { strategy, ...omitUndefined({ state: answer.state }), ...fillField };
    },
    drop() {
      held = undefined;
    },
    open() {
      if (remembers === undefined || recorder.state.kept.has(strategy)) return;
      const note = { strategy, state: remembers.initial };
      recorder.record({ kind: 'state-kept', at: clock.now(), note });
    },
    flush() {
      const note = take();
      if (note !== undefined) recorder.record({ kind: 'state-kept', at: clock.now(), note });
    },
  };
}

/**
 * Checks that a strategy can continue with what the journal holds of it. Throws StrategyError for a state of another version
 * that it does not upgrade, or of another shape.
 */
export function checkState(
  { kept }: Pick<BotState, 'kept'>,
  { host: { remembers }, strategy }: Pick<StrategyStateStoreParts, 'host' | 'strategy'>,
): void {
  const known = kept.get(strategy);
  if (remembers === undefined || known === undefined) return;
  const { initial, upgrades } = remembers;
  if (known.version !== initial.version && !upgrades)
    throw new StrategyError(otherVersion(strategy, known, initial));
  const odd = known.version === initial.version ? otherShape(known, initial) : undefined;
  if (odd === undefined) return;
  throw new StrategyError(
    `Cannot continue with strategy "${strategy}": the journal's state ${odd}, though both are of version ${initial.version}; raise state.version, and declare state.upgrade(kept, version), which makes the new shape from the old`,
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

/** How the kept state differs in shape from the initial one, at its top; undefined when it does not. */
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
