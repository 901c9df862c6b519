/** A program that starts a sandbox in which a strategy loops for ever, and prints its process id. */
import { spawnSandbox } from '#src/hosts/workers/plugin-process.ts';

const child = spawnSandbox({
  file: new URL('./loop.ts', import.meta.url).pathname,
  flags: [],
  limit: 'none',
});
child.on('message', () => process.send?.({ pid: child.pid }));
