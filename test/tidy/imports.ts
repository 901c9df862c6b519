import { lineAt, type Masks } from './masks.ts';

export interface Import {
  /** As written: a relative path or a package; undefined when it is computed. */
  readonly specifier: string | undefined;
  /**
   * `type`: removed at run time. `export`: re-exported. `url`: a file named relative to this one, such as a worker.
   */
  readonly kind: 'value' | 'type' | 'export' | 'export-type' | 'dynamic' | 'url';
  readonly line: number;
}

const STATIC =
  /\b(import|export)\b(\s+type\b(?!\s*(?:,|from\b)))?[\s\w$*,]*(?:\{[^}]*\})?\s*(?:\bfrom\b)?\s*(['"])( *)\3/y;
const DYNAMIC = /\bimport\s*\(\s*(?:(['"`])( *)\1)?/y;
const BESIDE = /\bnew\s+URL\s*\(\s*(['"`])( *)\1\s*,\s*import\.meta\.url/g;

/** Finds every import, export-from, dynamic import and `new URL(file, import.meta.url)` of a source text. */
export function importsOf({ code, bare }: Masks): readonly Import[] {
  const found: Import[] = [];
  for (const { index } of bare.matchAll(/(?<![.\w$])(?:import|export)\b/g)) {
    const line = lineAt(code, index);
    STATIC.lastIndex = index;
    DYNAMIC.lastIndex = index;
    const stated = STATIC.exec(bare);
    const asked = DYNAMIC.exec(bare);
    if (stated !== null) {
      const from = index + stated[0].length - 1 - (stated[4]?.length ?? 0);
      const specifier = code.slice(from, index + stated[0].length - 1);
      found.push({ specifier, kind: kindOf(stated[1] === 'export', stated[2] !== undefined), line });
    } else if (asked !== null) {
      const length = asked[2]?.length;
      const end = index + asked[0].length - 1;
      found.push({
        specifier: length === undefined ? undefined : code.slice(end - length, end),
        kind: 'dynamic',
        line,
      });
    }
  }
  for (const match of bare.matchAll(BESIDE)) {
    const from = match.index + match[0].indexOf(match[1] ?? "'") + 1;
    const specifier = code.slice(from, from + (match[2]?.length ?? 0));
    if (/\.[mc]?[jt]s$/.test(specifier))
      found.push({ specifier, kind: 'url', line: lineAt(code, match.index) });
  }
  return found;
}

function kindOf(exported: boolean, typeOnly: boolean): Import['kind'] {
  if (exported) return typeOnly ? 'export-type' : 'export';
  return typeOnly ? 'type' : 'value';
}

/** The package of a bare specifier: `@scope/name/deep` is `@scope/name`; a `node:` module is itself. */
export function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}
