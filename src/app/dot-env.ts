import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { EnvironmentError } from './environment-error.ts';

/** Name of the file beside the project's package.json. */
export const DOT_ENV = '.env';

const OURS = /^(?:SLUICE|LONGBRIDGE|LONGPORT)_[A-Z0-9_]+$/;
const BYTES_MAX = 65_536;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The environment with what the project's `.env` says and the environment does not. Only names of ours and of the broker's SDK are
 * taken, so that the file cannot change how Node itself runs. Throws EnvironmentError when the file cannot be read.
 */
export function withDotEnv(environment: Variables, project: string): Variables {
  return { ...dotEnv(project), ...environment };
}

/** Variables of ours in the project's `.env`; none when there is no such file. Throws EnvironmentError. */
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
