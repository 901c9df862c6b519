import { z } from 'zod';

/**
 * Declares that this process reads each input once. Later schemas are interpreted, because compiling one takes longer
 * than interpreting it a few times.
 */
export function readsOnce(): void {
  z.config({ jitless: true });
}
