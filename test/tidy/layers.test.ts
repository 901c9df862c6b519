import { describe, expect, it } from 'vitest';
import { circlesIn, forbiddenImports } from './import-rules.ts';
import { importsOf, packageOf } from './imports.ts';
import {
  ACYCLIC_MODULES,
  ALLOWED_IMPORTS,
  AWAITED_PACKAGES,
  ENGINE_MODULES,
  INNER_IMPORTS,
  PURE_MODULES,
  PURE_PACKAGES,
  READ_PACKAGES,
  RXJS_FILES,
} from './layers.ts';
import { mask } from './masks.ts';
import { isGenerated, moduleOf, PRODUCT, type Source, targetOf, textOf } from './tree.ts';

/** A file that does not exist, for tests of a rule. */
function imagined(path: string, text: string): Source {
  const masks = mask(text);
  return { path, text, ...masks, imports: importsOf(masks) };
}

/** Packages and `node:` modules that files import, with the place of each. */
function packagesOf(
  sources: readonly Source[],
): readonly { readonly name: string; readonly where: string }[] {
  return sources.flatMap((source) =>
    source.imports.flatMap(({ specifier, line }) =>
      specifier === undefined || targetOf(source.path, specifier) !== undefined
        ? []
        : [{ name: packageOf(specifier), where: `${source.path}:${line}` }],
    ),
  );
}

const inModules = (modules: readonly string[]): readonly Source[] =>
  PRODUCT.filter(({ path }) => modules.includes(moduleOf(path) ?? ''));

describe('imports between modules', () => {
  it('are those of the table and no others', () => {
    expect(PRODUCT.flatMap(forbiddenImports)).toEqual([]);
  });

  it('are listed for every existing module', () => {
    const modules = new Set(PRODUCT.flatMap(({ path }) => moduleOf(path) ?? []));
    expect([...modules].filter((module) => !(module in ALLOWED_IMPORTS))).toEqual([]);
  });

  it.each([['src', ALLOWED_IMPORTS] as const, ...Object.entries(INNER_IMPORTS)])(
    'have no cycle in %s',
    (_, allowed) => {
      const reach = (module: string, seen: ReadonlySet<string>): boolean =>
        (allowed[module] ?? []).some((to) => seen.has(to) || reach(to, new Set([...seen, to])));
      expect(Object.keys(allowed).filter((module) => reach(module, new Set([module])))).toEqual([]);
    },
  );

  it('inside a module go from folder to folder as listed, and are only types of the files that compose them', () => {
    const drawn = (text: string) => forbiddenImports(imagined('src/simulation/market/x.ts', text));
    expect(drawn("import { resting } from '../matching/resting.ts';")).toEqual([
      'src/simulation/market/x.ts:1: simulation/market -> simulation/matching, may import no other folder',
    ]);
    expect(drawn("import { PRINT_FILLS } from '../models.ts';")).toHaveLength(1);
    expect(drawn("import type { FillModel } from '../models.ts';")).toEqual([]);
    const process = imagined('src/simulation/processes/x.ts', "import { Tape } from '../market/tape.ts';");
    expect(forbiddenImports(process)).toEqual([]);
    expect(forbiddenImports(imagined('src/simulation/attic/x.ts', process.text))).toHaveLength(1);
  });

  it('name the file, the line, both modules and what is allowed when one is forbidden', () => {
    const source = imagined('src/risk/x.ts', "\nimport type { A } from '../broker/a.ts';");
    expect(forbiddenImports(source)).toEqual(['src/risk/x.ts:2: risk -> broker, may import model, markets']);
  });

  it('are forbidden to plugins except the entry point, which all others may not import', () => {
    const plugin = imagined('strategies/x.ts', "import { sma } from '../src/signals/averages.ts';");
    expect(forbiddenImports(plugin)).toHaveLength(1);
    expect(forbiddenImports(imagined('src/app/x.ts', "import { sma } from '../index.ts';"))).toHaveLength(1);
    expect(
      forbiddenImports(imagined('src/app/x.ts', "import { sma } from '@sluice-trading/sluice';")),
    ).toHaveLength(1);
  });

  it('re-export only types of contracts from the entry point', () => {
    const gate = (word: string) => imagined('src/index.ts', `export ${word} { Gate } from './risk/gate.ts';`);
    expect(forbiddenImports(gate('type'))).toEqual([]);
    expect(forbiddenImports(gate(''))).toHaveLength(1);
  });
});

