/** Share counts that splits bring, new per old; reverse splits are their inverses. */
const SPLITS = [1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100];
/** How far a move may be from the split's own, as a logarithm: room for an ordinary day's move. */
const SPLIT_SLACK = 0.06;

/** Names the split that a move (logarithm of open by close before) looks like; undefined for none. */
export function likelySplit(moved: number): string | undefined {
  const shares = SPLITS.find((count) => Math.abs(Math.abs(moved) - Math.log(count)) < SPLIT_SLACK);
  if (shares === undefined) return undefined;
  const [many, one] = shares === 1.5 ? [3, 2] : [shares, 1];
  return moved < 0 ? `${many}-for-${one}` : `${one}-for-${many} reverse`;
}

/** How many times as much a price is in the smaller unit: cents, a vendor's thousandths or ten-thousandths. */
const SCALES = [100, 1_000, 10_000];

/** The factor between two units of price where a move looks like a change of unit; undefined where it is not. */
export function likelyScale(moved: number): string | undefined {
  const scale = SCALES.find((times) => Math.abs(Math.abs(moved) - Math.log(times)) < SPLIT_SLACK);
  if (scale === undefined) return undefined;
  return moved < 0 ? `a part in ${scale}` : `${scale} times as much`;
}
