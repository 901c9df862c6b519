import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Timeout of "ps". */
const PS_MS = 2_000;

/**
 * True if this process is in the foreground of its terminal. A background process that changes the terminal or reads
 * its keys is stopped together with its process group (SIGTTOU, SIGTTIN). False if the system does not state it.
 */
export function isInForeground(): boolean {
  switch (process.platform) {
    case 'win32':
      // No process groups and no background jobs.
      return true;
    case 'linux':
      return isForegroundStat(linuxStat());
    default:
      return isForegroundPair(psGroups());
  }
}

/**
 * Reads a line of `/proc/PID/stat`: true if the process group (field 5) is the foreground group of the terminal
 * (field 8).
 */
export function isForegroundStat(line: string): boolean {
  // Field 2 is the name of the program in brackets, which may contain any character.
  const fields = line
    .slice(line.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  return isForegroundPair(`${fields[2]} ${fields[5]}`);
}

/** Reads the output of `ps -o pgid=,tpgid=`: the process group, and the foreground group of the terminal. */
export function isForegroundPair(text: string): boolean {
  const [, group, foreground] = /^\s*(\d+)\s+(\d+)\s*$/.exec(text) ?? [];
  return group !== undefined && Number(group) > 0 && Number(group) === Number(foreground);
}

function linuxStat(): string {
  try {
    return readFileSync('/proc/self/stat', 'latin1');
  } catch {
    return '';
  }
}

function psGroups(): string {
  const args = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)];
  return spawnSync('ps', args, { encoding: 'utf8', timeout: PS_MS }).stdout ?? '';
}
