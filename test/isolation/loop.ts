/** A program that closes itself off as a sandbox, and then never returns. */
import { dropPermissions, startWatchdog } from '#src/hosts/sandbox/host-link.ts';

await startWatchdog();
dropPermissions();
process.send?.({ kind: 'closed-off' }, () => {
  for (;;);
});
