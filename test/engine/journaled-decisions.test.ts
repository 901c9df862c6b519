import { describe, expect, it } from 'vitest';
import { journaledDecisions } from '#src/engine/engine.ts';
import { buying } from '../execution/a-buying-bot.ts';
import type { EngineRig } from '../fixtures/engine-rig.ts';

/** Two orders, the first of them filled. */
function traded(keepsDecisions: boolean): EngineRig {
  const rig = buying({ keepsDecisions });
  rig.quote(10);
  rig.venue.execute('O-I1', { id: 'e1', quantity: '100', price: '9' });
  rig.venue.list('O-I1', { status: 'FilledStatus' });
  rig.venue.push('O-I1');
  rig.quote(10);
  return rig;
}

describe('a bot that may run for months', () => {
  it('keeps no decisions in memory, and its report has the same ones from the journal', () => {
    const kept = traded(true);
    const flat = traded(false);
    expect(flat.engine.decisions).toEqual([]);
    const read = journaledDecisions(flat.journal.replay());
    expect(read.map((each) => each.kind)).toContain('order-filled');
    expect(JSON.stringify(read)).toBe(JSON.stringify(kept.engine.decisions));
  });
});
