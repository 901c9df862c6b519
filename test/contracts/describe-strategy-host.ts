import { concat, lastValueFrom, map, merge, toArray } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import type { KeptState } from '#src/model/kept-state.ts';
import type { StrategyAnswer, StrategyHost, StrategyRequest } from '#src/ports/strategy-host.ts';
import { toObservable } from '#src/ports/to-observable.ts';
import { AAPL } from '../fixtures/market.ts';
import type { Way } from '../fixtures/plugins/misbehaves.ts';
import { barQuestion, quoteQuestion, startQuestion } from '../fixtures/questions.ts';
import { answerOf } from '../fixtures/tasks.ts';

/** Plugins of `fixtures/plugins` that every host must be able to run. */
export type PluginName = 'echo' | 'misbehaves' | 'remembers';

/** A host that runs one plugin for AAPL.US. */
export interface HostUnderTest {
  readonly host: StrategyHost;
  close(): Promise<void>;
}

export type MakeHost = (
  plugin: PluginName,
  params: Readonly<Record<string, string>>,
) => Promise<HostUnderTest>;

/** The contract that every StrategyHost must meet, wherever the strategy runs. */
export function describeStrategyHost(name: string, make: MakeHost): void {
  describe(`the StrategyHost port: ${name}`, () => {
    let open: HostUnderTest | undefined;

    async function hostOf(plugin: PluginName, params: Readonly<Record<string, string>> = {}) {
      open = await make(plugin, params);
      return open.host;
    }

    async function askOf(way: Way, question: StrategyRequest): Promise<StrategyAnswer> {
      const host = await hostOf('misbehaves', { way });
      return answerOf(host.call(question));
    }

    afterEach(async () => {
      await open?.close();
      open = undefined;
    });

    it('listens to exactly the hooks that the strategy has', async () => {
      const host = await hostOf('misbehaves', { way: 'throws' });
      expect([...host.listensTo].sort()).toEqual(['bar', 'start']);
      await open?.close();
      expect((await hostOf('echo')).listensTo.size).toBe(9);
    });

    it('answers each question once and completes', async () => {
      const host = await hostOf('misbehaves', { way: 'throws' });
      const answers = await lastValueFrom(toObservable(host.call(startQuestion(7))).pipe(toArray()));
      const draft = { kind: 'target-weight', symbol: AAPL, weight: 0.5, reason: 'at 7' };
      expect(answers).toEqual([{ kind: 'drafts', drafts: [draft] }]);
    });

    it('answers in the order of the calls, also when all are made at once', async () => {
      const host = await hostOf('misbehaves', { way: 'throws' });
      const asked = Array.from({ length: 50 }, (_, at) =>
        toObservable(host.call(startQuestion(at))).pipe(map(reasonIn)),
      );
      const heard = await lastValueFrom(merge(...asked).pipe(toArray()));
      expect(heard).toEqual(asked.map((_, at) => `at ${at}`));
    });

    it('calls the strategy only once there is a subscriber', async () => {
      const host = await hostOf('misbehaves', { way: 'throws' });
      const bad$ = host.call(barQuestion(1));
      const good$ = host.call(startQuestion(2));
      expect(await answerOf(good$)).toMatchObject({ kind: 'drafts' });
      expect(await answerOf(bad$)).toMatchObject({ kind: 'failed' });
    });

    it('receives events caused by an answer after that answer', async () => {
      const host = await hostOf('misbehaves', { way: 'throws' });
      const heard = await lastValueFrom(
        concat(toObservable(host.call(startQuestion(1))), toObservable(host.call(startQuestion(2)))).pipe(
          map(reasonIn),
          toArray(),
        ),
      );
      expect(heard).toEqual(['at 1', 'at 2']);
    });

    it('passes figures as Decimals in both directions, to the last digit (I-11)', async () => {
      const host = await hostOf('echo');
      const price = decimal('0.1234567890123456789').div(3);
      const answer = await answerOf(host.call(quoteQuestion(7, price, 100)));
      if (answer.kind === 'failed') throw new Error(answer.message);
      const bought = answer.drafts.find((draft) => draft.kind === 'order');
      expect(bought).toMatchObject({ quantity: price, terms: { price, limitOffset: price } });
      expect(answer.drafts.find((draft) => 'reason' in draft)?.reason).toContain(`Decimal ${price}`);
    });

    it.each<[Way, string | RegExp]>([
      [
        'throws',
        /^Strategy "misbehaves" threw in onBar: index out of bars \(at .*misbehaves\.ts:\d+:\d+\) on \S+ at .+ UTC$/,
      ],
      ['throws a text', /^Strategy "misbehaves" threw in onBar: oops on \S+ at .+ UTC$/],
      [
        'returns a promise',
        /^Strategy "misbehaves" returned a Promise \(hooks are plain functions: remove "async"\), want what context\.orders gives, or undefined for nothing \(in onBar on \S+ at .+ UTC\)$/,
      ],
      [
        'returns a promise that never resolves',
        /^Strategy "misbehaves" returned a Promise \(hooks are plain functions: remove "async"\), want what context\.orders gives, or undefined for nothing \(in onBar on \S+ at .+ UTC\)$/,
      ],
      [
        'returns a promise that rejects',
        /^Strategy "misbehaves" returned a Promise \(hooks are plain functions: remove "async"\), want what context\.orders gives, or undefined for nothing \(in onBar on \S+ at .+ UTC\)$/,
      ],
      [
        'returns rubbish',
        /^Strategy "misbehaves" returned an object with kind: buy, amount: 7, want what context\.orders gives, or undefined for nothing \(in onBar on \S+ at .+ UTC\)$/,
      ],
      [
        'returns a function',
        /^Strategy "misbehaves" returned a function, want what context\.orders gives, or undefined for nothing \(in onBar on \S+ at .+ UTC\)$/,
      ],
      [
        'returns too many',
        /^Strategy "misbehaves" returned 1001 orders at once, most is 1000 \(in onBar on \S+ at .+ UTC\)$/,
      ],
      [
        'returns an endless reason',
        /^Strategy "misbehaves" returned a reason that is .{1,300}, want a text of at most .{1,100}$/,
      ],
      ['returns an endless figure', /^Strategy "misbehaves" returned a .{1,300}, want a number.{1,100}$/],
      [
        'throws an endless text',
        /^Strategy "misbehaves" threw in onBar: x{2000} \(at .+\) on \S+ at .+ UTC$/,
      ],
      ['recurses without end', /^Strategy "misbehaves" threw in onBar: Maximum call stack size exceeded/],
    ])('answers "failed" when the strategy %s (I-16, F-G02, F-G03, F-G06)', async (way, message) => {
      const answer = await askOf(way, barQuestion(7));
      const wanted = typeof message === 'string' ? message : expect.stringMatching(message);
      expect(answer).toEqual({ kind: 'failed', message: wanted, stack: expect.any(String) });
    });
    describe('the state of a strategy', () => {
      const known = { version: 2, text: '{"bars":4,"more":[0.1,"x",null]}' };
      const answerWith = async (way: string, state?: KeptState): Promise<StrategyAnswer> => {
        const host = await hostOf('remembers', { way });
        return answerOf(host.call({ ...barQuestion(7), ...(state === undefined ? {} : { state }) }));
      };

      it('is declared with its version and its initial state', async () => {
        const initial = { version: 2, text: '{"bars":0,"more":null}' };
        expect((await hostOf('remembers')).declaredState).toEqual({ initial, canUpgrade: true });
        await open?.close();
        expect((await hostOf('echo')).declaredState).toBeUndefined();
      });

      it('begins with its initial value, and is returned changed with the orders', async () => {
        expect(await answerWith('counts')).toMatchObject({
          drafts: [{ quantity: 1 }],
          state: { version: 2, text: '{"bars":1,"more":null}' },
        });
      });

      it('is passed to the hook to the last digit', async () => {
        expect(await answerWith('counts', known)).toMatchObject({
          drafts: [{ quantity: 5 }],
          state: { version: 2, text: '{"bars":5,"more":[0.1,"x",null]}' },
        });
      });

      it.each(['leaves it', 'states the same'])('is not emitted again when a hook %s', async (way) => {
        expect(await answerWith(way, known)).not.toHaveProperty('state');
      });

      it('is migrated from an earlier version before the hook is called', async () => {
        expect(await answerWith('leaves it', { version: 1, text: '8' })).toMatchObject({
          state: { version: 2, text: '{"bars":8,"more":null}' },
        });
      });

      it.each<[string, string | RegExp, KeptState]>([
        ['changes it in place', /threw in onBar: Cannot assign to read only property 'bars'/, known],
        [
          'returns NaN',
          /returned a state that cannot be kept: state\.bars is NaN, want a finite number \(in onBar on \S+ at .+ UTC\)$/,
          known,
        ],
        ['returns a date', /cannot be kept: state\.more is a Date, want plain data/, known],
        [
          'returns nothing',
          /cannot be kept: state is undefined, want plain data \(null for nothing\) \(in onBar on \S+ at .+ UTC\)$/,
          known,
        ],
        [
          'returns a circle',
          /cannot be kept: state(\.again)+ is deeper than 32 levels \(in onBar on \S+ at .+ UTC\)$/,
          known,
        ],
        [
          'returns too much',
          /cannot be kept: state is 1020 characters of JSON, most is 1000 \(in onBar on \S+ at .+ UTC\)$/,
          known,
        ],
        ['counts', /threw in onBar: version 1 kept a number/, { version: 1, text: '"eight"' }],
      ])('fails when the strategy %s (I-16, F-G06)', async (way, message, state) => {
        expect(await answerWith(way, state)).toMatchObject({
          kind: 'failed',
          message: expect.stringMatching(message),
        });
      });
    });
  });
}

function reasonIn(answer: StrategyAnswer): string | undefined {
  return answer.kind === 'drafts' ? answer.drafts[0]?.reason : answer.message;
}
