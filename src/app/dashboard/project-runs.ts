import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import {
  RUN_KINDS,
  type RunCurve,
  type RunKind,
  type RunName,
  type RunRow,
  type RunSource,
} from '../../dashboard/run-source.ts';
import { caveatsOf, compareRunPages } from '../../reports/compare.ts';
import { firstDay } from '../../reports/first-day.ts';
import { runHtml } from '../../reports/page/run-html.ts';
import { PAGE_SCHEMA, type RunPage } from '../../reports/run-page.ts';
import { WORK_DIR } from '../storage/open-store.ts';
import { RUN_FILE } from '../storage/run-source.ts';

/** Maximum number of rows of the list, the newest of each kind. */
const ROWS_MAX = 100;
/** A larger file is not read. */
const FILE_BYTES_MAX = 64 * 2 ** 20;
/** The header of a sweep's result and its best trial are in the first lines. */
const HEAD_BYTES = 256 * 2 ** 10;
/** Maximum number of rows that are remembered while their files do not change. */
const REMEMBERED_MAX = 1_000;

const RESULT_FILE = 'result.json';
const REPORT_FILE = 'report.html';

const figure = z.number().nullish();
const pageHead = z.object({
  schema: z.literal(PAGE_SCHEMA),
  report: z.object({
    strategy: z.string(),
    config: z.string(),
    from: z.string(),
    to: z.string(),
    equity: z.array(z.unknown()).nullish(),
    omitted: z.object({ equity: z.number().optional() }).nullish(),
    figures: z.object({
      totalReturn: figure,
      maxDrawdown: z.object({ share: figure }).nullish(),
      sharpe: figure,
      closedTrades: figure,
    }),
  }),
  source: z.object({ options: z.array(z.string()).optional() }).nullish(),
});
const resultHead = z.object({
  schema: z.string().startsWith('sluice.'),
  strategy: z.string().optional(),
  config: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  objective: z.string().optional(),
});
const bestTrial = z.object({ objective: z.number().nullable() });

/**
 * The saved runs of a project, under `.sluice`. A name is looked up among existing folders; links are not followed.
 */
export function projectRuns(project: string): RunSource {
  const remembered = new Map<string, { readonly changedAt: number; readonly row: RunRow }>();

  /** Files of one kind, the newest first. */
  function filesOf(kind: RunKind) {
    return namesIn(join(project, WORK_DIR, kind))
      .flatMap((name) => {
        const folder = join(project, WORK_DIR, kind, name);
        const changedAt = fileOf(join(folder, dataFile(kind)))?.mtimeMs;
        return changedAt === undefined ? [] : [{ kind, name, folder, changedAt }];
      })
      .toSorted((one, other) => other.changedAt - one.changedAt)
      .slice(0, ROWS_MAX);
  }

  /** The row of an unchanged file; undefined if the file must be read. */
  function knownRow(folder: string, changedAt: number): RunRow | undefined {
    const known = remembered.get(folder);
    return known?.changedAt === changedAt ? known.row : undefined;
  }

  function readRow(run: RunName, folder: string, changedAt: number): RunRow {
    const row = rowOf(run, folder, changedAt);
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(folder, { changedAt, row });
    return row;
  }

  /** The folder of an existing run. */
  function folderOf({ kind, name }: RunName): string | undefined {
    const parent = join(project, WORK_DIR, kind);
    return namesIn(parent).includes(name) ? join(parent, name) : undefined;
  }

  function pageOf(run: RunName): RunPage | undefined {
    const folder = isSingle(run.kind) ? folderOf(run) : undefined;
    return folder === undefined ? undefined : readPage(join(folder, RUN_FILE));
  }

  return {
    async list() {
      const rows: RunRow[] = [];
      for (const { kind, name, folder, changedAt } of RUN_KINDS.flatMap(filesOf)) {
        const known = knownRow(folder, changedAt);
        // A file is megabytes of JSON: between two, commands such as a kill have their turn.
        if (known === undefined) await setImmediate();
        rows.push(known ?? readRow({ kind, name }, folder, changedAt));
      }
      return rows.toSorted((one, other) => other.savedAt - one.savedAt);
    },
    find(run) {
      const folder = folderOf(run);
      const changedAt = folder === undefined ? undefined : fileOf(join(folder, dataFile(run.kind)))?.mtimeMs;
      if (folder === undefined || changedAt === undefined) return undefined;
      return knownRow(folder, changedAt) ?? readRow(run, folder, changedAt);
    },
    compare(a, b) {
      const [one, other] = [pageOf(a), pageOf(b)];
      if (one === undefined || other === undefined) return undefined;
      return {
        comparison: compareRunPages(one, other),
        caveats: caveatsOf(one.report, other.report),
        curves: { a: curveOf(one), b: curveOf(other) },
      };
    },
    report(run) {
      if (isSingle(run.kind)) {
        const page = pageOf(run);
        return page === undefined ? undefined : { html: runHtml(page), origin: 'own' };
      }
      const folder = folderOf(run);
      const path = folder === undefined ? undefined : join(folder, REPORT_FILE);
      return path === undefined || fileOf(path) === undefined
        ? undefined
        : { html: readWhole(path), origin: 'stored' };
    },
  };
}

