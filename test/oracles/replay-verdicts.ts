import { readdirSync, readFileSync } from 'node:fs';
import { differences } from './compare.ts';
import { readOracle } from './oracle-file.ts';
import { type PublishedRun, publishedDifferences } from './published.ts';
import { replayOracle } from './replay.ts';
import { closedInFull } from './ruin.ts';
import { type Verdict, verdictOn } from './verdict.ts';

/** Replays every oracle of a folder, in the order of its files, or the one named. */
export function* replayVerdicts(folder: string, data: string, only?: string): Generator<Verdict> {
  for (const file of readdirSync(folder).toSorted()) {
    if (!file.endsWith('.json')) continue;
    const id = file.slice(0, -'.json'.length);
    const content: unknown = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
    if (Array.isArray(content)) yield* publishedVerdicts(content, data, id === only ? undefined : only);
    else if (only === undefined || only === id) yield replayVerdict(folder, id, data);
  }
}

function replayVerdict(folder: string, id: string, data: string): Verdict {
  return verdictOn(id, () => {
    const oracle = readOracle(`${folder}/${id}.json`);
    const replayed = replayOracle(oracle, data);
    const [first] = differences(closedInFull(oracle), replayed, `${folder}/${oracle.equity_csv}`);
    return first;
  });
}

function* publishedVerdicts(runs: readonly PublishedRun[], data: string, only?: string): Generator<Verdict> {
  for (const run of runs) {
    if (only === undefined || only === run.id)
      yield verdictOn(run.id, () => publishedDifferences(run, data)[0]);
  }
}
