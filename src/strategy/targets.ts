import type { SecuritySymbol } from '../model/symbol.ts';
import type { Signal } from '../signals/signal.ts';
import { orderDrafts, type SizedDraft } from './order-draft.ts';

/** Target after a signal: a share of the whole equity, -1 to 1 (negative is short, 0 is flat). */
export type TargetWeight = number | { readonly weight: number; readonly reason?: string };

/** Targets by direction of a signal; an absent direction changes nothing. */
export interface TargetsOfSignal {
  readonly up?: TargetWeight;
  readonly down?: TargetWeight;
}

/** Targets by name of a signal; an absent signal changes nothing. */
export type SignalTargets = Readonly<Record<string, TargetsOfSignal>>;

/**
 * Creates the `onSignal` of a strategy that declares targets: it trades towards the target of the signal. Throws what
 * `targets` throws, and TypeError for invalid targets.
 */
export function onSignalOfTargets<P>(
  targets: (own: { readonly params: P }) => SignalTargets,
): (signal: Signal, context: { readonly params: P }) => SizedDraft | undefined {
  let known: { readonly params: P; readonly targets: SignalTargets } | undefined;
  return ({ symbol, name, direction }, { params }) => {
    if (known?.params !== params) known = { params, targets: readTargets(targets({ params })) };
    const target = known.targets[name]?.[direction];
    return target === undefined ? undefined : draftTowards(symbol, target);
  };
}

/** Creates the draft that trades towards a target. */
export function draftTowards(symbol: SecuritySymbol, target: TargetWeight): SizedDraft {
  const { weight, reason } = typeof target === 'number' ? { weight: target } : target;
  return weight === 0 ? orderDrafts.close(symbol, reason) : orderDrafts.targetWeight(symbol, weight, reason);
}

/** Checks the result of `targets`, and that it names existing signals. Throws TypeError with the problem. */
export function readTargets(targets: SignalTargets, signals?: readonly string[]): SignalTargets {
  if (typeof targets !== 'object' || targets === null)
    throw new TypeError(`targets returned ${String(targets)}, want { signal: { up: 0.5, down: 0 } }`);
  for (const [name, byDirection] of Object.entries(targets)) {
    if (signals !== undefined && !signals.includes(name))
      throw new TypeError(`targets name "${name}", which is no signal; want ${listed(signals)}`);
    if (typeof byDirection !== 'object' || byDirection === null)
      throw new TypeError(`targets.${name} is ${String(byDirection)}, want { up: 0.5, down: 0 }`);
    for (const [direction, target] of Object.entries(byDirection)) checkTarget(name, direction, target);
  }
  return targets;
}

function checkTarget(name: string, direction: string, target: unknown): void {
  const place = `targets.${name}.${direction}`;
  if (direction !== 'up' && direction !== 'down')
    throw new TypeError(`${place} is no direction of a signal, want "up" or "down"`);
  if (target === undefined) return;
  const { weight, reason } = (typeof target === 'object' ? (target ?? {}) : { weight: target }) as {
    readonly weight?: unknown;
    readonly reason?: unknown;
  };
  if (typeof weight !== 'number' || !(Math.abs(weight) <= 1))
    throw new TypeError(`${place} is ${String(weight)}, want a share of the equity from -1 to 1`);
  if (reason !== undefined && typeof reason !== 'string')
    throw new TypeError(`${place}.reason is ${String(reason)}, want a text`);
}

function listed(names: readonly string[]): string {
  return names.length === 0
    ? 'none, as the strategy has no signals'
    : names.map((name) => `"${name}"`).join(', ');
}
