import { execFile } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';

/**
 * How the system keeps a sandboxed process from opening anything: Node's permissions know no network.
 * - `prlimit`: the program of util-linux takes the right away once the process has loaded its own code.
 * - `shell`: the process starts with few descriptors, and takes all of them before an author's code comes in. It holds what does not
 *   close one of them first.
 * - `none`: on Windows, and for notifiers, which have the network.
 */
export type DescriptorLimit = 'prlimit' | 'shell' | 'none';

const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit', '/usr/local/bin/prlimit'];
const SHELL = '/bin/sh';

/** Descriptors of a process that takes all of them; Node itself needs some forty to load a run, and four for each thread. */
const DESCRIPTORS = 1_024;

/** The variable that tells a process to take all of its descriptors. */
const VARIABLE = 'SLUICE_TAKE_DESCRIPTORS';

/** The strictest way that this system has. */
export function descriptorLimit(
  platform: NodeJS.Platform = process.platform,
  isThere: (file: string) => boolean = existsSync,
): DescriptorLimit {
  if (platform === 'linux' && PRLIMIT.some(isThere)) return 'prlimit';
  return platform !== 'win32' && isThere(SHELL) ? 'shell' : 'none';
}

/** The command that starts Node under a limit, what is put in front of its arguments, and what its environment has besides. */
export function limitedNode(limit: DescriptorLimit): {
  readonly command: string;
  readonly before: readonly string[];
  readonly env: NodeJS.ProcessEnv;
} {
  if (limit !== 'shell') return { command: process.execPath, before: [], env: {} };
  const script = `ulimit -n ${DESCRIPTORS} && exec "$0" "$@"`;
  return { command: SHELL, before: ['-c', script, process.execPath], env: { [VARIABLE]: '1' } };
}

/** Takes the right to open anything from another process, where the system has `prlimit`. What is open stays. */
export function denyDescriptors(pid: number | undefined, limit: DescriptorLimit): Promise<void> {
  const prlimit = PRLIMIT.find((file) => existsSync(file));
  if (limit !== 'prlimit' || prlimit === undefined || pid === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    execFile(prlimit, ['--pid', String(pid), '--nofile=0:0'], { env: {} }, () => resolve());
  });
}

/** Takes all descriptors that this process may have, if it was started to do so, while it may still read files. */
export function takeDescriptors(): void {
  if (process.env[VARIABLE] === undefined) return;
  const taken: number[] = [];
  try {
    while (taken.length < DESCRIPTORS) taken.push(openSync('/dev/null', 'r'));
  } catch {
    return;
  }
  // The limit did not come into force: nothing is gained by holding so many.
  for (const each of taken) closeSync(each);
}
