/** Calls of one hook that created drafts with `context.orders` and returned nothing, so that the drafts were lost. */
export interface UnreturnedDrafts {
  /** Name of the strategy; absent in a bot with one. */
  readonly strategy?: string;
  /** Such as `onBar`. */
  readonly hook: string;
  readonly calls: number;
}

/** Returns one sentence for each hook that lost drafts. */
export function unreturnedTexts(unreturned: readonly UnreturnedDrafts[]): readonly string[] {
  return unreturned.map(({ strategy, hook, calls }) => {
    const ownerText = strategy === undefined ? '' : ` of "${strategy}"`;
    const often = calls === 1 ? 'once' : `${calls} times`;
    return `${hook}${ownerText} created orders and returned nothing ${often}: what a hook does not return is not sent. Is a "return" missing?`;
  });
}
