import { execFile } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';

/**
 * How the system prevents a sandboxed process from opening files or sockets; Node's permissions do not cover the
 * network.
 * - `prlimit`: the program of util-linux sets the limit to 0 when the process has loaded its own code.
 * - `shell`: the process starts with a low limit and opens all its descriptors before an author's code is loaded.
 * Code that first closes one of them can evade it.
 * - `none`: on Windows, and for notifiers, which may use the network.
 */
export type DescriptorLimit = 'prlimit' | 'shell' | 'none';

const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit', '/usr/local/bin/prlimit'];
const SHELL = '/bin/sh';

/** Limit under `shell`; Node itself needs about 40 descriptors to load a run, and 4 for each thread. */
const DESCRIPTORS = 1_024;

/** Tells a process to open all of its descriptors. */
const VARIABLE = 'SLUICE_TAKE_DESCRIPTORS';

/** Returns the strictest limit that this system supports. */
export function descriptorLimit(
  platform: NodeJS.Platform = process.platform,
  isThere: (file: string) => boolean = existsSync,
): DescriptorLimit {
  if (platform === 'linux' && PRLIMIT.some(isThere)) return 'prlimit';
  return platform !== 'win32' && isThere(SHELL) ? 'shell' : 'none';
}

/** Returns the command that starts Node under a limit, its first arguments, and additional environment variables. */
export function limitedNode(limit: DescriptorLimit): {
  readonly command: string;
  readonly before: readonly string[];
  readonly env: NodeJS.ProcessEnv;
} {
  if (limit !== 'shell') return { command: process.execPath, before: [], env: {} };
  const script = `ulimit -n ${DESCRIPTORS} && exec "$0" "$@"`;
  return { command: SHELL, before: ['-c', script, process.execPath], env: { [VARIABLE]: '1' } };
}

/** Prevents another process from opening further descriptors, if the system has `prlimit`. Open ones remain open. */
export function denyDescriptors(pid: number | undefined, limit: DescriptorLimit): Promise<void> {
  const prlimit = PRLIMIT.find((file) => existsSync(file));
  if (limit !== 'prlimit' || prlimit === undefined || pid === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    execFile(prlimit, ['--pid', String(pid), '--nofile=0:0'], { env: {} }, () => resolve());
  });
}

/** Opens all descriptors that this process may have, if it was started to do so. */
export function exhaustDescriptors(): void {
  if (process.env[VARIABLE] === undefined) return;
  const taken: number[] = [];
  try {
    while (taken.length < DESCRIPTORS) taken.push(openSync('/dev/null', 'r'));
  } catch {
    return;
  }
  // The limit is not in force, so holding them has no effect.
  for (const each of taken) closeSync(each);
}
