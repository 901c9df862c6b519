import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeProjectSchema } from '../../../src/app/load/project-schema.ts';
import { writeOutputFile } from '../../../src/cli/files/write-file.ts';

/** A project, and a file of the user outside it. */
function aProject(): { readonly project: string; readonly elsewhere: string; readonly precious: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-made-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [project, elsewhere] = [join(folder, 'project'), join(folder, 'elsewhere')];
  mkdirSync(join(project, '.sluice'), { recursive: true });
  mkdirSync(elsewhere);
  const precious = join(elsewhere, 'precious');
  writeFileSync(precious, 'mine');
  return { project, elsewhere, precious };
}

describe('files that a command writes (S-15)', () => {
  it('replace no file that a link of the project leads to, and enter no linked folder', () => {
    const { project, elsewhere, precious } = aProject();
    symlinkSync(precious, join(project, 'fills.csv'));
    symlinkSync(elsewhere, join(project, '.sluice', 'reports'));
    symlinkSync(join(elsewhere, 'new'), join(project, 'dangling'));
    for (const path of ['fills.csv', '.sluice/reports/x.html', '.sluice/reports/deep/x.html', 'dangling'])
      expect(() => writeOutputFile('theirs', { project, path, what: 'the report' })).toThrow(
        /Cannot write the report to ".*": a link on its way leads out of the project; remove the link/,
      );
    expect(readFileSync(precious, 'utf8')).toBe('mine');
    expect(existsSync(join(elsewhere, 'x.html')) || existsSync(join(elsewhere, 'new'))).toBe(false);
  });

  it('names a folder that was given in place of a file', () => {
    const { project } = aProject();
    for (const [path, shown] of [
      ['.', '.'],
      ['.sluice', '.sluice'],
    ] as const)
      expect(() => writeOutputFile('text', { project, path, what: 'the fills' })).toThrow(
        `Cannot write the fills to "${shown}": EISDIR`,
      );
  });

  it('may be anywhere that the user names: outside, over a link inside the project, in new folders', () => {
    const { project, elsewhere } = aProject();
    writeFileSync(join(project, 'real.csv'), '');
    symlinkSync(join(project, 'real.csv'), join(project, 'alias.csv'));
    for (const path of ['a/b/c.csv', 'alias.csv', '../elsewhere/out.csv', join(elsewhere, 'whole.csv')]) {
      writeOutputFile('text', { project, path, what: 'the fills' });
      expect(readFileSync(path.startsWith('/') ? path : join(project, path), 'utf8')).toBe('text');
    }
  });

  it('cannot be below a file, and the error is that of the disk', () => {
    const { project } = aProject();
    writeFileSync(join(project, 'a.yaml'), '');
    expect(() => writeOutputFile('text', { project, path: 'a.yaml/x/y.csv', what: 'the fills' })).toThrow(
      /EEXIST|ENOTDIR/,
    );
  });

  it('include no schema over a link', async () => {
    const { project, precious } = aProject();
    mkdirSync(join(project, 'schema'));
    symlinkSync(precious, join(project, 'schema', 'bot.json'));
    await expect(writeProjectSchema(project)).rejects.toThrow(
      /Cannot write the schema to "schema\/bot.json"/,
    );
    expect(readFileSync(precious, 'utf8')).toBe('mine');
  });
});
