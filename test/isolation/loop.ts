/** A program that closes itself off as a sandbox, and then never returns. */
import { closeOff, watchOver } from '#src/hosts/sandbox/host-link.ts';

await watchOver();
closeOff();
process.send?.({ kind: 'closed-off' }, () => {
  for (;;);
});
