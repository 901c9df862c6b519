import { describe, expect, it } from 'vitest';
import { failure, success } from '#src/wire/envelope.ts';
import { answerOf } from '../../fixtures/tasks.ts';
import { answerJson, CREDENTIALS } from '../fake-venue.ts';
import { benchOn, TENCENT } from '../fixtures.ts';
import { onSockets } from '../on-sockets.ts';

const RATIO = '/v1/risk/margin-ratio';
const FACTORS = success({ im_factor: '0.5', mm_factor: '0.4', fm_factor: '0.3' });
const FAILED = { kind: 'failed', code: 0, retryable: true };

const on = onSockets();

const asked = () => answerOf(on.bench.client.broker.marginFactors(TENCENT));

describe('a request', () => {
  it('F-B04: that is refused as a repeat is stamped again and sent once more', async () => {
    on.venue.on(RATIO, (_request, response) => {
      if (on.venue.of(RATIO).length === 1) answerJson(response, 403, failure(403202, 'duplicate request'));
      else answerJson(response, 200, FACTORS);
    });
    expect((await asked()).kind).toBe('ok');
    expect(new Set(on.venue.timestamps).size).toBe(2);
  });

  it('F-B04: fails when it is refused as a repeat twice', async () => {
    on.venue.on(RATIO, (_request, response) =>
      answerJson(response, 403, failure(403202, 'duplicate request')),
    );
    expect(await asked()).toEqual({ ...FAILED, code: 403202, message: 'duplicate request' });
    expect(on.venue.of(RATIO)).toHaveLength(2);
  });

  it('F-B06: that is refused because its token was replaced is signed with the newer one and sent once more', async () => {
    const newer = 'at-canary-newer';
    const reread = benchOn(on.venue, { newerToken: (refused) => (refused === newer ? undefined : newer) });
    let accepted = newer;
    on.venue.on(RATIO, ({ headers }, response) => {
      if (headers.authorization === accepted) answerJson(response, 200, FACTORS);
      else answerJson(response, 401, failure(401003, 'token expired'));
    });
    expect((await answerOf(reread.client.broker.marginFactors(TENCENT))).kind).toBe('ok');
    expect(on.venue.of(RATIO).map(({ headers }) => headers.authorization)).toEqual([
      CREDENTIALS.accessToken,
      newer,
    ]);
    accepted = 'at-canary-of-another-folder';
    expect(await answerOf(reread.client.broker.marginFactors(TENCENT))).toMatchObject({ code: 401003 });
    expect(on.venue.of(RATIO)).toHaveLength(3);
    await reread.client.close();
  });

  it('F-N06: that hits the end of an idle connection is stamped again and sent once more', async () => {
    on.venue.on(RATIO, (_request, response) => {
      if (on.venue.of(RATIO).length === 1) response.destroy();
      else answerJson(response, 200, FACTORS);
    });
    expect((await asked()).kind).toBe('ok');
    expect(new Set(on.venue.timestamps).size).toBe(2);
  });

  it('F-N06: is not sent a third time, and not again when an answer had begun', async () => {
    on.venue.on(RATIO, (_request, response) => void response.destroy());
    expect(await asked()).toMatchObject(FAILED);
    expect(on.venue.of(RATIO)).toHaveLength(2);
    on.venue.on(RATIO, (_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy());
    });
    expect(await asked()).toMatchObject(FAILED);
    expect(on.venue.of(RATIO)).toHaveLength(3);
  });
});
