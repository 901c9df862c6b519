/**
 * The `prepare` script: npm runs it after `npm ci` in a clone, where it does nothing, and in the temporary clone that
 * `npm install git+...` makes. There it turns the clone into the package that is published, as Node runs no TypeScript below
 * `node_modules`. Plain JavaScript, since an install without development packages may run it with an older Node.
 */
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';

const ROOT = join(import.meta.dirname ?? '.', '..');

/** npm clones into `<cache>/tmp/git-clone<random>` and sets a variable while it prepares. */
const isInstalledFromGit =
  ROOT.split(sep).some((part) => part.startsWith('git-clone')) &&
  process.env._PACOTE_NO_PREPARE_ !== undefined;

if (isInstalledFromGit && existsSync(join(ROOT, '.ci/build-package.ts'))) {
  const { buildPackage, PACKAGE } = await import('./build-package.ts');
  await buildPackage();
  for (const name of readdirSync(ROOT))
    if (!['node_modules', 'dist', '.git'].includes(name)) rmSync(join(ROOT, name), { recursive: true });
  cpSync(PACKAGE, ROOT, { recursive: true });
  rmSync(join(ROOT, 'dist'), { recursive: true });
}
