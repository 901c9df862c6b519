import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withDotEnv } from '#src/app/credentials/dot-env.ts';

let project = '';
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-env-'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const write = (text: string): void => writeFileSync(join(project, '.env'), text, { mode: 0o600 });

describe('.env of a project', () => {
  it('gives variables that the environment does not have, and overrides none', () => {
    write(
      '\uFEFF# mine\nSLUICE_APP_KEY=file\nexport SLUICE_APP_SECRET="a b"\nLONGPORT_HTTP_URL=\'http://x\'\n',
    );
    expect(withDotEnv({ SLUICE_APP_KEY: 'shell' }, project)).toEqual({
      SLUICE_APP_KEY: 'shell',
      SLUICE_APP_SECRET: 'a b',
      LONGPORT_HTTP_URL: 'http://x',
    });
  });

  it('cannot change how Node runs', () => {
    write('NODE_OPTIONS=--inspect\nPATH=/evil\nHTTP_PROXY=http://x\nSLUICE_APP_KEY=k\n');
    expect(withDotEnv({}, project)).toEqual({ SLUICE_APP_KEY: 'k' });
  });

  it.each([0o644, 0o640, 0o604, 0o660, 0o602])(
    'with a secret is refused in mode %o (S-12, F-F04)',
    (mode) => {
      for (const secret of ['SLUICE_APP_SECRET', 'LONGPORT_ACCESS_TOKEN', 'SLUICE_MY_WEBHOOK']) {
        write(`${secret}=hunter2\n`);
        chmodSync(join(project, '.env'), mode);
        expect(() => withDotEnv({}, project)).toThrow(
          `holds ${secret} and others on this machine may read it, run "chmod 600 .env"; where that changes nothing, as on a disk of another system, set it in the environment`,
        );
        chmodSync(join(project, '.env'), 0o600);
        expect(withDotEnv({}, project)).toEqual({ [secret]: 'hunter2' });
        chmodSync(join(project, '.env'), 0o400);
        expect(withDotEnv({}, project)).toEqual({ [secret]: 'hunter2' });
      }
    },
  );

  it('without a secret may be readable by every user', () => {
    write('SLUICE_HTTP_URL=http://127.0.0.1:1\nSLUICE_APP_SECRET=\nLONGPORT_LANGUAGE=en\nPASSWORD=x\n');
    chmodSync(join(project, '.env'), 0o644);
    expect(withDotEnv({}, project)).toMatchObject({ SLUICE_HTTP_URL: 'http://127.0.0.1:1' });
  });

  it('may be absent', () => {
    expect(withDotEnv({ A: 'b' }, project)).toEqual({ A: 'b' });
  });

  it('has to be a file of sensible size', () => {
    write('#'.repeat(70_000));
    expect(() => withDotEnv({}, project)).toThrow('more than 65536 characters');
    rmSync(join(project, '.env'));
    mkdirSync(join(project, '.env'));
    expect(() => withDotEnv({}, project)).toThrow('Cannot read ".env" of this project (EISDIR)');
  });
});
