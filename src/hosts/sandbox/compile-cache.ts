import { flushCompileCache, getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { omitUndefined } from '../../model/omit-undefined.ts';

const VARIABLE = 'NODE_COMPILE_CACHE';

/** The environment in which a thread finds what this one compiled before; empty where nothing is kept. */
export function cacheEnvironment(): NodeJS.ProcessEnv {
  const dir = getCompileCacheDir();
  // Node adds its own version to the folder it is given.
  return dir === undefined ? {} : { [VARIABLE]: dirname(dir) };
}

/** What a sandboxed process is started with: where compiled code is kept, and the time zone. Nothing else, and no secret. */
export function sandboxEnvironment(): NodeJS.ProcessEnv {
  const { TZ, SystemRoot } = process.env;
  return {
    ...cacheEnvironment(),
    ...omitUndefined({ TZ, SystemRoot }),
  };
}

/** Takes out of a thread's environment what Node alone had to know, before any code of an author's runs. */
export function forgetEnvironment(): void {
  delete process.env[VARIABLE];
}

/** Keeps what this thread compiled so far for the next one: a thread that is ended from outside keeps nothing by itself. */
export function keepCompiled(): void {
  flushCompileCache();
}
