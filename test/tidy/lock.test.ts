import { describe, expect, it } from 'vitest';
import { textOf } from './tree.ts';

interface Entry {
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages }: { readonly packages: Readonly<Record<string, Entry>> } = JSON.parse(
  textOf('package-lock.json'),
);
const places = Object.keys(packages);

describe('the lock file', () => {
  it('has every platform of its programs, so that "npm ci" accepts it; "npm run lock:complete" adds what is missing', () => {
    const missing = Object.values(packages)
      .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
      .filter((name) => !places.some((place) => place.endsWith(`node_modules/${name}`)));
    expect(missing).toEqual([]);
  });

  it('names no registry', () => {
    expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
