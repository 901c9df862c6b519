import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { EnvironmentError } from '../broker/environment-error.ts';

/** Name of the file, in the folder of the project's package.json. */
export const DOT_ENV = '.env';

const OURS = /^(?:SLUICE|LONGBRIDGE|LONGPORT)_[A-Z0-9_]+$/;
const BYTES_MAX = 65_536;
/** Variables that are not secret. All others are: credentials, and the settings of notifiers. */
const PUBLIC = /(?:_HTTP_URL|_QUOTE_WS_URL|_TRADE_WS_URL|^SLUICE_CATALOGUE_URL|_LANGUAGE)$/;
const OTHERS = 0o077;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the environment, with variables of the project's `.env` that the environment does not set. Only our
 * variables and those of the broker's SDK are read, so that the file cannot change how Node.js runs. Throws
 * EnvironmentError if the file cannot be read, or if it has a secret and is readable by others. @see
 * docs/reliability.md, S-12, F-F04
 */
export function withDotEnv(environment: Variables, project: string): Variables {
  const own = dotEnv(project);
  const secret = Object.keys(own).find((name) => own[name] !== '' && !PUBLIC.test(name));
  if (secret !== undefined && isOpenToOthers(project)) {
    throw new EnvironmentError(
      `Cannot use "${DOT_ENV}" of this project: it holds ${secret} and others on this machine may read it, run "chmod 600 ${DOT_ENV}"; where that changes nothing, as on a disk of another system, set it in the environment and not there`,
    );
  }
  return { ...own, ...environment };
}

/**
 * Returns whether a variable has a value in the environment or the project's `.env`, for warnings. A file that cannot
 * be read counts as empty.
 */
export function variableIsSet(environment: Variables, project: string): (name: string) => boolean {
  let own: Variables;
  try {
    own = dotEnv(project);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    own = {};
  }
  return (name) => (environment[name] ?? own[name] ?? '') !== '';
}

/** True if users other than the owner may read the project's `.env`; never on Windows, which has no such modes. */
export function isOpenToOthers(project: string): boolean {
  return process.platform !== 'win32' && (statSync(join(project, DOT_ENV)).mode & OTHERS) !== 0;
}

/** Our variables in the project's `.env`; none if there is no such file. Throws EnvironmentError. */
export function dotEnv(project: string): Readonly<Record<string, string>> {
  const file = join(project, DOT_ENV);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return {};
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new EnvironmentError(
      `Cannot read "${DOT_ENV}" of this project (${why}), make it a text file of yours`,
      {
        cause,
      },
    );
  }
  if (text.length > BYTES_MAX) {
    throw new EnvironmentError(`Cannot read "${DOT_ENV}": it has more than ${BYTES_MAX} characters`);
  }
  const parsed = Object.entries(parseEnv(text.replace(/^\uFEFF/, '')));
  return Object.fromEntries(
    parsed.flatMap(([name, value]) => (OURS.test(name) && value !== undefined ? [[name, value]] : [])),
  );
}
