import { describe, expect, it } from 'vitest';
import { AWAITED_FILES, ENTRY_FILES } from './layers.ts';
import { FILES, isGenerated, PRODUCT, sourceOf, targetOf, textOf } from './tree.ts';

/** Every file that imports reach from the roots. */
function reachableFrom(roots: readonly string[]): ReadonlySet<string> {
  const there = new Set(FILES);
  const reached = new Set<string>();
  const open = [...roots];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path) || !there.has(path)) continue;
    reached.add(path);
    for (const { specifier } of sourceOf(path).imports) {
      const target = specifier === undefined ? undefined : targetOf(path, specifier);
      if (target !== undefined) open.push(target);
    }
  }
  return reached;
}

/** Files that the package exports, as paths from the root. */
function exportedFiles(): readonly string[] {
  const manifest: { readonly exports: Readonly<Record<string, string>> } = JSON.parse(textOf('package.json'));
  return Object.values(manifest.exports).map((path) => path.replace(/^\.\//, ''));
}

const ENTRIES = [...Object.keys(ENTRY_FILES), ...exportedFiles()];

describe('files', () => {
  it('of src are all reachable from an entry', () => {
    const reached = reachableFrom([...ENTRIES, ...Object.keys(AWAITED_FILES)]);
    const orphans = PRODUCT.filter(({ path }) => path.startsWith('src/') && !reached.has(path));
    expect(orphans.map(({ path }) => path)).toEqual([]);
  });

  it('whose command exists are no longer listed as awaited', () => {
    const reached = reachableFrom(ENTRIES);
    expect(Object.keys(AWAITED_FILES).filter((path) => reached.has(path))).toEqual([]);
  });

  it('that are imported exist', () => {
    const there = new Set(FILES);
    const missing = FILES.filter((path) => path.endsWith('.ts') && !isGenerated(path)).flatMap((path) =>
      sourceOf(path).imports.flatMap(({ specifier, line, kind }) => {
        const target = specifier === undefined || kind === 'url' ? undefined : targetOf(path, specifier);
        return target === undefined || there.has(target) ? [] : [`${path}:${line}: ${specifier}`];
      }),
    );
    expect(missing).toEqual([]);
  });

  it('listed as entries exist', () => {
    const listed = [...Object.keys(ENTRY_FILES), ...Object.keys(AWAITED_FILES)];
    expect(listed.filter((path) => !FILES.includes(path))).toEqual([]);
  });

  it('of tests that start processes or threads end in ".system.test.ts", which "npm test" leaves out', () => {
    const starts = (path: string): boolean =>
      sourceOf(path).imports.some(({ specifier }) =>
        /^node:(?:child_process|worker_threads)$/.test(specifier ?? ''),
      );
    const tests = FILES.filter(
      (path) => /^test\/(?!tidy\/).*\.test\.ts$/.test(path) && !path.endsWith('.system.test.ts'),
    );
    const helpersOf = (path: string) => [...reachableFrom([path])].filter((each) => each.startsWith('test/'));
    expect(tests.filter((path) => helpersOf(path).some(starts))).toEqual([]);
  });

  it('are named in kebab-case', () => {
    const odd = PRODUCT.map(({ path }) => path).filter(
      (path) => !isGenerated(path) && !/^[a-z0-9/-]+\.tsx?$/.test(path),
    );
    expect(odd).toEqual([]);
  });

  it('export by name; only strategies have a default', () => {
    const defaults = PRODUCT.filter(({ bare }) => /\bexport\s+default\b|\bas\s+default\b/.test(bare));
    expect(defaults.filter(({ path }) => !path.startsWith('strategies/')).map(({ path }) => path)).toEqual(
      [],
    );
    expect(PRODUCT.filter(({ path }) => path.startsWith('strategies/'))).toEqual(
      defaults.filter(({ path }) => path.startsWith('strategies/')),
    );
  });
});

describe('the brand of the risk gate', () => {
  it('is created in one file', () => {
    const makers = PRODUCT.filter(({ bare }) => /\bas\s+Approved\b/.test(bare)).map(({ path }) => path);
    expect(makers).toEqual(['src/risk/risk-gate.ts']);
  });
});
