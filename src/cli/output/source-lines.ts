import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const PLACE = /file:\/\/[^\s():]+:(\d+):(\d+)/g;
/** Maximum number of frames of one stack that are looked up. */
const FRAMES_MAX = 50;

/**
 * Maps a stack of the published package, which is a bundle, to lines of the sources, by the source map of each
 * bundled file. Places without a map remain unchanged.
 */
export function atSource(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  let frames = 0;
  return stack.replaceAll(PLACE, (place, line: string, column: string) => {
    frames += 1;
    if (frames > FRAMES_MAX) return place;
    const url = place.slice(0, place.lastIndexOf(':', place.lastIndexOf(':') - 1));
    if (!maps.has(url)) maps.set(url, mapOf(url));
    const found = maps.get(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (found === undefined || !('originalSource' in found)) return place;
    const source = found.originalSource.replace(/^(\.\.\/)+/, '');
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1} (${basename(url)}:${line}:${column})`;
  });
}

/** The source map of a file; undefined if there is no readable one. */
function mapOf(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}
