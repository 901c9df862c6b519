import type { ServerResponse } from 'node:http';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LateAnswer, SubmitAnswer } from '#src/ports/broker.ts';
import { failure, success } from '#src/wire/envelope.ts';
import { eventually } from '../fixtures/eventually.ts';
import { answerJson, type FakeVenue, startFakeVenue } from './fake-venue.ts';
import { type Bench, benchOn, INTENT, TERMS } from './fixtures.ts';

const ORDER = '/v1/trade/order';

let venue: FakeVenue;
let bench: Bench;

beforeEach(async () => {
  venue = await startFakeVenue();
  bench = benchOn(venue);
});

afterEach(async () => {
  await bench.client.close();
  await venue.close();
});

function submit(): Promise<SubmitAnswer> {
  return firstValueFrom(bench.client.broker.submit({ intentId: INTENT, terms: TERMS }));
}

describe('an answer after the deadline', () => {
  /** Submits that the venue holds back, given up by us. */
  async function givenUp(count = 1): Promise<readonly ServerResponse[]> {
    const held: ServerResponse[] = [];
    venue.on(ORDER, (_request, response) => {
      response.on('error', () => undefined);
      held.push(response);
    });
    for (let each = 1; each <= count; each += 1) {
      const answer = submit();
      await eventually(() => held.length === each);
      bench.clock.advance(5_000);
      expect((await answer).kind).toBe('unknown');
    }
    return held;
  }

  function lateAnswers(): LateAnswer[] {
    const heard: LateAnswer[] = [];
    bench.client.broker.late$?.subscribe((late) => heard.push(late));
    return heard;
  }

  it('F-N07: is handed on, with the order id that it brings', async () => {
    const heard = lateAnswers();
    const [held] = await givenUp();
    bench.clock.advance(60_000);
    if (held !== undefined) answerJson(held, 200, success({ order_id: '709043056541253632' }));
    await eventually(() => heard.length > 0);
    expect(heard).toEqual([
      { intentId: INTENT, answer: { kind: 'accepted', orderId: '709043056541253632' } },
    ]);
    expect(venue.of(ORDER)).toHaveLength(1);
    expect(bench.clock.pending()).toBe(0);
  });

  it('F-N07: that is a refusal is told as one, and a broken line as nothing', async () => {
    const heard = lateAnswers();
    const [first, second] = await givenUp(2);
    second?.socket?.destroy();
    if (first !== undefined) answerJson(first, 400, failure(602001, 'no'));
    await eventually(() => bench.clock.pending() === 0);
    expect(heard).toEqual([{ intentId: INTENT, answer: { kind: 'refused', code: 602001, message: 'no' } }]);
  });

  it('F-N07: is waited for during ten minutes, then the line is cut', async () => {
    const [held] = await givenUp();
    let isCut = false;
    held?.on('close', () => {
      isCut = true;
    });
    bench.clock.advance(10 * 60_000 - 1);
    expect(bench.clock.pending()).toBe(1);
    bench.clock.advance(1);
    expect(bench.clock.pending()).toBe(0);
    await eventually(() => isCut, 'the venue to see the line close');
  });

  it('I-23: keeps 16 lines waiting at once, and cuts the seventeenth at its deadline', async () => {
    const held = await givenUp(16);
    expect(bench.clock.pending()).toBe(16);
    expect(await givenUp()).toHaveLength(1);
    expect(bench.clock.pending()).toBe(16);
    const heard = lateAnswers();
    for (const response of held) answerJson(response, 200, success({ order_id: '1' }));
    await eventually(() => heard.length === 16);
  });

  it('holds nothing open once the client is closed', async () => {
    await givenUp(3);
    await bench.client.close();
    await eventually(() => bench.clock.pending() === 0);
  });
});

describe('a request that a middlebox sends twice', () => {
  it('F-N17: calls a copy that a middlebox made and the venue refused as a duplicate unknown, and sends no third', async () => {
    let copies = 0;
    venue.on(ORDER, (_request, response) => {
      copies += 1;
      answerJson(response, 403, failure(403202, 'duplicate request'));
    });
    expect(await submit()).toMatchObject({ kind: 'unknown' });
    expect(copies).toBe(1);
  });
});
