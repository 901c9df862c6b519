import { describe, expect, it } from 'vitest';
import { failure, success } from '#src/wire/envelope.ts';
import { answerOf } from '../../fixtures/tasks.ts';
import { answerJson } from '../fake-venue.ts';
import { TENCENT } from '../fixtures.ts';
import { onSockets } from '../on-sockets.ts';

const RATIO = '/v1/risk/margin-ratio';
const FACTORS = success({ im_factor: '0.5', mm_factor: '0.4', fm_factor: '0.3' });
const FAILED = { kind: 'failed', code: 0, retryable: true };

const on = onSockets();

const asked = () => answerOf(on.bench.client.broker.marginFactors(TENCENT));

describe('a question', () => {
  it('F-B04: that counts as a repeat is stamped again and sent once more', async () => {
    on.venue.on(RATIO, (_request, response) => {
      if (on.venue.of(RATIO).length === 1) answerJson(response, 403, failure(403202, 'duplicate request'));
      else answerJson(response, 200, FACTORS);
    });
    expect((await asked()).kind).toBe('ok');
    expect(new Set(on.venue.timestamps).size).toBe(2);
  });

  it('F-B04: fails when it counts as a repeat twice', async () => {
    on.venue.on(RATIO, (_request, response) =>
      answerJson(response, 403, failure(403202, 'duplicate request')),
    );
    expect(await asked()).toEqual({ ...FAILED, code: 403202, message: 'duplicate request' });
    expect(on.venue.of(RATIO)).toHaveLength(2);
  });

  it('F-N06: that met the end of an idle connection is stamped again and sent once more', async () => {
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
