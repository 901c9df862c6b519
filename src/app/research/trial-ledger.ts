import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { type Luck, luckOf, type TrialCount } from '../../research/luck.ts';
import { ABILITY_TRIALS_MAX, abilityOf } from '../../research/reality-check.ts';
import { bytesAsDoubles, doublesAsBytes, type ReturnMoments, returnsIn } from '../../research/trial.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { codeHash } from '../storage/content-hash.ts';
import { assertInsideProject } from '../storage/inside-project.ts';
import { WORK_DIR } from '../storage/open-store.ts';
import { runSynchronously } from './cooperative-work.ts';
import type { TrialFacts } from './trial-facts.ts';

export interface LedgerTrial {
  readonly strategy: string;
  /** SHA-256 of the strategy's code, and of the data. */
  readonly code: string;
  readonly data: string;
  /** Hash of parameters and settings: the same trial counts once. */
  readonly key: string;
  readonly params: string;
  readonly origin: 'sweep' | 'backtest';
  /** Null if the trial failed or has no Sharpe ratio. */
  readonly returns: Pick<ReturnMoments, 'count' | 'mean' | 'deviation' | 'skewness' | 'kurtosis'> | null;
  readonly days?: Float64Array;
}

const TABLE = `CREATE TABLE IF NOT EXISTS trials (
  code TEXT NOT NULL, data TEXT NOT NULL, key TEXT NOT NULL,
  strategy TEXT NOT NULL, params TEXT NOT NULL, origin TEXT NOT NULL, at INTEGER NOT NULL,
  sharpe REAL, count INTEGER, skewness REAL, kurtosis REAL,
  PRIMARY KEY (code, data, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS days (
  code TEXT NOT NULL, data TEXT NOT NULL, key TEXT NOT NULL, returns BLOB NOT NULL,
  PRIMARY KEY (code, data, key)
) STRICT`;

const BUSY_MS = 10_000;

/**
 * All trials of a strategy on its data, however they were started; `luck` uses their count. Stored in
 * `.sluice/trials.db`; several processes may write to it.
 */
export class TrialLedger {
  readonly #db: DatabaseSync;

