import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnosis, Installation } from '#src/app/doctor/diagnosis.ts';
import { diagnose } from '#src/app/doctor/doctor.ts';
import { writeProject } from '#src/cli/init/write-project.ts';
import { doctorText } from '#src/cli/output/doctor-text.ts';
import { type CommandLine, startCommandLine } from '../../cli/a-command-line.ts';
import { SECRETS, SEEDS, TODAY, write } from './seeded-faults.ts';

const place = mkdtempSync(join(tmpdir(), 'sluice-doctor-'));
const sound = join(place, 'sound');
beforeAll(async () => {
  await writeProject({ folder: 'sound', template: 'momentum', sluice: '0.1.0' }, place);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

let copies = 0;

/** A copy of the project without faults, so that each fault occurs alone. */
function copy(): string {
  copies += 1;
  const project = join(place, String(copies));
  cpSync(sound, project, { recursive: true });
  return project;
}

const look = (project: string, world: Partial<Installation> = {}): Promise<readonly Diagnosis[]> =>
  diagnose({
    ...{ project, environment: {}, nodeVersion: '24.21.0', now: () => TODAY, offline: true },
    freeBytes: () => 1e12,
    ...world,
  });

const codes = (found: readonly Diagnosis[]): readonly string[] => found.map(({ code }) => code);

describe('doctor', () => {
  it('finds nothing in a new project', async () => {
    expect(await look(copy())).toEqual([]);
  });

  it.each(SEEDS)('names "$code" and nothing else', async ({ code, plant, world }) => {
    const project = copy();
    await plant?.(project);
    const found = await look(project, world);
    expect([...new Set(codes(found))]).toEqual([code]);
    for (const { message, fix } of found) {
      expect(message).not.toContain(place);
      expect(fix.length).toBeGreaterThan(5);
    }
  });

  it("checks every address in the environment if a config has the broker's", async () => {
    const project = copy();
    const broker = 'broker: { account: paper, http: "http://127.0.0.1:9", quoteWs: "ws://127.0.0.1:9" }';
    appendFileSync(join(project, 'config/momentum.yaml'), `${broker}\n`);
    expect(codes(await look(project, { environment: SECRETS }))).not.toContain('no-address');
  });

  it('knows at least 25 faults', () => {
    expect(new Set(SEEDS.map(({ code }) => code)).size).toBeGreaterThanOrEqual(25);
  });

  it('reports for an empty folder that there is nothing to run', async () => {
    expect(codes(await look(mkdtempSync(join(place, 'empty-'))))).toEqual(['no-config']);
  });

  it('prints every area, each fault with its fix, and no secret', async () => {
    const environment = { SLUICE_APP_KEY: 'hush-hush', LONGPORT_APP_SECRET: 'quiet' };
    const found = await look(copy(), { environment });
    const text = doctorText(found, { colour: false });
    expect(text).toContain('ok     Machine\n');
    expect(text).toMatch(/FAULT {2}Credentials: Credentials of two accounts[^>]*\n {7}-> remove one set/);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const escapes = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
    const coloured = doctorText(found, { colour: true });
    expect(coloured).not.toBe(text);
    expect(coloured.replaceAll(escapes, '')).toBe(text);
    expect(text).toMatch(/\n2 faults, 0 notes\n$/);
    expect(text).not.toMatch(/hush|quiet/);
  });
});

describe('doctor at a venue', () => {
  let line: CommandLine;
  beforeAll(async () => {
    line = await startCommandLine();
  });
  afterAll(() => line.close());

  it('finds nothing if everything fits', async () => {
    const { environment } = line;
    expect(await look(copy(), { environment, offline: false })).toEqual([]);
  });

  it.each([
    ['venue-refuses', { SLUICE_APP_SECRET: 'wrong' }],
    ['venue-refuses', { SLUICE_ACCESS_TOKEN: 'wrong' }],
    ['venue-unreachable', { SLUICE_HTTP_URL: 'http://127.0.0.1:9' }],
  ])('names "%s" with %o', async (code, changes) => {
    const environment = { ...line.environment, ...changes };
    expect(codes(await look(copy(), { environment, offline: false }))).toEqual([code]);
  });

  it('names an account that is not the one of the config', async () => {
    const project = copy();
    write(project, 'config/live.yaml', `extends: ./momentum.yaml\nbroker: { account: "999" }\n`);
    const { environment } = line;
    expect(codes(await look(project, { environment, offline: false }))).toEqual(['other-account']);
  });

  it('names a clock that is off', async () => {
    const server = createServer((_, response) => {
      response.setHeader('Date', new Date(Date.now() + 60_000).toUTCString());
      response.setHeader('Content-Type', 'application/json');
      response.end('{"code":0,"msg":"success","message":"success","data":{}}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const environment = {
      ...{ SLUICE_APP_KEY: 'k', SLUICE_APP_SECRET: 's', SLUICE_ACCESS_TOKEN: 't' },
      SLUICE_HTTP_URL: `http://127.0.0.1:${port}`,
    };
    const found = await look(copy(), { environment, offline: false });
    server.close();
    expect(codes(found)).toEqual(['clock-skew']);
  });
});
