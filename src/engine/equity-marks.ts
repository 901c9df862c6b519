/** One point of the equity curve: right after the bars of one instant closed, or a delisted security was paid out. */
export interface EquityMark {
  readonly time: number;
  readonly equity: number;
  readonly exposure: number;
}

/** Adds a point to a curve; of two at one instant the later counts. */
export function keepMark(marks: EquityMark[], mark: EquityMark): void {
  if (marks.at(-1)?.time === mark.time) marks.pop();
  marks.push(mark);
}
