import { describe, expect, it } from 'vitest';
import { packRequest } from '#src/hosts/strategy/request-codec.ts';
import { PluginThread } from '#src/hosts/workers/plugin-thread.ts';
import { RequestQueue } from '#src/hosts/workers/request-queue.ts';
import { millis } from '#src/model/time.ts';
import type { StrategyAnswer, StrategyRequest } from '#src/ports/strategy-host.ts';
import { pluginFile } from '../fixtures/hosts.ts';
import { AAPL } from '../fixtures/market.ts';
import { startQuestion } from '../fixtures/questions.ts';

const NOTHING: StrategyAnswer = { kind: 'drafts', drafts: [] };
const failed = (message: string): StrategyAnswer => ({ kind: 'failed', message, stack: '' });

describe('a queue of requests', () => {
  it('sends one at a time', () => {
    const sent: number[] = [];
    const line = new RequestQueue<StrategyRequest, StrategyAnswer>(
      ({ snapshot }) => void sent.push(snapshot.now),
    );
    for (const time of [1, 2, 3]) line.add(startQuestion(time), () => undefined);
    expect(sent).toEqual([1]);
    line.answer(NOTHING);
    expect(sent).toEqual([1, 2]);
    expect(line.length).toBe(2);
  });

  it('skips abandoned requests, and drops their answers', () => {
    const sent: number[] = [];
    const line = new RequestQueue<StrategyRequest, StrategyAnswer>(
      ({ snapshot }) => void sent.push(snapshot.now),
    );
    const [first, second] = [1, 2, 3].map((time) => line.add(startQuestion(time), () => undefined));
    first?.();
    second?.();
    line.answer(NOTHING);
    expect(sent).toEqual([1, 3]);
  });

  it('keeps its order when answers cause requests, also while it is ending', () => {
    const heard: string[] = [];
    const line = new RequestQueue<StrategyRequest, StrategyAnswer>(() => undefined);
    const ask = (name: string, then?: () => void): void => {
      line.add(startQuestion(1), (answer) => {
        heard.push(`${name}: ${answer.kind === 'failed' ? answer.message : 'well'}`);
        then?.();
      });
    };
    ask('first', () => ask('late'));
    ask('second');
    line.end(failed('fell'), failed('over'));
    expect(heard).toEqual(['first: fell', 'second: over', 'late: over']);
    ask('later');
    expect(heard.at(-1)).toBe('later: over');
  });
});

describe("a strategy's thread", () => {
  it('is received although our own thread never idles, so that it is not blamed for our delay', async () => {
    const heard: unknown[] = [];
    let ready = (): void => undefined;
    const loaded = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const setup = { params: { way: 'throws' }, symbols: [AAPL], startsAt: millis(0), seed: 1 };
    const limits = { draftsMax: 10, heldBytesMax: 2 ** 30 };
    const thread = new PluginThread(
      { file: pluginFile('misbehaves'), ...setup, ...limits },
      { onMessage: (value) => [heard.push(value), ready()], onOutput: () => undefined, onEnd: ready },
    );
    await loaded;
    const question: StrategyRequest = startQuestion(7);
    thread.send({ number: 1, request: { kind: 'event', request: packRequest(question) } });
    const cell = new Int32Array(new SharedArrayBuffer(4));
    for (let tries = 0; tries < 1_000 && heard.length < 2; tries += 1) {
      Atomics.wait(cell, 0, 0, 5);
      thread.readReceived();
    }
    expect(heard).toMatchObject([
      { kind: 'ready' },
      { kind: 'answer', number: 1, answer: { kind: 'drafts' } },
    ]);
    await thread.end();
  });
});
