/** A program that starts a sandbox in which a strategy loops for ever, and tells its process. */
import { spawnSandbox } from '#src/hosts/plugin-process.ts';

const child = spawnSandbox(new URL('./loop.ts', import.meta.url).pathname, []);
child.on('message', () => process.send?.({ pid: child.pid }));
