import { emissionRuleOf } from './emission-rule.ts';
import { signalNode } from './node.ts';
import type { EmissionRule, Kernel, Series, SignalNode } from './series.ts';

/** Returns a signal's two columns as inputs of another signal. */
function columnsOf({ node }: SignalNode): readonly [Series, Series] {
  return [
    { kind: 'series', label: `${node.key}.direction`, node, output: 0 },
    { kind: 'series', label: `${node.key}.strength`, node, output: 1 },
  ];
}

/** Passes a signal on bars where the condition (see `above`, `below`) is not zero. */
export function when(signal: SignalNode, condition: Series): SignalNode {
  const bind = (
    inDirection: Float64Array,
    inStrength: Float64Array,
    open: Float64Array,
    direction: Float64Array,
    strength: Float64Array,
  ): Kernel => {
    return (from, to) => {
      for (let i = from; i < to; i++) {
        direction[i] = open[i] === 0 ? 0 : (inDirection[i] as number);
        strength[i] = inStrength[i] as number;
      }
    };
  };
  const inputs = [...columnsOf(signal), condition];
  const loggedInputs = [...signal.loggedInputs, ...condition.node.inputs];
  const emission: EmissionRule | undefined = signal.emission && {
    kind: 'when',
    of: signal.emission,
    condition,
  };
  return signalNode({ name: 'when', inputs, bind }, loggedInputs, emission);
}

/** Reverses a signal: up becomes down. */
export function inverse(signal: SignalNode): SignalNode {
  const bind = (
    inDirection: Float64Array,
    inStrength: Float64Array,
    direction: Float64Array,
    strength: Float64Array,
  ): Kernel => {
    return (from, to) => {
      for (let i = from; i < to; i++) {
        direction[i] = inDirection[i] === 0 ? 0 : -(inDirection[i] as number);
        strength[i] = inStrength[i] as number;
      }
    };
  };
  const emission: EmissionRule | undefined = signal.emission && { kind: 'inverse', of: signal.emission };
  return signalNode({ name: 'inverse', inputs: columnsOf(signal), bind }, signal.loggedInputs, emission);
}

/** Emits when either signal does; if both do, the first one counts. */
export function either(one: SignalNode, other: SignalNode): SignalNode {
  const bind = (
    a: Float64Array,
    aStrength: Float64Array,
    b: Float64Array,
    bStrength: Float64Array,
    direction: Float64Array,
    strength: Float64Array,
  ): Kernel => {
    return (from, to) => {
      for (let i = from; i < to; i++) {
        const emitter = a[i] !== 0;
        direction[i] = (emitter ? a[i] : b[i]) as number;
        strength[i] = (emitter ? aStrength[i] : bStrength[i]) as number;
      }
    };
  };
  const inputs = [...columnsOf(one), ...columnsOf(other)];
  const emission: EmissionRule | undefined =
    one.emission === undefined && other.emission === undefined
      ? undefined
      : { kind: 'either', one: emissionRuleOf(one), other: emissionRuleOf(other) };
  return signalNode({ name: 'either', inputs, bind }, [...one.loggedInputs, ...other.loggedInputs], emission);
}
