import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { MAIN } from '../fixtures/built-package.ts';

describe.runIf(process.platform !== 'win32')('SIGUSR1', () => {
  it('opens no inspector in a process of Sluice', async () => {
    const child = spawn(process.execPath, [MAIN, 'venue', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await once(child.stdout, 'data');
    let said = '';
    child.kill('SIGUSR1');
    for await (const text of child.stderr) {
      said += text;
      if (said.includes('\n')) break;
    }
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(said).toBe('SIGUSR1 does nothing: a bot opens no inspector\n');
  });
});
