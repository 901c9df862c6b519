/** Where an author's code may run, away from the engine. */
export const ISOLATIONS = ['process', 'thread'] as const;

/**
 * In a `process` Node's permissions and the system hold an author's code; a `thread` is faster, and holds only code that means no
 * harm.
 */
export type Isolation = (typeof ISOLATIONS)[number];
