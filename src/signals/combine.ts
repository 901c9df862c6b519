import { signalNode } from './node.ts';
import type { Kernel, Series, SignalNode, Speech } from './series.ts';
import { speechOf } from './speech.ts';

/** A signal's two columns as inputs of another. */
function columnsOf({ node }: SignalNode): readonly [Series, Series] {
  return [
    { kind: 'series', label: `${node.key}.direction`, node, output: 0 },
    { kind: 'series', label: `${node.key}.strength`, node, output: 1 },
  ];
}

/** Lets a signal through on bars where the condition (see `above`, `below`) is not zero. */
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
  const watches = [...signal.watches, ...condition.node.inputs];
  const speech: Speech | undefined = signal.speech && { kind: 'when', of: signal.speech, condition };
  return signalNode({ name: 'when', inputs, bind }, watches, speech);
}

/** Turns a signal around: up becomes down. */
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
  const speech: Speech | undefined = signal.speech && { kind: 'inverse', of: signal.speech };
  return signalNode({ name: 'inverse', inputs: columnsOf(signal), bind }, signal.watches, speech);
}

/** Speaks up when either signal does; where both do, the first one's word counts. */
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
        const spoke = a[i] !== 0;
        direction[i] = (spoke ? a[i] : b[i]) as number;
        strength[i] = (spoke ? aStrength[i] : bStrength[i]) as number;
      }
    };
  };
  const inputs = [...columnsOf(one), ...columnsOf(other)];
  const speech: Speech | undefined =
    one.speech === undefined && other.speech === undefined
      ? undefined
      : { kind: 'either', one: speechOf(one), other: speechOf(other) };
  return signalNode({ name: 'either', inputs, bind }, [...one.watches, ...other.watches], speech);
}
