import { omitUndefined } from '../model/omit-undefined.ts';
import type { SignalInputs, SignalRecord } from '../signals/program.ts';
import type { Signal } from '../signals/signal.ts';
import { assertDefinition } from './assert-definition.ts';
import type { StrategyContext } from './context.ts';
import type { ExitTerms } from './exits.ts';
import type { Decision } from './order-draft.ts';
import { declaredParams, type NoParams, type ParamDeclarations, type ParamValues } from './params.ts';
import { type Frozen, type PlainData, type StateTerms, stateTermsProblem } from './state.ts';
import type {
  BarEvent,
  BarsEvent,
  FillEvent,
  LifeEvent,
  OrderEvent,
  QuoteEvent,
  TimerEvent,
} from './strategy-event.ts';
import { onSignalOfTargets, type SignalTargets } from './targets.ts';
import { type Timers, timersProblem } from './timers.ts';

/** Result of a hook that changes the strategy's state: the complete new state, and optional orders. */
export interface Remembering<S> {
  readonly state: Frozen<S>;
  readonly orders?: Decision;
}

/** What a hook may return: orders, and the new state if the strategy declares `state`. */
export type HookResult<S extends PlainData | undefined> =
  | Decision
  | ([S] extends [undefined] ? never : Remembering<S>);

/**
 * A strategy. A hook is a plain function that receives one event and the context, and returns orders. Absent hooks
 * cost nothing: a strategy without `onBar` is called only for its other events.
 */
export interface StrategyDefinition<
  P extends ParamDeclarations = ParamDeclarations,
  S extends PlainData | undefined = PlainData | undefined,
> {
  /** Name that YAML configs refer to; kebab-case, equal to the file's name. */
  readonly name: string;
  /** One sentence for lists and docs. */
  readonly doc?: string;
  /** Parameters, declared with `param`. */
  readonly params?: P;
  /** The signal graph of one symbol; built once from the parameters, updated by bars. */
  signals?(inputs: SignalInputs & { readonly params: ParamValues<P> }): SignalRecord;
  /**
   * Target weights by signal, in place of `onSignal`: `{ cross: { up: 0.5, down: 0 } }` holds half of the equity
   * after `cross` turns up, and nothing after it turns down. Targets depend on the parameters only; this is the
   * fastest form of a strategy.
   */
  targets?(own: { readonly params: ParamValues<P> }): SignalTargets;
  /** Exits of every position that the strategy opens, unless a draft has its own. */
  exits?(own: { readonly params: ParamValues<P> }): ExitTerms;
  /** State that the strategy keeps from one event to the next, also across restarts: plain data. */
  readonly state?: StateTerms<S>;
  /** When `onTimer` is called, by name: `{ look: { every: '15m' }, rebalance: { at: '15:45' } }`. */
  readonly timers?: Timers;
  onSignal?(event: Signal, context: StrategyContext<P, S>): HookResult<NoInfer<S>>;
  onBar?(event: BarEvent, context: StrategyContext<P, S>): HookResult<NoInfer<S>>;
  /** Called once for all bars that close at one instant, after `onBar` and `onSignal` of that instant. */
  onBars?(event: BarsEvent, context: StrategyContext<P, S>): HookResult<NoInfer<S>>;
  onQuote?(event: QuoteEvent, context: StrategyContext<P, S>): HookResult<NoInfer<S>>;
  onFill?(event: FillEvent, context: StrategyContext<P, S>): HookResult<NoInfer<S>>;
  onOrder?(event: OrderEvent, context: StrategyContext<P, S>): HookResult<NoInfer<S>>;
  onTimer?(event: TimerEvent, context: StrategyContext<P, S>): HookResult<NoInfer<S>>;
  onStart?(event: LifeEvent, context: StrategyContext<P, S>): HookResult<NoInfer<S>>;
  onStop?(event: LifeEvent, context: StrategyContext<P, S>): HookResult<NoInfer<S>>;
}

const STRATEGY = Symbol.for('sluice.strategy');

/** A definition that was checked by `defineStrategy`; the loader accepts nothing else. */
export type Strategy<
  P extends ParamDeclarations = ParamDeclarations,
  S extends PlainData | undefined = PlainData | undefined,
> = StrategyDefinition<P, S> & {
  readonly params: P;
  readonly [STRATEGY]: 1;
};

/** Properties of a definition that must be functions if present. */
const FUNCTIONS = [
  ...['signals', 'targets', 'exits', 'onSignal', 'onBar', 'onBars', 'onQuote'],
  ...['onFill', 'onOrder', 'onTimer', 'onStart', 'onStop'],
] as const satisfies readonly (keyof StrategyDefinition)[];

const PROPERTIES = ['name', 'doc', 'params', 'state', 'timers', ...FUNCTIONS];

/**
 * Declares a strategy; its file exports the result by default. Throws TypeError if the name is not kebab-case, if a
 * property is unknown, if no hook can ever create an order, or if a hook, the timers or the state are invalid.
 */
export function defineStrategy<
  const P extends ParamDeclarations = NoParams,
  S extends PlainData | undefined = undefined,
>(definition: StrategyDefinition<P, S>): Strategy<P, S> {
  assertDefinition('strategy', definition, { example: 'sma-cross', known: PROPERTIES });
  const { targets, onBar, onBars, onQuote, onStart, onTimer } = definition;
  const onSignal = targets === undefined ? definition.onSignal : onSignalOfTargets(targets);
  const hooks = [onSignal, onBar, onBars, onQuote, onStart, onTimer];
  if (hooks.every((hook) => hook === undefined)) {
    throw new TypeError(
      `Cannot define strategy "${definition.name}": it has none of targets, onSignal, onBar, onBars, onQuote, onTimer, onStart, so it can never decide`,
    );
  }
  const problem =
    hookOdd(definition) ??
    answersTwice(definition) ??
    timersOdd(definition) ??
    stateTermsProblem(definition.state);
  if (problem !== undefined) throw new TypeError(`Cannot define strategy "${definition.name}": ${problem}`);
  return {
    ...definition,
    params: declaredParams(definition),
    ...omitUndefined({ onSignal }),
    [STRATEGY]: 1,
  };
}

/** Describes a property that has to be a function and is not. */
function hookOdd(definition: object): string | undefined {
  const functions: readonly string[] = FUNCTIONS;
  const odd = Object.entries(definition).find(
    ([name, value]) => functions.includes(name) && value !== undefined && typeof value !== 'function',
  );
  return odd === undefined ? undefined : `its "${odd[0]}" is no function`;
}

function answersTwice({
  targets,
  onSignal,
}: {
  readonly targets?: unknown;
  readonly onSignal?: unknown;
}): string | undefined {
  return targets !== undefined && onSignal !== undefined
    ? 'it has both targets and onSignal, which would answer the same signals'
    : undefined;
}

function timersOdd({
  timers,
  onTimer,
}: {
  readonly timers?: Timers;
  readonly onTimer?: unknown;
}): string | undefined {
  const count = Object.keys(timers ?? {}).length;
  if (onTimer !== undefined && count === 0)
    return 'it has onTimer but no timers, so it would never be called';
  if (onTimer === undefined && count > 0) return 'it has timers but no onTimer that would receive them';
  return timersProblem(timers ?? {});
}

/** True for a result of `defineStrategy`, also from another copy of the package. */
export function isStrategy(value: unknown): value is Strategy {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[STRATEGY] === 1;
}
