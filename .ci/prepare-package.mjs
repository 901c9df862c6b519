/**
 * The `prepare` script. After `npm ci` in a clone it does nothing. In the temporary clone of `npm install git+...` it turns
 * the clone into the published package, as Node runs no TypeScript below `node_modules`. It is plain JavaScript, because an
 * install without development packages may run it with an older Node.
 */
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';

const ROOT = join(import.meta.dirname ?? '.', '..');

/** npm clones into `<cache>/tmp/git-clone<random>` and sets a variable while the script runs. */
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
