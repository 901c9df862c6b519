import { describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { TENCENT } from './fixtures.ts';
import { onSockets, pushOf, quoteOf } from './on-sockets.ts';

const on = onSockets();

describe('requests on the quote socket', () => {
  const asked = () => on.venue.line('quote').requests.filter((frame) => frame.command === 11);

  function pull(times: number): void {
    for (let i = 0; i < times; i += 1) {
      on.listen(on.bench.client.feed.pull([TENCENT]).subscribe({ error: () => undefined }));
    }
  }

  it('I-17: are limited to 5 at once', async () => {
    on.venue.onCommand('quote', 11, () => undefined);
    await on.bench.client.connect();
    pull(8);
    await eventually(() => asked().length === 5);
    const [first] = asked();
    if (first === undefined) throw new Error('nothing was asked');
    on.venue.line('quote').answer(first, new Uint8Array(0));
    await eventually(() => asked().length === 6);
  });

  it('I-17: are limited to 10 in 1.1 s of machine time, including the password', async () => {
    await on.bench.client.connect();
    pull(12);
    await eventually(() => asked().length === 9);
    on.bench.clock.advance(1_099);
    expect(asked()).toHaveLength(9);
    on.bench.clock.advance(1);
    await eventually(() => asked().length === 12);
  });

  it('F-B33: accept no answer of another command, no second answer, and none without a request', async () => {
    on.venue.onCommand('quote', 11, (frame, line) => {
      line.answer({ ...frame, requestId: 4_000_000_000 }, new Uint8Array(0));
      line.answer({ ...frame, command: 10 }, new Uint8Array(0));
      line.answer(frame, new Uint8Array(0));
      line.answer(frame, new Uint8Array(0));
    });
    await on.bench.client.connect();
    const answers: unknown[] = [];
    on.listen(on.bench.client.feed.pull([TENCENT]).subscribe((quotes) => answers.push(quotes)));
    await eventually(() => answers.length === 1);
    expect(answers).toEqual([[]]);
  });

  it('time out by machine time', async () => {
    on.venue.onCommand('quote', 11, () => undefined);
    await on.bench.client.connect();
    const errors: unknown[] = [];
    on.listen(on.bench.client.feed.pull([TENCENT]).subscribe({ error: (error) => errors.push(error) }));
    await eventually(() => asked().length === 1);
    on.bench.clock.advance(4_000);
    on.venue.line('quote').push(101, pushOf(quoteOf()));
    await eventually(() => on.bench.client.feed.latest(TENCENT) !== undefined);
    on.bench.clock.advance(6_000);
    expect(errors).toMatchObject([{ code: 'socket-timeout', retryable: true }]);
  });

  it('that are refused report the code', async () => {
    on.venue.onCommand('quote', 11, (frame, line) =>
      line.refuse(frame, { status: 7, code: 301604, msg: 'no access' }),
    );
    await on.bench.client.connect();
    const failed = new Promise((resolve) =>
      on.bench.client.feed.pull([TENCENT]).subscribe({ error: resolve }),
    );
    expect(await failed).toMatchObject({ code: 'socket-refused', venueCode: 301604, retryable: false });
  });
});
