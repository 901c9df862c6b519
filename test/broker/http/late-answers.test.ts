import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { LateAnswer, SubmitAnswer } from '#src/ports/broker.ts';
import { failure, success } from '#src/wire/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { answerOf } from '../../fixtures/tasks.ts';
import { answerJson } from '../fake-venue.ts';
import { INTENT, TERMS } from '../fixtures.ts';
import { onSockets } from '../on-sockets.ts';

const ORDER = '/v1/trade/order';

const on = onSockets();

function submit(): Promise<SubmitAnswer> {
  return answerOf(on.bench.client.broker.submit({ intentId: INTENT, terms: TERMS }));
}

describe('an answer after the deadline', () => {
  /** Submits that the venue does not answer and the client stopped waiting for. */
  async function givenUp(count = 1): Promise<readonly ServerResponse[]> {
    const held: ServerResponse[] = [];
    on.venue.on(ORDER, (_request, response) => {
      response.on('error', () => undefined);
      held.push(response);
    });
    for (let each = 1; each <= count; each += 1) {
      const answer = submit();
      await eventually(() => held.length === each);
      on.bench.clock.advance(5_000);
      expect((await answer).kind).toBe('unknown');
    }
    return held;
  }

  function lateAnswers(): LateAnswer[] {
    const heard: LateAnswer[] = [];
    on.bench.client.broker.late$?.subscribe((late) => heard.push(late));
    return heard;
  }

  it('F-N07: is passed on, with the order id that it contains', async () => {
    const heard = lateAnswers();
    const [held] = await givenUp();
    on.bench.clock.advance(60_000);
    if (held !== undefined) answerJson(held, 200, success({ order_id: '709043056541253632' }));
    await eventually(() => heard.length > 0);
    expect(heard).toEqual([
      { intentId: INTENT, answer: { kind: 'accepted', orderId: '709043056541253632' } },
    ]);
    expect(on.venue.of(ORDER)).toHaveLength(1);
    expect(on.bench.clock.pending()).toBe(0);
  });

  it('F-N07: is reported as a refusal if it is one, and a broken connection as no answer', async () => {
    const heard = lateAnswers();
    const [first, second] = await givenUp(2);
    second?.socket?.destroy();
    if (first !== undefined) answerJson(first, 400, failure(602001, 'no'));
    await eventually(() => on.bench.clock.pending() === 0);
    expect(heard).toEqual([{ intentId: INTENT, answer: { kind: 'refused', code: 602001, message: 'no' } }]);
  });

  it('F-N07: is waited for during ten minutes, then the connection is closed', async () => {
    const [held] = await givenUp();
    let isCut = false;
    held?.on('close', () => {
      isCut = true;
    });
    on.bench.clock.advance(10 * 60_000 - 1);
    expect(on.bench.clock.pending()).toBe(1);
    on.bench.clock.advance(1);
    expect(on.bench.clock.pending()).toBe(0);
    await eventually(() => isCut, 'the venue to see the line close');
  });

  it('I-23: keeps 16 connections waiting at once, and closes the seventeenth at its deadline', async () => {
    const held = await givenUp(16);
    expect(on.bench.clock.pending()).toBe(16);
    expect(await givenUp()).toHaveLength(1);
    expect(on.bench.clock.pending()).toBe(16);
    const heard = lateAnswers();
    for (const response of held) answerJson(response, 200, success({ order_id: '1' }));
    await eventually(() => heard.length === 16);
  });

  it('keeps nothing open once the client is closed', async () => {
    await givenUp(3);
    await on.bench.client.close();
    await eventually(() => on.bench.clock.pending() === 0);
  });
});

describe('a request that a middlebox duplicates', () => {
  it('F-N17: has an unknown outcome if the venue refused the copy as a duplicate, and is not sent again', async () => {
    let copies = 0;
    on.venue.on(ORDER, (_request, response) => {
      copies += 1;
      answerJson(response, 403, failure(403202, 'duplicate request'));
    });
    expect(await submit()).toMatchObject({ kind: 'unknown' });
    expect(copies).toBe(1);
  });
});
