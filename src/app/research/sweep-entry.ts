/** The program of a process whose threads run the trials of a sweep. */
import { runThreads } from '../../hosts/sandbox/sandbox-threads.ts';

await runThreads({ now: () => performance.now(), every: (ms, work) => void setInterval(work, ms) });
