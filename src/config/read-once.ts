import { z } from 'zod';

/**
 * Says that this process reads what it reads once: schemas that are made from now on are walked, as compiling one takes longer than
 * walking it a few times.
 */
export function readsOnce(): void {
  z.config({ jitless: true });
}
