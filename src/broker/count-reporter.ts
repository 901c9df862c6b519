/** Counts a frequent event and calls `say` only at 1, 2, 4, 8, ..., so that it cannot fill the log. */
export function createCountReporter(
  report: (count: number, example: string) => void,
): (example: string) => void {
  let count = 0;
  let next = 1;
  return (example) => {
    count += 1;
    if (count < next) return;
    next = count * 2;
    report(count, example);
  };
}
