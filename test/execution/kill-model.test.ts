import fc from 'fast-check';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { ChangeAnswer } from '#src/ports/broker.ts';
import { runTo } from '../fixtures/time.ts';
import { buying, cancels, standing, submits } from './a-buying-bot.ts';

const KILL = { kind: 'kill', flatten: false, foreign: false } as const;
const STEPS = ['quote', 'kill', 'halt', 'resume', 'confirm', 'refuse', 'silence', 'answer', 'wait'] as const;

/** A wait takes one second of market time. */
const WAIT_MS = 1_000;

describe('kills, resumes and orders in any order', () => {
  it('never open an order while killed, never resume while one may still be executed, and end killed once (F-O02, I-14)', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 40 }), (steps) => {
        const bot = buying();
        for (const step of steps) {
          const before = { submits: submits(bot), state: standing(bot).state };
          const live = bot.engine.state.live.size;
          switch (step) {
            case 'quote':
              bot.quote(10);
              if (before.state === 'killed' || before.state === 'halted')
                expect(submits(bot)).toBe(before.submits);
              break;
            case 'kill':
              bot.command(KILL);
              expect(standing(bot).state).toBe('killed');
              break;
            case 'halt':
              bot.command({ kind: 'halt' });
              expect(standing(bot).state).toBe(before.state === 'killed' ? 'killed' : 'halted');
              break;
            case 'resume': {
              const [outcome] = bot.command({ kind: 'resume' }, 'looked');
              if (before.state === 'killed' && live > 0) {
                expect([outcome?.kind, standing(bot).state]).toEqual(['refused', 'killed']);
              } else expect([outcome?.kind, standing(bot).state]).toEqual(['done', 'active']);
              break;
            }
            case 'confirm':
              for (const call of cancels(bot)) {
                const id = call.slice('cancel '.length);
                bot.venue.list(id, { status: 'CanceledStatus' });
                bot.venue.push(id);
              }
              break;
            case 'refuse':
              bot.venue.answers.cancel = () =>
                of<ChangeAnswer>({ kind: 'refused', code: 602_001, message: 'no' });
              break;
            case 'silence':
              bot.venue.answers.cancel = () => of<ChangeAnswer>({ kind: 'unknown', message: 'timed out' });
              break;
            case 'answer':
              bot.venue.answers.cancel = () => of<ChangeAnswer>({ kind: 'accepted' });
              break;
            case 'wait':
              runTo(bot.clock, bot.clock.now() + WAIT_MS);
              break;
          }
          expect(bot.status()).toBe('running');
        }
      }),
      { numRuns: 300 },
    );
  });
});
