import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';

const MAIN = new URL('../../src/cli/main.ts', import.meta.url).pathname;

interface Ready {
  readonly http: string;
}

/** Starts a venue whose standard input stays open, and waits for its line. */
async function started(...flags: readonly string[]) {
  const argv = [MAIN, 'venue', '--json', '--port', '0', ...flags];
  const child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<{ readonly code: number | null; readonly said: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, said })),
  );
  const line = new Promise<string>((resolve) =>
    createInterface({ input: child.stdout }).once('line', resolve),
  );
  const ready = await Promise.race([line, ended.then(() => undefined)]);
  return { child, ended, ready: ready === undefined ? undefined : (JSON.parse(ready) as Ready) };
}

describe('sluice venue', () => {
  it('ends at the first SIGTERM, though its standard input stays open', async () => {
    const { child, ended, ready } = await started('--until-stdin-ends');
    expect((await fetch(`${ready?.http}/v1/test`)).status).toBe(403);
    child.kill('SIGTERM');
    const { code } = await ended;
    expect([0, 130]).toContain(code);
    await expect(fetch(`${ready?.http}/v1/test`)).rejects.toThrow();
  });

  it('ends when its standard input does', async () => {
    const { child, ended } = await started('--until-stdin-ends');
    child.stdin.end();
    expect((await ended).code).toBe(0);
  });

  it.each([
    [['--without', 'order.teleport'], 'want one of orders.today'],
    [['--access', '{"quotes":{"HK":"lv9"}}'], 'Cannot set "--access'],
    [['--access', 'everything'], 'want JSON such as'],
  ])('says what is wrong with %j', async (flags, reason) => {
    const { ended, ready } = await started(...flags);
    expect(ready).toBeUndefined();
    const { code, said } = await ended;
    expect(code).not.toBe(0);
    expect(said).toContain(reason);
  });
});
