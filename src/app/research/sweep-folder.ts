import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import type { TrialOutcome } from '../../research/trial.ts';
import { assertInsideProject } from '../storage/inside-project.ts';

const TRIALS = 'trials.jsonl';

/** The trials of a sweep on disk. Each is appended when it is done, so that a stopped sweep can resume. */
export class SweepFolder {
  readonly #file: number;
  readonly #path: string;

  /**
   * Opens or creates the folder. `onKnown` receives the stored outcomes of trials below `count`; the first outcome of
   * a trial counts, and a line truncated by a crash is ignored. A new folder copies the outcomes of `earlier`,
   * another folder with the same first trials, without their daily returns.
   */
  constructor(
    folder: string,
    project: string,
    {
      count,
      isFresh,
      earlier,
      onKnown,
    }: {
      readonly count: number;
      readonly earlier?: string | undefined;
      readonly isFresh: boolean;
      readonly onKnown: (trial: number, outcome: TrialOutcome) => void;
    },
  ) {
    const path = join(folder, TRIALS);
    assertInsideProject(project, path, 'the trials of a sweep');
    mkdirSync(folder, { recursive: true });
    if (isFresh) rmSync(path, { force: true });
    const isNew = !existsSync(path);
    if (!isNew) readOutcomes(path, count, onKnown);
    this.#path = path;
    this.#file = openSync(path, 'a');
    const before = earlier === undefined ? '' : join(earlier, TRIALS);
    if (isNew && !isFresh && existsSync(before))
      readOutcomes(before, count, (trial, outcome) => {
        const kept = withoutDays(outcome);
        this.add(trial, kept);
        onKnown(trial, kept);
      });
    // After a truncated line the next entry starts on a new line.
    if (!endsClean(path)) writeSync(this.#file, '\n');
  }

  add(trial: number, outcome: TrialOutcome): void {
    writeSync(this.#file, `${JSON.stringify({ trial, outcome })}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Deletes all outcomes, so that they are not used again. */
  discard(): void {
    rmSync(this.#path, { force: true });
  }
}

function withoutDays(outcome: TrialOutcome): TrialOutcome {
  if (outcome.kind !== 'done') return outcome;
  const { days: _, ...kept } = outcome;
  return kept;
}

function endsClean(path: string): boolean {
  const { size } = statSync(path);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  const file = openSync(path, 'r');
  try {
    readSync(file, last, 0, 1, size - 1);
  } finally {
    closeSync(file);
  }
  return last[0] === 10;
}

const CHUNK_BYTES = 1 << 20;

/** Reads outcomes line by line, because a file of a million trials exceeds the maximum length of a string. */
function readOutcomes(
  path: string,
  count: number,
  onKnown: (trial: number, outcome: TrialOutcome) => void,
): void {
  const seen = new Uint8Array(count);
  const file = openSync(path, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  try {
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
      let from = 0;
      for (let end = bytes.indexOf(10, from); end >= 0; end = bytes.indexOf(10, from)) {
        const line = outcomeIn(bytes.toString('utf8', from, end), count);
        if (line !== undefined && seen[line.trial] === 0) {
          seen[line.trial] = 1;
          onKnown(line.trial, line.outcome);
        }
        from = end + 1;
      }
      rest = bytes.subarray(from);
    }
  } finally {
    closeSync(file);
  }
}

function outcomeIn(
  line: string,
  count: number,
): { readonly trial: number; readonly outcome: TrialOutcome } | undefined {
  if (line === '') return undefined;
  try {
    const { trial, outcome } = JSON.parse(line);
    if (!Number.isInteger(trial) || trial < 0 || trial >= count) return undefined;
    return outcome?.kind === 'done' || outcome?.kind === 'failed' ? { trial, outcome } : undefined;
  } catch {
    // The line was being written when the machine stopped; its trial runs again.
    return undefined;
  }
}

/** Files of a result as paths from the project: the complete JSON, and the HTML page. */
export interface ResultFiles {
  readonly json: string;
  readonly page: string;
}

/**
 * Writes a result into a folder of the project. Each file is written under a temporary name and renamed, so it is
 * never incomplete.
 */
export function writeResult(
  folder: string,
  project: string,
  { json, page }: { readonly json: Iterable<string>; readonly page: string },
): ResultFiles {
  const files = { json: join(folder, 'result.json'), page: join(folder, 'report.html') };
  for (const path of Object.values(files)) assertInsideProject(project, path, 'a result');
  mkdirSync(folder, { recursive: true });
  writeWhole(files.json, json);
  writeWhole(files.page, [page]);
  return { json: relative(project, files.json), page: relative(project, files.page) };
}

function writeWhole(path: string, texts: Iterable<string>): void {
  const made = `${path}.new`;
  const file = openSync(made, 'w');
  try {
    let waiting = '';
    for (const text of texts) {
      waiting += text;
      if (waiting.length < CHUNK_BYTES) continue;
      writeFileSync(file, waiting);
      waiting = '';
    }
    writeFileSync(file, waiting);
  } finally {
    closeSync(file);
  }
  renameSync(made, path);
}
