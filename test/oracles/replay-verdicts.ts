import { z } from 'zod';
import { differences } from './compare.ts';
import { knownEngine, LIKELY_RULES, type Manner } from './engines.ts';
import { otherData } from './oracle-bars.ts';
import { jsonNames, type Oracle, readJson, readOracle } from './oracle-file.ts';
import { type PublishedRun, publishedDifferences } from './published.ts';
import { replayOracle } from './replay.ts';
import { closedInFull } from './ruin.ts';
import { unheeded } from './unheeded.ts';
import { type Verdict, verdictOn } from './verdict.ts';

/** Replays every oracle of a folder in the order of its files, or the named one. */
export function* replayVerdicts(folder: string, data: string, only?: string): Generator<Verdict> {
  for (const id of jsonNames(folder)) {
    const runs = publishedRuns(`${folder}/${id}.json`);
    if (runs !== undefined) yield* publishedVerdicts(id, runs, data, id === only ? undefined : only);
    else if (only === undefined || only === id) yield replayVerdict(folder, id, data);
  }
}

function replayVerdict(folder: string, id: string, data: string): Verdict {
  return verdictOn(id, () => {
    const oracle = readOracle(`${folder}/${id}.json`);
    return {
      problem:
        knownEngine(oracle) === undefined
          ? differenceByAnyRules(oracle, folder, data)
          : firstDifference(oracle, folder, data),
    };
  });
}

/**
 * The difference by the closest rules that an unknown program may follow; undefined if the oracle agrees with one of
 * them.
 */
function differenceByAnyRules(oracle: Oracle, folder: string, data: string): string | undefined {
  let nearest: { readonly count: number; readonly words: string; readonly problem: string } | undefined;
  for (const { like, words, ...manner } of LIKELY_RULES) {
    let count = Number.POSITIVE_INFINITY;
    const { problem } = verdictOn(oracle.id, () => {
      const found = differencesOf({ ...oracle, engine: { name: like } }, folder, data, manner);
      count = found.length;
      return { problem: found[0] };
    });
    if (problem === undefined) return undefined;
    if (nearest === undefined || count < nearest.count) nearest = { count, words, problem };
  }
  return `The rules of the engine "${oracle.engine.name}" are unknown; by those ${nearest?.words}, the nearest, ${nearest?.problem}`;
}

function firstDifference(oracle: Oracle, folder: string, data: string): string | undefined {
  return differencesOf(oracle, folder, data)[0];
}

function differencesOf(oracle: Oracle, folder: string, data: string, manner?: Manner): readonly string[] {
  const replayed = replayOracle(oracle, data, manner);
  const found = [...differences(closedInFull(oracle), replayed, `${folder}/${oracle.equity_csv}`)];
  return found.map((text, place) =>
    place === 0 ? `${text}${otherData(oracle, data)}${unheeded(oracle)}` : text,
  );
}

/** The runs that a file lists; undefined if it is no list or cannot be read, which `readOracle` reports. */
function publishedRuns(path: string): readonly unknown[] | undefined {
  try {
    const content = readJson(path);
    return Array.isArray(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

function* publishedVerdicts(
  file: string,
  runs: readonly unknown[],
  data: string,
  only?: string,
): Generator<Verdict> {
  if (runs.length === 0 && only === undefined) yield { id: file, problem: 'a list of no run' };
  for (const [place, entry] of runs.entries()) {
    const run = publishedRun(entry);
    const id = run?.id ?? `${file}, entry ${place + 1}`;
    if (only !== undefined && only !== id) continue;
    if (run === undefined) yield { id, problem: 'want a published run: "id", "published" and "data"' };
    else yield verdictOn(id, () => ({ problem: publishedDifferences(run, data)[0] }));
  }
}

function publishedRun(entry: unknown): PublishedRun | undefined {
  const { success } = PUBLISHED.safeParse(entry);
  return success ? (entry as PublishedRun) : undefined;
}

const PUBLISHED = z.looseObject({ id: z.string(), published: z.looseObject({}), data: z.string() });
