import { DatabaseSync } from 'node:sqlite';
import { makePrivate } from '../../catalogue/private-file.ts';
import { type Millis, millis } from '../../model/time.ts';
import { VenueError } from '../venue-error.ts';

/** Version of the tables, stored in `user_version`. */
const SCHEMA_VERSION = 1;
/** SQLite's value of `synchronous = FULL`: every commit waits for the disk. */
const SYNCHRONOUS_FULL = 2;

const TABLES = `
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS requests (
  seq INTEGER PRIMARY KEY, steps INTEGER NOT NULL, market_time REAL NOT NULL, machine_time REAL NOT NULL,
  kind TEXT NOT NULL, account TEXT NOT NULL, name TEXT NOT NULL, query TEXT NOT NULL, body TEXT NOT NULL,
  replay_key TEXT NOT NULL
) STRICT;
PRAGMA user_version = ${SCHEMA_VERSION};`;

const KINDS = ['call', 'keyless-call', 'deposit', 'token', 'fault-action', 'access'] as const;

/**
 * A change of the venue, with the simulation step and market time at which it happened.
 * - `call`: a request of interface A, with endpoint, raw query and raw body.
 * - `keyless-call`: the same while the venue did not offer `submit.requestKey`.
 * - `deposit`: money deposited over the admin port.
 * - `token`: a refreshed access token.
 * - `fault-action`: an action of an injected fault.
 * - `access`: access changed over the admin port, of an account or (empty account) of all.
 * The last four have JSON in `body`.
 */
export interface StateRecord {
  readonly kind: (typeof KINDS)[number];
  readonly steps: number;
  readonly marketTime: Millis;
  readonly machineTime: Millis;
  readonly account: string;
  readonly name: string;
  readonly query: string;
  readonly body: string;
  /** Replay key of the signed request; empty if there is none. */
  readonly replayKey: string;
}

/**
 * State that survives a restart: all changes of the venue, in order. The market is deterministic, so replaying the
 * changes at the same steps restores orders, positions and balances.
 */
export interface VenueState {
  /** Returns a stored fact; undefined if it was never set. */
  fact(name: string): string | undefined;
  setFact(name: string, value: string): void;
  /** Returns once the record is on disk. */
  append(record: StateRecord): void;
  records(): Iterable<StateRecord>;
  /** Deletes all records but refreshed tokens and access; the simulation restarts at that market time. */
  restart(start: Millis): void;
  close(): void;
}

/** Names of facts: market time at which the simulation starts, and that it has reached. */
export const START_FACT = 'start';
export const REACHED_FACT = 'reached';

/**
 * Opens or creates the state file, readable by its owner only, as it contains credentials. `recipe` describes market
 * and accounts. Throws VenueError (`bad-state`) if the file is not such a database, belongs to another recipe, or is
 * open elsewhere.
 */
export function openVenueState(path: string, recipe: string): VenueState {
  const database = openDatabase(path);
  const state = stateOf(database);
  const before = state.fact('recipe');
  if (before !== undefined && before !== recipe) {
    database.close();
    throw new VenueError(
      'bad-state',
      `Cannot resume from "${path}": it was created with ${before}, not with ${recipe}; give the same options or another file`,
    );
  }
  if (before === undefined) state.setFact('recipe', recipe);
  return state;
}

function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    makePrivate(path);
    database = new DatabaseSync(path);
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE; COMMIT',
    );
    const version = pragma(database, 'user_version');
    if (version !== 0 && version !== SCHEMA_VERSION) throw new Error(`it has version ${version}`);
    if (pragma(database, 'synchronous') !== SYNCHRONOUS_FULL || pragma(database, 'journal_mode') !== 'wal')
      throw new Error('SQLite cannot make its commits durable');
    database.exec(TABLES);
    return database;
  } catch (cause) {
    database?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `Cannot use "${path}" as the venue's state file: ${reason}; give a state file that no other venue has open`;
    throw new VenueError('bad-state', message, { cause });
  }
}

function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

function stateOf(database: DatabaseSync): VenueState {
  const readFact = database.prepare('SELECT value FROM facts WHERE name = ?');
  const writeFact = database.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  const insert = database.prepare(
    'INSERT INTO requests (steps, market_time, machine_time, kind, account, name, query, body, replay_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const select = database.prepare('SELECT * FROM requests ORDER BY seq');
  const setFact = (name: string, value: string): void => {
    writeFact.run(name, value);
  };
  return {
    fact(name) {
      const value = readFact.get(name)?.['value'];
      return typeof value === 'string' ? value : undefined;
    },
    setFact,
    append({ steps, marketTime, machineTime, kind, account, name, query, body, replayKey }) {
      insert.run(steps, marketTime, machineTime, kind, account, name, query, body, replayKey);
    },
    records: () => select.all().map(recordOf),
    restart(start) {
      database.exec('BEGIN IMMEDIATE');
      database.exec("DELETE FROM requests WHERE kind NOT IN ('token', 'access')");
      database.prepare('UPDATE requests SET steps = 0, market_time = ?').run(start);
      setFact(START_FACT, String(start));
      setFact(REACHED_FACT, String(start));
      database.exec('COMMIT');
    },
    close: () => database.close(),
  };
}

function recordOf(row: Readonly<Record<string, unknown>>): StateRecord {
  const text = (name: string): string => String(row[name]);
  const kind = KINDS.find((each) => each === text('kind'));
  if (kind === undefined)
    throw new VenueError(
      'bad-state',
      `Cannot read the venue's state: a record has the unknown kind "${text('kind')}", of another version; give another file`,
    );
  return {
    kind,
    steps: Number(row['steps']),
    marketTime: millis(Number(row['market_time'])),
    machineTime: millis(Number(row['machine_time'])),
    account: text('account'),
    name: text('name'),
    query: text('query'),
    body: text('body'),
    replayKey: text('replay_key'),
  };
}
