const LEVELS = '\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588';

/**
 * Draws figures as a line of columns, one character each, from the lowest to the highest; a blank for a missing
 * figure.
 */
export function sparkText(figures: readonly number[]): string {
  const known = figures.filter(Number.isFinite);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return figures
    .map((figure) => {
      if (!Number.isFinite(figure)) return ' ';
      const share = high > low ? (figure - low) / (high - low) : 0.5;
      return LEVELS[Math.min(LEVELS.length - 1, Math.floor(share * LEVELS.length))];
    })
    .join('');
}
