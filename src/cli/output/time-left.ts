/** Estimated time left, as text after a count; empty if not known. */
export function leftText(done: number, left: number, ms: number): string {
  if (done === 0 || left === 0) return '';
  const seconds = Math.ceil((left * ms) / done / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 120) return `, ${Math.round(minutes / 60)} h left`;
  return minutes > 0 ? `, ${minutes} min ${seconds % 60} s left` : `, ${seconds} s left`;
}
