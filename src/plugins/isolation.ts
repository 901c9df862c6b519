/** Where an author's code runs, separate from the engine. */
export const ISOLATIONS = ['process', 'thread'] as const;

/**
 * In a `process`, Node.js permissions and the operating system restrict an author's code. A `thread` is faster and is
 * safe only for trusted code.
 */
export type Isolation = (typeof ISOLATIONS)[number];
