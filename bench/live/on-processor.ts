import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of all threads of a process so far, in milliseconds. The scheduler counts it in nanoseconds. */
export function onProcessorMs(pid: number): number {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const [ran = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
      sum += Number(ran);
    } catch (error) {
      // The thread has ended in the meantime.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return sum / 1e6;
}
