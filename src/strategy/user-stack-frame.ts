const FRAME = /(?:file:\/\/)?([^\s()]+\.[cm]?[jt]s):(\d+):(\d+)\)?$/;

/** Folder of our sources or of their build, as a URL and as a path: stack traces contain both. */
const SOURCES = new URL('..', import.meta.url).href;
const SOURCES_PATH = decodeURIComponent(new URL(SOURCES).pathname);

/**
 * Where an author's code threw, as ` (at path:line:column)`: the first stack frame outside the framework; empty if
 * there is none.
 */
export function userStackFrame(thrown: unknown): string {
  const lines = thrown instanceof Error ? (thrown.stack ?? '').split('\n') : [];
  for (const line of lines) {
    const match = FRAME.exec(line.trim());
    if (match === null || isOwn(line) || (match[1] ?? '').startsWith('node:')) continue;
    return ` (at ${match[1]}:${match[2]}:${match[3]})`;
  }
  return '';
}

function isOwn(line: string): boolean {
  return line.includes(SOURCES) || line.includes(SOURCES_PATH);
}
