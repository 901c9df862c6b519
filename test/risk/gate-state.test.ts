import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFold } from '#src/events/fold.ts';
import { createRestrictions } from '#src/execution/gate/restrictions.ts';
import { createRecorder } from '#src/execution/recorder.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import {
  causeOf,
  GATE_ACTORS,
  GATE_STATES,
  type GateStanding,
  type GateState,
  isStricter,
} from '#src/model/gate.ts';
import { millis } from '#src/model/time.ts';
import type { GateTransition } from '#src/risk/gate-state.ts';
import { judge, supersededReason } from '#src/risk/risk-gate.ts';
import { intentOf, termsOf } from '../fixtures/orders.ts';
import { factsOf, limitsOf } from '../fixtures/risk.ts';
import { CLOSING, sells, verdictName, verdictOn } from './judging.ts';

const now = millis(5_000);

function standing(state: GateState, by: GateStanding['by'] = 'gate'): GateStanding {
  return { state, by, rule: 'daily-loss', reason: 'lost too much', since: millis(0) };
}

function transition(to: GateState, by: GateTransition['by'], reason = 'because'): GateTransition {
  return { to, by, rule: 'resume', reason };
}

/** A journal, its state and its restrictions; `journal` is what a restart would read. */
function gateOf() {
  const journal = createMemoryJournal();
  const fold = createFold();
  const recorder = createRecorder(journal, fold, () => undefined);
  const restrictions = createRestrictions({ recorder, clock: { now: () => now } });
  const restarted = (): GateState => {
    const again = createFold();
    for (const event of journal.replay()) again.apply(event);
    return again.state.gate.standing.state;
  };
  return { restrictions, restarted, state: () => restrictions.standing().state };
}

const resume = { to: 'active', by: 'operator', rule: 'resume', reason: 'looked at it' } as const;

describe('the restrictions of the gate', () => {
  it('apply from the call, before the journal has them', () => {
    const gate = gateOf();
    const writeDown = gate.restrictions.begin(transition('killed', 'books'));
    expect([gate.state(), gate.restarted()]).toEqual(['killed', 'active']);
    expect(writeDown()).toMatchObject({ kind: 'moved', standing: { state: 'killed', by: 'books' } });
    expect(gate.restarted()).toBe('killed');
  });

  it('are kept when a milder one begins and ends', () => {
    const gate = gateOf();
    gate.restrictions.impose({ ...transition('halted', 'gate'), rule: 'repeated-breach' });
    gate.restrictions.impose({ ...transition('reduce-only', 'books'), rule: 'books-differ' });
    expect(gate.state()).toBe('halted');
    gate.restrictions.end('books-differ', transition('active', 'books'));
    expect([gate.state(), gate.restarted()]).toEqual(['halted', 'halted']);
  });

  it('end by an operator with a reason: all those that the operator saw', () => {
    const gate = gateOf();
    gate.restrictions.impose({ ...transition('halted', 'gate'), rule: 'repeated-breach' });
    gate.restrictions.impose({ ...transition('reduce-only', 'gate'), rule: 'drawdown' });
    const seen = gate.restrictions.seen();
    gate.restrictions.impose({ ...transition('reduce-only', 'books'), rule: 'books-differ' });
    expect(gate.restrictions.resume({ ...resume, reason: ' ' }, seen, undefined)).toEqual({
      kind: 'refused',
      why: 'Cannot resume without a reason',
    });
    gate.restrictions.resume(resume, seen, undefined);
    expect([gate.state(), gate.restarted()]).toEqual(['reduce-only', 'reduce-only']);
    expect(gate.restrictions.standing().rule).toBe('books-differ');
  });

  it('do not end when a kill came after the resume was requested (I-14)', () => {
    const gate = gateOf();
    const kill = { ...transition('killed', 'operator'), rule: 'kill' };
    gate.restrictions.impose(kill);
    const seen = gate.restrictions.seen();
    gate.restrictions.begin({ ...kill, reason: 'a second one' });
    expect(gate.restrictions.resume(resume, seen, undefined)).toEqual({
      kind: 'refused',
      why: 'Cannot resume: a kill came after the resume: a second one',
    });
  });

  it('are the strictest of all causes that began and did not end, in memory and after a restart, in any order (I-14)', () => {
    const causes = ['kill', 'halt', 'daily-loss', 'drawdown', 'books-differ'] as const;
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('impose' as const),
        rule: fc.constantFrom(...causes),
        to: fc.constantFrom(...GATE_STATES.slice(1)),
        by: fc.constantFrom(...GATE_ACTORS),
      }),
      fc.record({ kind: fc.constant('end' as const), rule: fc.constantFrom(...causes) }),
      fc.record({ kind: fc.constant('resume' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const gate = gateOf();
        const model = new Map<string, GateState>();
        for (const each of steps) {
          if (each.kind === 'impose') {
            const asked = { ...transition(each.to, each.by), rule: each.rule };
            const cause = causeOf(asked);
            const before = model.get(cause);
            if (before === undefined || isStricter(each.to, before)) model.set(cause, each.to);
            gate.restrictions.impose(asked);
          } else if (each.kind === 'end') {
            model.delete(each.rule);
            gate.restrictions.end(each.rule, transition('active', 'books'));
          } else {
            model.clear();
            gate.restrictions.resume(resume, gate.restrictions.seen(), undefined);
          }
          const strictest = GATE_STATES.findLast((state) => [...model.values()].includes(state)) ?? 'active';
          expect([gate.state(), gate.restarted()]).toEqual([strictest, strictest]);
        }
      }),
    );
  });

  it('of a journal of an earlier version end with its resume', () => {
    const fold = createFold();
    const moved = { kind: 'gate-moved' as const, at: now, reason: 'because' };
    fold.apply({ ...moved, state: 'halted', by: 'gate', rule: 'repeated-breach' });
    fold.apply({ ...moved, state: 'killed', by: 'operator', rule: 'kill' });
    fold.apply({ ...moved, state: 'active', by: 'operator', rule: 'resume' });
    expect([fold.state.gate.standing.state, fold.state.gate.restrictions.size]).toEqual(['active', 0]);
  });
});

