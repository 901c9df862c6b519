import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const manifest: Manifest = read('package.json');
const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = read('package-lock.json');
const locked = Object.entries(packages).filter(([place]) => place !== '');
const named = { ...manifest.dependencies, ...manifest.devDependencies };

describe('dependencies (S-07)', () => {
  it('have exact versions, and are locked at them', () => {
    expect(Object.entries(named).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual(
      [],
    );
    const other = Object.entries(named).filter(
      ([name, version]) => packages[`node_modules/${name}`]?.version !== version,
    );
    expect(other).toEqual([]);
  });

  it('have a digest each in the lock file, except builds for other platforms', () => {
    const without = locked.filter(
      ([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''),
    );
    expect(without.filter(([, { optional }]) => optional !== true)).toEqual([]);
  });

  it('run no script when they are installed, except the pinned Node', () => {
    const withScripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(withScripts.map(([place]) => place).sort()).toEqual([
      'node_modules/@bufbuild/buf',
      'node_modules/node',
      'node_modules/vitepress/node_modules/esbuild',
    ]);
    expect(manifest.allowScripts).toEqual({ node: true, '@bufbuild/buf': false, esbuild: false });
  });

  it('are few: each further one has its own entry in docs/adr', () => {
    expect(Object.keys(manifest.dependencies)).toHaveLength(25);
  });
});
