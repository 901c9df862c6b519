const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/**
 * Formats a value as one line of JSON, safe for a terminal: control, direction and invisible characters are escaped,
 * so that JSON restores them. Decimals are texts; int64 is text with all its digits.
 */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? String(each) : each,
  );
  return `${text.replace(UNPRINTABLE, escaped)}\n`;
}

function escaped(char: string): string {
  const units = Array.from({ length: char.length }, (_, index) => char.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Formats a time for programs: `2025-09-01T01:30:00.000Z`; null if there is none. */
export function jsonTime(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
