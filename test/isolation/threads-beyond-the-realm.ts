/** A program whose threads make the attempts of `beyond-the-realm.ts`. */
import { runThreads } from '#src/hosts/sandbox/sandbox-threads.ts';

await runThreads({ now: () => performance.now(), every: (ms, work) => void setInterval(work, ms) });
