import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { type Credentials, signRequest } from '#src/wire/signature.ts';
import { MAIN } from '../fixtures/built-package.ts';

interface Ready extends Credentials {
  readonly http: string;
}

/** Starts a venue whose standard input stays open, and waits for its first line. */
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

/** Sends a request to a venue with the credentials that it printed. */
async function ask(ready: Ready, target: string) {
  const [path = '', query = ''] = target.split('?');
  const timestamp = String(Date.now() / 1_000);
  const unsigned = { method: 'GET', path, query, body: '', timestamp } as const;
  const answer = await fetch(`${ready.http}${target}`, {
    headers: { ...signRequest(unsigned, ready) },
  });
  return {
    status: answer.status,
    said: (await answer.json()) as { readonly data: { readonly token: string } },
  };
}

function aMonthOn(): string {
  return encodeURIComponent(new Date(Date.now() + 30 * 86_400_000).toISOString());
}

describe('sluice venue', () => {
  it('ends at the first SIGTERM, although its standard input stays open', async () => {
    const { child, ended, ready } = await started('--until-stdin-ends');
    expect((await fetch(`${ready?.http}/v1/test`)).status).toBe(403);
    child.kill('SIGTERM');
    const { code } = await ended;
    expect([0, 130]).toContain(code);
    await expect(fetch(`${ready?.http}/v1/test`)).rejects.toThrow();
  });

  it('prints the token that opens the account now, when the initial one was renewed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-venue-'));
    const flags = ['--until-stdin-ends', '--state', join(folder, 'state.db')];
    const first = await started(...flags);
    const renewed: string[] = [];
    let now = first.ready;
    for (let times = 0; times < 2 && now !== undefined; times += 1) {
      const { status, said } = await ask(now, `/v1/token/refresh?expired_at=${aMonthOn()}`);
      expect(status).toBe(200);
      renewed.push(said.data.token);
      now = { ...now, accessToken: said.data.token };
    }
    first.child.stdin.end();
    await first.ended;
    const again = await started(...flags);
    expect(again.ready).toMatchObject({ appKey: first.ready?.appKey, accessToken: renewed[1] });
    expect(again.ready && (await ask(again.ready, '/v1/test')).status).toBe(200);
    again.child.stdin.end();
    await again.ended;
    rmSync(folder, { recursive: true });
  });

  it('ends when its standard input closes', async () => {
    const { child, ended } = await started('--until-stdin-ends');
    child.stdin.end();
    expect((await ended).code).toBe(0);
  });

  it.each([
    [['--without', 'order.teleport'], 'want one of orders.today'],
    [['--access', '{"quotes":{"HK":"lv9"}}'], 'Cannot set "--access'],
    [['--access', 'everything'], 'want JSON such as'],
  ])('reports what is wrong with %j', async (flags, reason) => {
    const { ended, ready } = await started(...flags);
    expect(ready).toBeUndefined();
    const { code, said } = await ended;
    expect(code).not.toBe(0);
    expect(said).toContain(reason);
  });
});
