/** Calls `action` every so many milliseconds of machine time; the result stops it. */
export function every(milliseconds: number, action: () => void): () => void {
  const timer = setInterval(action, milliseconds);
  return () => clearInterval(timer);
}
