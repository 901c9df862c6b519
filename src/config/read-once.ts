import { z } from 'zod';

/**
 * Declares that this process reads each input once: schemas made from now on are interpreted, as compiling one takes longer than
 * walking it a few times.
 */
export function readsOnce(): void {
  z.config({ jitless: true });
}
