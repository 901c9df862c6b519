import { takeLease } from '#src/app/run/lease.ts';

/** Holds the lease of the folder named on the command line until it is killed. */
const { epoch } = takeLease(process.argv[2] ?? '', 'process 7 (a.yaml)');
process.stdout.write(`holds ${epoch}\n`);
setInterval(() => undefined, 60_000);
