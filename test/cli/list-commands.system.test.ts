import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type CommandLine, startCommandLine } from './a-command-line.ts';

let line: CommandLine;

beforeAll(async () => {
  line = await startCommandLine();
});
afterAll(() => line.close());

describe('sluice watchlist', () => {
  it('creates, changes, pins, lists and deletes groups', async () => {
    const { id } = z
      .object({ id: z.string() })
      .parse(await line.json(['watchlist', 'create', 'tech', '700.HK']));
    const update = await line.sluice(['watchlist', 'update', id, '--name', 'hk', '--add', '9988.HK']);
    expect(update).toMatchObject({ code: 0, out: 'Updated\n' });
    expect(await line.sluice(['watchlist', 'pin', '9988.HK'])).toMatchObject({ code: 0, out: 'Pinned\n' });
    const groups = z.array(z.looseObject({ id: z.string() })).parse(await line.json(['watchlist', 'list']));
    expect(groups.find((group) => group.id === id)).toMatchObject({
      name: 'hk',
      securities: expect.arrayContaining([expect.objectContaining({ symbol: '9988.HK', isPinned: true })]),
    });
    expect((await line.sluice(['watchlist'])).out).toMatch(/^9988\.HK .* yes$/m);
    expect(await line.sluice(['watchlist', 'delete', id])).toMatchObject({ code: 0 });
    const again = await line.sluice(['watchlist', 'delete', id]);
    expect(again.code).toBe(4);
    expect(again.err).toMatch(/^Cannot delete the watchlist at /);
  });

  it('ends with 2 when an update has no change, or two changes at once', async () => {
    const nothing = await line.sluice(['watchlist', 'update', '1']);
    expect(nothing).toMatchObject({ code: 2, out: '' });
    const both = await line.sluice(['watchlist', 'update', '1', '--add', '700.HK', '--remove', '700.HK']);
    expect(both.err).toContain('say one of --add, --remove and --replace');
  });
});

describe('sluice catalogue', () => {
  it('adds and updates an artist and adds an album, ids kept digit for digit', async () => {
    const id = '9223372036854775807';
    const added = await line.json(['catalogue', 'artist', 'add', 'Nina', '--id', id, '--band', 'The Band']);
    expect(added).toEqual({ id, name: 'Nina', band: 'The Band' });
    expect(await line.json(['catalogue', 'artist', 'update', id, 'Nina S.'])).toEqual({
      id,
      name: 'Nina S.',
    });
    const album = await line.sluice(['catalogue', 'album', 'add', id, 'First', '--year', '1999']);
    expect(album).toMatchObject({ code: 0, out: 'id    1\nname  First\nyear  1999\n' });
    const taken = await line.sluice(['catalogue', 'artist', 'add', 'Other', '--id', id]);
    expect(taken.code).toBe(4);
    expect(taken.err).toContain('409');
  });

  it('ends with 3 and names the variable when there is no secret', async () => {
    const ended = await line.sluice(['catalogue', 'artist', 'add', 'x'], {
      SLUICE_CATALOGUE_TOKEN: undefined,
    });
    expect(ended.code).toBe(3);
    expect(ended.err).toContain('SLUICE_CATALOGUE_TOKEN (or SLUICE_CATALOGUE_API_KEY) not set');
  });
});

describe('sluice token refresh', () => {
  it('keeps the new token in a private file, uses it from then on, and never prints it (I-19, I-20)', async () => {
    const first = await line.sluice(['token', 'refresh']);
    expect(first.code).toBe(0);
    const folder = join(line.project, '.sluice/tokens');
    const [name = ''] = readdirSync(folder);
    const file = join(folder, name);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const stored = z
      .object({ accessToken: z.string(), expiresAt: z.iso.datetime() })
      .parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(stored.accessToken).not.toBe(line.environment['SLUICE_ACCESS_TOKEN']);
    expect(`${first.out}${first.err}`).not.toContain(stored.accessToken);
    expect(await line.sluice(['ping'])).toMatchObject({ code: 0, err: '' });

    const second = await line.sluice(['token', 'refresh', '--days', '10']);
    expect(second.code).toBe(0);
    const warned = await line.sluice(['ping']);
    expect(warned).toMatchObject({ code: 0 });
    expect(warned.err).toMatch(/^The access token ends in \d days: run "sluice token refresh"\n$/);

    const mark = `${file}.renewing`;
    writeFileSync(mark, '');
    const cutOff = await line.sluice(['token', 'refresh']);
    expect(cutOff.code).toBe(3);
    expect(cutOff.err).toContain('another renewal is in progress or was interrupted');

    chmodSync(file, 0o644);
    const shared = await line.sluice(['ping']);
    expect(shared.code).toBe(3);
    expect(shared.err).toContain('others can read its file (mode 644)');
  });

  it('reports that the old token may be invalid when no answer comes, and leaves no mark', async () => {
    let received = 0;
    const server = createServer((_request, response) => {
      received += 1;
      response.destroy();
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const url = `http://127.0.0.1:${port}`;
    for (const attempt of [1, 2]) {
      const ended = await line.sluice(['token', 'refresh', '--url', url]);
      expect(ended.code).toBe(4);
      expect(ended.err).toContain('It is unknown whether the old token is still valid');
      expect(received).toBe(attempt);
    }
  });
});