/** True if folders of this kind contain a single run, with its figures and lines. */
function isSingle(kind: RunKind): boolean {
  return kind === 'backtests' || kind === 'runs';
}

function dataFile(kind: RunKind): string {
  return isSingle(kind) ? RUN_FILE : RESULT_FILE;
}

/** Names of the folders in a folder; empty if it does not exist. */
function namesIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Facts of a regular file (no link, no pipe); undefined if there is none. */
function fileOf(path: string) {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true ? stats : undefined;
  } catch {
    return undefined;
  }
}

function rowOf(run: RunName, folder: string, changedAt: number): RunRow {
  const row: RunRow = {
    ...run,
    savedAt: changedAt,
    ...{
      strategy: '',
      config: '',
      options: [],
      from: '',
      to: '',
      figures: null,
      objective: null,
      problem: null,
    },
    isComparable: false,
    hasReport: isSingle(run.kind) || fileOf(join(folder, REPORT_FILE)) !== undefined,
  };
  try {
    return { ...row, ...(isSingle(run.kind) ? pageRow(folder) : resultRow(folder)) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...row, problem, hasReport: row.hasReport && !isSingle(run.kind) };
  }
}

function pageRow(folder: string): Partial<RunRow> {
  const { report, source } = pageHead.parse(JSON.parse(readWhole(join(folder, RUN_FILE))));
  const { strategy, config, to, figures } = report;
  return {
    ...{ strategy, config, options: source?.options ?? [], from: firstDay(report), to },
    isComparable: true,
    figures: {
      totalReturn: figures.totalReturn ?? null,
      maxDrawdown: figures.maxDrawdown?.share ?? null,
      sharpe: figures.sharpe ?? null,
      closedTrades: figures.closedTrades ?? null,
    },
  };
}

/**
 * The first line of a sweep's result is everything except its trials, the next its best trial; other results are one
 * line.
 */
function resultRow(folder: string): Partial<RunRow> {
  const path = join(folder, RESULT_FILE);
  const start = headOf(path);
  const [first = '', , best = ''] = (start.includes('\n') ? start : readWhole(path)).split('\n');
  const head = resultHead.parse(JSON.parse(first.endsWith(',') ? `${first.slice(0, -1)}}` : first));
  const { strategy = '', config = '', from = '', to = '', objective } = head;
  return {
    ...{ strategy, config, from, to },
    objective: objective === undefined ? null : { text: objective, best: bestOf(best) },
  };
}

function bestOf(line: string): number | null {
  try {
    return bestTrial.parse(JSON.parse(line.replace(/,$/, ''))).objective;
  } catch {
    // A sweep without a valid trial, or a result of another kind, has no such line.
    return null;
  }
}

function headOf(path: string): string {
  const bytes = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, 'r');
  try {
    return bytes.toString('utf8', 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

function readPage(path: string): RunPage | undefined {
  if (fileOf(path) === undefined) return undefined;
  const page: unknown = JSON.parse(readWhole(path));
  pageHead.parse(page);
  return page as RunPage;
}

function readWhole(path: string): string {
  const bytes = fileOf(path)?.size ?? 0;
  if (bytes > FILE_BYTES_MAX)
    throw new Error(`"${path}" has ${bytes} bytes, at most ${FILE_BYTES_MAX} are read: open it by itself`);
  return readFileSync(path, 'utf8');
}

function curveOf({ curve, report }: RunPage): RunCurve {
  const { time = [], equity = [] } = curve;
  return { time, equity, initial: report.figures.initialEquity ?? null };
}
