import { nearestName } from '../model/nearest-name.ts';
import type { Series, SeriesRecord, SignalNode } from './series.ts';

/** The output of one name of a strategy's record. */
export type NamedOutput = Series | SignalNode;

/** Every name of a record with its output; series of a group are named `group.part`. */
export type NamedOutputs = ReadonlyMap<string, NamedOutput>;

/**
 * Flattens the result of a strategy's `signals`. Throws TypeError for anything that is not a signal, series or group:
 * authors may write JavaScript, and the comparison of two series is `false`.
 */
export function namedOutputsOf(record: Readonly<Record<string, NamedOutput | SeriesRecord>>): NamedOutputs {
  if (!isRecord(record) || isNamedOutput(record)) throw notNamed(record);
  const outputs = new Map<string, NamedOutput>();
  for (const [name, entry] of Object.entries<unknown>(record)) {
    if (isNamedOutput(entry)) outputs.set(name, entry);
    else if (isRecord(entry))
      for (const [part, series] of Object.entries(entry))
        outputs.set(`${name}.${part}`, sound(series, name, part));
    else sound(entry, name);
  }
  return outputs;
}

function sound(entry: unknown, ...name: readonly string[]): NamedOutput {
  if (isNamedOutput(entry)) return entry;
  const found = typeof entry === 'object' && entry !== null ? 'an object' : String(entry);
  throw new TypeError(
    `Cannot compile signals: "${name.join('.')}" is ${found}, neither a signal nor a series; want what an indicator returned`,
  );
}

function notNamed(record: unknown): TypeError {
  const found =
    record instanceof Promise
      ? 'a Promise (signals is a plain function: remove "async")'
      : isNamedOutput(record)
        ? `a ${record.kind === 'series' ? 'series' : 'signal'} without a name`
        : Array.isArray(record)
          ? 'a list'
          : String(record);
  return new TypeError(
    `Cannot compile signals: they are ${found}, want an object with names, such as { cross: crossover(...) }`,
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Promise);
}

function isNamedOutput(entry: unknown): entry is NamedOutput {
  return isRecord(entry) && (entry['kind'] === 'series' || entry['kind'] === 'signal-node');
}

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