  constructor(project: string) {
    const path = ledgerFile(project);
    assertInsideProject(project, path, 'the ledger of trials');
    mkdirSync(dirname(path), { recursive: true });
    this.#db = new DatabaseSync(path, { timeout: BUSY_MS });
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${TABLE}`);
  }

  /** Adds trials. A known trial is not counted again; if it had no figures, it takes the first that it gets. */
  add(trials: Iterable<LedgerTrial>): void {
    const at = createSystemClock().now();
    const insert = this.#db.prepare(
      `INSERT INTO trials (code, data, key, strategy, params, origin, at, sharpe, count, skewness, kurtosis)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (code, data, key) DO UPDATE SET
        sharpe = excluded.sharpe, count = excluded.count, skewness = excluded.skewness, kurtosis = excluded.kurtosis
      WHERE sharpe IS NULL AND excluded.sharpe IS NOT NULL`,
    );
    const keep = this.#db.prepare(
      'INSERT OR IGNORE INTO days (code, data, key, returns) VALUES (?, ?, ?, ?)',
    );
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const { code, data, key, strategy, params, origin, returns, days } of trials) {
        insert.run(
          ...[code, data, key, strategy, params, origin, at],
          returns === null ? null : returns.mean / returns.deviation,
          ...(returns === null ? [null, null, null] : [returns.count, returns.skewness, returns.kurtosis]),
        );
        if (returns !== null && days !== undefined) keep.run(code, data, key, doublesAsBytes(days));
      }
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Summarises all trials of a code on some data. */
  countOf(strategy: string, code: string, data: string): TrialCount {
    const versions = this.#db
      .prepare('SELECT count(*) AS trials FROM trials WHERE strategy = ? AND data = ?')
      .get(strategy, data);
    return this.#countOf({ strategy, code, data, allVersions: Number(versions?.['trials'] ?? 0) });
  }

  #countOf({
    strategy,
    code,
    data,
    allVersions,
  }: Pick<TrialCount, 'strategy' | 'code' | 'data' | 'allVersions'>): TrialCount {
    let [trials, known, mean, squares] = [0, 0, 0, 0];
    let best: TrialCount['best'];
    const rows = this.#db
      .prepare(
        'SELECT params, sharpe, count, skewness, kurtosis FROM trials WHERE code = ? AND data = ? ORDER BY key',
      )
      .iterate(code, data);
    for (const { params, sharpe, count, skewness, kurtosis } of rows) {
      trials += 1;
      if (sharpe === null) continue;
      const value = Number(sharpe);
      known += 1;
      const off = value - mean;
      mean += off / known;
      squares += off * (value - mean);
      if (best === undefined || value > best.sample.sharpe)
        best = {
          params: String(params),
          sample: {
            sharpe: value,
            count: Number(count),
            skewness: Number(skewness),
            kurtosis: Number(kurtosis),
          },
        };
    }
    return {
      strategy,
      code,
      data,
      trials,
      allVersions,
      variance: known > 1 ? squares / (known - 1) : 0,
      ...omitUndefined({ best }),
    };
  }

  /**
   * Returns the daily returns of all trials of a code on some data that have a Sharpe ratio; undefined if those of
   * one are not kept, or if there are too many to test together.
   */
  returnsOf(code: string, data: string): readonly Float64Array[] | undefined {
    const counted = this.#db
      .prepare('SELECT count(*) AS trials FROM trials WHERE code = ? AND data = ? AND sharpe IS NOT NULL')
      .get(code, data);
    const trials = Number(counted?.['trials'] ?? 0);
    if (trials > ABILITY_TRIALS_MAX) return undefined;
    const rows = this.#db
      .prepare('SELECT returns FROM days WHERE code = ? AND data = ? ORDER BY key')
      .all(code, data);
    if (rows.length !== trials) return undefined;
    return rows.flatMap(({ returns }) => (returns instanceof Uint8Array ? [bytesAsDoubles(returns)] : []));
  }

  /** Summarises the trials of every code and data, the latest first; only of one strategy if it is given. */
  all(strategy?: string): readonly TrialCount[] {
    const rows = this.#db
      .prepare(
        'SELECT strategy, code, data, max(at) AS last, sum(count(*)) OVER (PARTITION BY strategy, data) AS versions FROM trials WHERE ?1 IS NULL OR strategy = ?1 GROUP BY strategy, code, data ORDER BY last DESC, code, data',
      )
      .all(strategy ?? null);
    return rows.map(({ strategy: name, code, data, versions }) =>
      this.#countOf({
        strategy: String(name),
        code: String(code),
        data: String(data),
        allVersions: Number(versions),
      }),
    );
  }

  strategies(): readonly string[] {
    const rows = this.#db.prepare('SELECT DISTINCT strategy FROM trials ORDER BY strategy').all();
    return rows.map(({ strategy }) => String(strategy));
  }

  close(): void {
    this.#db.close();
  }
}

export function ledgerFile(project: string): string {
  return join(project, WORK_DIR, 'trials.db');
}

/**
 * Computes the luck in the best trial of each code and data of a project's ledger, which is not created if it is
 * missing. Yields the completed share after each piece.
 */
export function* ledgerLuckInPieces(project: string, strategy?: string): Generator<number, readonly Luck[]> {
  if (!existsSync(ledgerFile(project))) return [];
  const ledger = new TrialLedger(project);
  try {
    const luck: Luck[] = [];
    const all = ledger.all(strategy);
    for (const [at, count] of all.entries()) {
      const tests = abilityOf(ledger.returnsOf(count.code, count.data) ?? []);
      let test = tests.next();
      for (; test.done !== true; test = tests.next()) yield (at + test.value) / all.length;
      const own = luckOf(count, undefined, test.value);
      if (own !== undefined) luck.push(own);
    }
    return luck;
  } finally {
    ledger.close();
  }
}

/** Computes the same without pauses. */
export function ledgerLuck(project: string, strategy?: string): readonly Luck[] {
  return runSynchronously(ledgerLuckInPieces(project, strategy));
}

export function ledgerStrategies(project: string): readonly string[] {
  if (!existsSync(ledgerFile(project))) return [];
  const ledger = new TrialLedger(project);
  try {
    return ledger.strategies();
  } finally {
    ledger.close();
  }
}

/**
 * Adds a backtest to the ledger of its project. Returns a warning for the user if the ledger cannot be written, for
 * example on a read-only disk: the backtest itself is valid.
 */
export function countTrial(project: string, { files, days, ...facts }: TrialFacts): string | undefined {
  try {
    const ledger = new TrialLedger(project);
    try {
      const daysField = days === undefined ? {} : { days: returnsIn(days) };
      ledger.add([{ ...facts, ...daysField, code: codeHash(files), origin: 'backtest' }]);
    } finally {
      ledger.close();
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof Error && ('code' in error || error.name === 'EnvironmentError'))) throw error;
    return `This trial is not counted, so "sluice luck" judges too kindly: ${error.message}`;
  }
}
