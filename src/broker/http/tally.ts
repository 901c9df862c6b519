/**
 * Counts something that may come in floods, and calls `say` with the count at 1, 2, 4, 8, ... only, so that a venue gone
 * mad fills no log.
 */
export function createTally(say: (count: number, example: string) => void): (example: string) => void {
  let count = 0;
  let next = 1;
  return (example) => {
    count += 1;
    if (count < next) return;
    next = count * 2;
    say(count, example);
  };
}
