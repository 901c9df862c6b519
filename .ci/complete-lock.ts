/**
 * Completes package-lock.json. Packages with one binary per platform list all of them as optional. If the registry
 * holds only some, `npm install` leaves out the others, and `npm ci` then refuses the lock file. Each missing one is
 * entered with the version that its parent requires and the platform in its name; npm downloads it on that platform
 * only. Run by hand after `npm install`: `npm run lock:complete`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LOCK = join(import.meta.dirname, '../package-lock.json');
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'win32'] as const;
/** Processors as package names spell them, and as Node does. */
const PROCESSORS: Readonly<Record<string, string>> = {
  arm64: 'arm64',
  aarch64: 'arm64',
  armv7: 'arm',
  arm: 'arm',
  x64: 'x64',
  ia32: 'ia32',
  riscv64: 'riscv64',
  ppc64: 'ppc64',
  s390x: 's390x',
};

interface Entry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  packages: Record<string, Entry>;
}

const lock: Lock = JSON.parse(readFileSync(LOCK, 'utf8'));
const added = Object.values(lock.packages).flatMap((parent) =>
  Object.entries(parent.optionalDependencies ?? {}).flatMap(([name, version]) => {
    const place = `node_modules/${name}`;
    const there = Object.keys(lock.packages).some((path) => path === place || path.endsWith(`/${place}`));
    return there ? [] : [[place, entryOf(name, version, parent)] as const];
  }),
);
for (const [place, entry] of added) lock.packages[place] = entry;
const [root, ...rest] = Object.entries(lock.packages);
if (root === undefined) throw new Error('package-lock.json lists no package');
lock.packages = Object.fromEntries([root, ...rest.toSorted(([a], [b]) => a.localeCompare(b, 'en'))]);
writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(
  added.length === 0 ? 'Nothing was missing\n' : `Added ${added.map(([place]) => place).join(', ')}\n`,
);

function entryOf(name: string, version: string, parent: Entry): Entry {
  const words = name.split(/[/-]/);
  const system = SYSTEMS.find((known) => words.includes(known));
  const processor = words.flatMap((word) => PROCESSORS[word] ?? []).at(-1);
  if (system === undefined || processor === undefined || !/^\d/.test(version))
    throw new Error(
      `Cannot tell from "${name}" ${version} for which platform it is: run npm install with a full registry`,
    );
  return {
    version,
    ...{ cpu: [processor] },
    ...(parent.dev === true ? { dev: true } : {}),
    ...(words.includes('musl') ? { libc: ['musl'] } : {}),
    ...{ optional: true, os: [system] },
  };
}