describe('gate-state', () => {
  const gate = (state: GateState) => ({ gate: standing(state) });

  it('passes everything while active', () => {
    expect(verdictName({}, gate('active'))).toBe('approved');
  });

  it('passes only reducing orders while reduce-only', () => {
    expect(verdictName({}, gate('reduce-only'))).toBe(
      'gate-state: Gate is reduce-only by daily-loss: lost too much',
    );
    expect(verdictName(sells('100'), { ...CLOSING, ...gate('reduce-only') })).toBe('approved');
  });

  it.each(['halted', 'killed'] as const)(
    'passes no order of a strategy while %s, not even to close',
    (state) => {
      expect(verdictName({}, gate(state))).toContain(`gate-state: Gate is ${state}`);
      expect(verdictName(sells('100'), { ...CLOSING, ...gate(state) })).toContain(
        `gate-state: Gate is ${state}`,
      );
    },
  );

  it.each(GATE_STATES)('permits an operator to flatten while %s, but never to open that way', (state) => {
    expect(verdictName(sells('100'), { ...CLOSING, ...gate(state) }, {}, 'flatten')).toBe('approved');
    expect(verdictName({}, gate(state), {}, 'flatten')).toBe(
      'gate-state: A flatten of "AAPL.US" would add exposure',
    );
  });

  it('passes new terms for fewer shares while halted, and not while killed', () => {
    const less = (state: GateState): string => {
      const facts = factsOf({ ...CLOSING, ...gate(state) });
      const verdict = judge(
        intentOf('I', { terms: termsOf(sells('60')), replaces: true, reducesQuantity: true }),
        facts,
        limitsOf({}),
      );
      if (verdict.kind === 'denied') return verdict.rule;
      return supersededReason(verdict, standing(state)) ?? 'approved';
    };
    expect(GATE_STATES.map(less)).toEqual(['approved', 'approved', 'approved', 'gate-state']);
    const before = verdictOn({}, gate('active'));
    expect(before.kind === 'approved' && supersededReason(before, standing('halted'))).toMatch(
      /^The gate is halted/,
    );
  });

  it('changes nothing by its own denials', () => {
    expect(verdictOn({}, gate('halted'), { maxBreaches: 1 })).not.toHaveProperty('transition');
  });
});
