import { nearestName } from '../model/nearest-name.ts';
import type { Series, SeriesRecord, SignalNode } from './series.ts';

/** The output of one name of a strategy's record. */
export type NamedOutput = Series | SignalNode;

/** Every name of a record with its output; series of a group are named `group.part`. */
export type NamedOutputs = ReadonlyMap<string, NamedOutput>;

/**
 * Flattens the result of a strategy's `signals`. Throws TypeError for anything that is not a signal, series or group.
 */
export function namedOutputsOf(record: Readonly<Record<string, NamedOutput | SeriesRecord>>): NamedOutputs {
  const outputs = new Map<string, NamedOutput>();
  for (const [name, entry] of Object.entries(record)) {
    if (isNamedOutput(entry)) outputs.set(name, entry);
    else for (const [part, series] of Object.entries(entry)) outputs.set(`${name}.${part}`, series);
  }
  for (const [name, output] of outputs) {
    if (isNamedOutput(output)) continue;
    throw new TypeError(
      `Cannot compile signals: "${name}" is neither a signal nor a series, want what an indicator returned`,
    );
  }
  return outputs;
}

function isNamedOutput(entry: NamedOutput | SeriesRecord): entry is NamedOutput {
  return (
    typeof entry === 'object' &&
    'kind' in entry &&
    (isKind(entry.kind, 'series') || isKind(entry.kind, 'signal-node'))
  );
}

const isKind = (kind: unknown, wanted: NamedOutput['kind']): boolean => kind === wanted;

/** Returns the output of a name; throws RangeError with the existing names. */
export function namedOutput(outputs: NamedOutputs, name: string): NamedOutput {
  return outputs.get(name) ?? unknownOutput(name, [...outputs.keys()]);
}

/** Throws RangeError for a name that the record does not have, with the nearest one. */
export function unknownOutput(name: string, names: readonly string[]): never {
  if (typeof name !== 'string')
    throw new RangeError(
      `value wants a symbol and the name of one of this strategy's signals (${names.join(', ') || 'it has none'})`,
    );
  const suggestion = nearestName(name, names);
  const guess = suggestion === undefined ? '' : `, did you mean "${suggestion}"?`;
  throw new RangeError(
    `"${name}" is none of this strategy's signals (${names.join(', ') || 'it has none'})${guess}`,
  );
}

/** The column that `value(name)` reads: the series itself, or a signal's direction. */
export function columnBehind(output: NamedOutput): Pick<Series, 'node' | 'output'> {
  return output.kind === 'series' ? output : { node: output.node, output: 0 };
}
