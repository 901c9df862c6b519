import { readdirSync, readFileSync } from 'node:fs';

/** Time that all threads of a process have been on a processor so far, in milliseconds, as the scheduler counts it: by the nanosecond. */
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