describe('files of a module', () => {
  it.each(ACYCLIC_MODULES)('of %s import each other in no cycle', (module) => {
    expect(circlesIn(inModules([module]))).toEqual([]);
  });

  it('that import each other are named in order', () => {
    const file = (name: string, to: string) =>
      imagined(`src/app/${name}.ts`, `import type { X } from './${to}.ts';`);
    expect(circlesIn([file('a', 'b'), file('b', 'c'), file('c', 'b'), file('d', 'a')])).toEqual([
      'src/app/b.ts -> src/app/c.ts -> src/app/b.ts',
    ]);
  });
});

describe('pure modules', () => {
  it.each(PURE_MODULES)('%s imports only packages without side effects', (module) => {
    const allowed = PURE_PACKAGES[module] ?? [];
    const others = packagesOf(inModules([module])).filter(({ name }) => !allowed.includes(name));
    expect(others).toEqual([]);
  });

  it('import neither rxjs nor node:, except what wire needs to hash and unpack', () => {
    const platform = Object.entries(PURE_PACKAGES).flatMap(([module, names]) =>
      names.filter((name) => name === 'rxjs' || name.startsWith('node:')).map((name) => `${module} ${name}`),
    );
    expect(platform).toEqual(['wire node:crypto', 'wire node:zlib']);
  });
});

describe('the engine', () => {
  it('imports no node: module and no network client', () => {
    const others = packagesOf(inModules(ENGINE_MODULES)).filter(
      ({ name }) => !['rxjs', 'decimal.js', 'zod'].includes(name),
    );
    expect(others).toEqual([]);
  });

  it('imports rxjs in its shell and in ports of streams only: execution and hosts are plain calls', () => {
    const files = inModules([...ENGINE_MODULES, 'hosts'])
      .filter(({ imports }) => imports.some(({ specifier }) => specifier === 'rxjs'))
      .map(({ path }) => path);
    expect(files.toSorted()).toEqual(RXJS_FILES);
  });
});

describe('packages', () => {
  it('that the product imports are its dependencies, and those are imported or awaited', () => {
    const manifest: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
      textOf('package.json'),
    );
    const declared = Object.keys(manifest.dependencies);
    const imported = packagesOf(PRODUCT).filter(
      ({ name, where }) =>
        !name.startsWith('node:') && !(name === '@sluice-trading/sluice' && where.startsWith('strategies/')),
    );
    expect(imported.filter(({ name }) => !declared.includes(name))).toEqual([]);
    const names = new Set(imported.map(({ name }) => name));
    const awaited = [...Object.keys(AWAITED_PACKAGES), ...Object.keys(READ_PACKAGES)];
    expect(declared.filter((name) => !names.has(name)).toSorted()).toEqual(awaited.toSorted());
  });
});

describe('files that re-export', () => {
  it('are entry points of the package only', () => {
    const manifest: { readonly exports: Readonly<Record<string, string>> } = JSON.parse(
      textOf('package.json'),
    );
    const doors = Object.values(manifest.exports).map((path) => path.replace(/^\.\//, ''));
    const handedOn = PRODUCT.filter(({ path }) => !doors.includes(path) && !isGenerated(path)).flatMap(
      ({ path, imports }) =>
        imports
          .filter(({ kind }) => kind === 'export' || kind === 'export-type')
          .map(({ line, specifier }) => `${path}:${line}: hands on "${specifier}"`),
    );
    expect(handedOn).toEqual([]);
  });
});
