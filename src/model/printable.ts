const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\ufffd]/gu;

/**
 * Makes outside text safe to print on one line: control, escape, direction and invisible characters become
 * `\u001b`-like escapes, and text longer than `charsMax` is truncated with an ellipsis.
 */
export function printable(text: string, charsMax = 80): string {
  const chars = Array.from(text);
  const shortened = chars.length > charsMax ? `${chars.slice(0, charsMax - 3).join('')}...` : text;
  return shortened.replace(
    UNPRINTABLE,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** Like `printable`, for text of several lines and any length. */
export function printableLines(text: string): string {
  return text
    .split('\n')
    .map((line) => printable(line, Number.POSITIVE_INFINITY))
    .join('\n');
}
