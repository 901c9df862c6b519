/** Formats a count with its noun: `1 bar`, `2 bars`, `0 days`; `many` is an irregular plural. */
export function plural(count: Countable, noun: string, many = `${noun}s`): string {
  const text = count.toString();
  return `${text} ${text === '1' ? noun : many}`;
}

type Countable = { toString(): string };

/** Formats a position: `1st`, `2nd`, `3rd`, `11th`, `101st`. */
export function ordinal(position: number): string {
  const [last, teens] = [position % 10, Math.floor(position / 10) % 10 === 1];
  const ending = teens ? 'th' : (ENDINGS[last] ?? 'th');
  return `${position}${ending}`;
}

const ENDINGS: Readonly<Record<number, string>> = { 1: 'st', 2: 'nd', 3: 'rd' };
