const FRAME = /(?:file:\/\/)?([^\s()]+\.[cm]?[jt]s):(\d+):(\d+)\)?$/;
const OWN = /\/(?:src|dist)\/(?:signals|strategy|plugins|simulation|hosts|backtest|engine|testing)\//;

/**
 * Where an author's code threw, as ` (at path:line:column)`: the first frame of the stack that is not the framework's own;
 * empty when there is none.
 */
export function placeIn(thrown: unknown): string {
  const lines = thrown instanceof Error ? (thrown.stack ?? '').split('\n') : [];
  for (const line of lines) {
    const match = FRAME.exec(line.trim());
    if (match === null || OWN.test(match[1] ?? '') || (match[1] ?? '').startsWith('node:')) continue;
    return ` (at ${match[1]}:${match[2]}:${match[3]})`;
  }
  return '';
}
