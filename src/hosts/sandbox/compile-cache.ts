import { flushCompileCache, getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { omitUndefined } from '../../model/omit-undefined.ts';

const VARIABLE = 'NODE_COMPILE_CACHE';

/** Returns the environment variable for the compile cache of this thread; empty if there is no cache. */
export function cacheEnvironment(): NodeJS.ProcessEnv {
  const dir = getCompileCacheDir();
  // Node appends its version to the configured folder.
  return dir === undefined ? {} : { [VARIABLE]: dirname(dir) };
}

/**
 * Returns the environment of a sandboxed process: compile cache, time zone and Windows' system folder, but no
 * secrets.
 */
export function sandboxEnvironment(): NodeJS.ProcessEnv {
  const { TZ, SystemRoot } = process.env;
  return {
    ...cacheEnvironment(),
    ...omitUndefined({ TZ, SystemRoot }),
  };
}

/** Removes that variable from a thread's environment, before an author's code runs. */
export function removeEnvironment(): void {
  delete process.env[VARIABLE];
}

/** Writes the compile cache, because a terminated thread does not. */
export function saveCompileCache(): void {
  flushCompileCache();
}
