/** Common split ratios, new shares per old; reverse splits are their inverses. */
const SPLITS = [1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100];
/** Maximum difference between a log return and the split's own: allows for the day's ordinary move. */
const SPLIT_SLACK = 0.06;

/** Names the split that a log return (open against previous close) resembles; undefined if none. */
export function likelySplit(moved: number): string | undefined {
  const shares = SPLITS.find((count) => Math.abs(Math.abs(moved) - Math.log(count)) < SPLIT_SLACK);
  if (shares === undefined) return undefined;
  const [many, one] = shares === 1.5 ? [3, 2] : [shares, 1];
  return moved < 0 ? `${many}-for-${one}` : `${one}-for-${many} reverse`;
}

const SCALES = [100, 1_000, 10_000];

/** Describes the change of price unit that a log return resembles; undefined if none. */
export function likelyScale(moved: number): string | undefined {
  const scale = SCALES.find((times) => Math.abs(Math.abs(moved) - Math.log(times)) < SPLIT_SLACK);
  if (scale === undefined) return undefined;
  return moved < 0 ? `a part in ${scale}` : `${scale} times as much`;
}
