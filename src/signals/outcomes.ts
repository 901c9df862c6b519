import { nearestName } from '../model/nearest-name.ts';
import type { Series, SeriesRecord, SignalNode } from './series.ts';

/** What one name of a strategy's record stands for. */
export type Outcome = Series | SignalNode;

/** Every name of a record with what it stands for; series of a group get `group.part`. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/** Flattens what a strategy's `signals` returned. Throws TypeError for anything that is no signal, series or group. */
export function outcomesOf(record: Readonly<Record<string, Outcome | SeriesRecord>>): Outcomes {
  const outcomes = new Map<string, Outcome>();
  for (const [name, entry] of Object.entries(record)) {
    if (isOutcome(entry)) outcomes.set(name, entry);
    else for (const [part, series] of Object.entries(entry)) outcomes.set(`${name}.${part}`, series);
  }
  for (const [name, outcome] of outcomes) {
    if (isOutcome(outcome)) continue;
    throw new TypeError(
      `Cannot compile signals: "${name}" is neither a signal nor a series, want what an indicator returned`,
    );
  }
  return outcomes;
}

function isOutcome(entry: Outcome | SeriesRecord): entry is Outcome {
  return (
    typeof entry === 'object' &&
    'kind' in entry &&
    (isKind(entry.kind, 'series') || isKind(entry.kind, 'signal-node'))
  );
}

const isKind = (kind: unknown, wanted: Outcome['kind']): boolean => kind === wanted;

/** What a name stands for; throws RangeError with the names there are. */
export function outcomeOf(outcomes: Outcomes, name: string): Outcome {
  return outcomes.get(name) ?? noSuchOutcome(name, [...outcomes.keys()]);
}

/** Throws RangeError for a name that is none of the record's, with the one that was meant. */
export function noSuchOutcome(name: string, names: readonly string[]): never {
  const meant = nearestName(name, names);
  const guess = meant === undefined ? '' : `, did you mean "${meant}"?`;
  throw new RangeError(
    `"${name}" is none of this strategy's signals (${names.join(', ') || 'it has none'})${guess}`,
  );
}

/** The column that `value(name)` reads: the series itself, or a signal's direction. */
export function columnBehind(outcome: Outcome): Pick<Series, 'node' | 'output'> {
  return outcome.kind === 'series' ? outcome : { node: outcome.node, output: 0 };
}
