import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  GATE_ACTORS,
  GATE_AT_START,
  GATE_STATES,
  type GateStanding,
  type GateState,
} from '#src/model/gate.ts';
import { millis } from '#src/model/time.ts';
import { type GateWish, moveGate } from '#src/risk/gate-state.ts';
import { judge, overtaken } from '#src/risk/risk-gate.ts';
import { intentOf, termsOf } from '../fixtures/orders.ts';
import { factsOf, limitsOf } from '../fixtures/risk.ts';
import { CLOSING, said, sells, verdictOn } from './judging.ts';

const now = millis(5_000);

function standing(state: GateState, by: GateStanding['by'] = 'gate'): GateStanding {
  return { state, by, rule: 'daily-loss', reason: 'lost too much', since: millis(0) };
}

function wish(to: GateState, by: GateWish['by'], reason = 'because'): GateWish {
  return { to, by, rule: 'resume', reason };
}

describe('the gate as a machine', () => {
  it('tightens at once, whoever asks', () => {
    const move = moveGate(GATE_AT_START, wish('killed', 'books'), now);
    expect(move).toEqual({
      kind: 'moved',
      standing: { state: 'killed', by: 'books', rule: 'resume', reason: 'because', since: now },
    });
  });

  it('stays where it is when a milder state is asked for', () => {
    expect(moveGate(standing('killed'), wish('halted', 'gate'), now)).toEqual({ kind: 'stays' });
    expect(moveGate(standing('halted'), wish('halted', 'operator'), now)).toEqual({ kind: 'stays' });
  });

  it('lets an operator resume from everywhere, with a reason', () => {
    for (const state of ['reduce-only', 'halted', 'killed'] as const) {
      expect(moveGate(standing(state), wish('active', 'operator'), now)).toMatchObject({ kind: 'moved' });
      expect(moveGate(standing(state), wish('active', 'operator', ' '), now)).toEqual({
        kind: 'refused',
        why: `Gate is ${state} by gate (daily-loss: lost too much), a resume wants a reason`,
      });
    }
  });

  it('ends a pause of the books when they agree again, and nothing else without a person', () => {
    expect(moveGate(standing('reduce-only', 'books'), wish('active', 'books'), now).kind).toBe('moved');
    expect(moveGate(standing('reduce-only', 'gate'), wish('active', 'gate'), now)).toEqual({
      kind: 'refused',
      why: 'Gate is reduce-only by gate (daily-loss: lost too much), only an operator may resume',
    });
    expect(moveGate(standing('halted', 'books'), wish('active', 'books'), now).kind).toBe('refused');
  });

  it('never opens wider without an operator or the end of a pause, whatever is asked in whatever order (I-14)', () => {
    const someWish = fc.record({
      to: fc.constantFrom(...GATE_STATES),
      by: fc.constantFrom(...GATE_ACTORS),
      rule: fc.constant('r'),
      reason: fc.constantFrom('', 'because'),
    });
    fc.assert(
      fc.property(fc.array(someWish), (wishes) => {
        let stands = GATE_AT_START;
        for (const each of wishes) {
          const move = moveGate(stands, each, now);
          if (move.kind !== 'moved') continue;
          const wider = GATE_STATES.indexOf(move.standing.state) < GATE_STATES.indexOf(stands.state);
          const pauseEnds = stands.state === 'reduce-only' && stands.by === 'books' && each.by === 'books';
          if (wider) expect((each.by === 'operator' && each.reason !== '') || pauseEnds).toBe(true);
          stands = move.standing;
        }
      }),
    );
  });
});

describe('gate-state', () => {
  const gate = (state: GateState) => ({ gate: standing(state) });

  it('lets everything through while active', () => {
    expect(said({}, gate('active'))).toBe('approved');
  });

  it('lets only what reduces through while reduce-only', () => {
    expect(said({}, gate('reduce-only'))).toBe(
      'gate-state: Gate is reduce-only by daily-loss: lost too much',
    );
    expect(said(sells('100'), { ...CLOSING, ...gate('reduce-only') })).toBe('approved');
  });

  it.each(['halted', 'killed'] as const)('hears no strategy while %s, not even to close', (state) => {
    expect(said({}, gate(state))).toContain(`gate-state: Gate is ${state}`);
    expect(said(sells('100'), { ...CLOSING, ...gate(state) })).toContain(`gate-state: Gate is ${state}`);
  });

  it.each(GATE_STATES)('lets an operator flatten while %s, but never open that way', (state) => {
    expect(said(sells('100'), { ...CLOSING, ...gate(state) }, {}, 'flatten')).toBe('approved');
    expect(said({}, gate(state), {}, 'flatten')).toBe(
      'gate-state: A flatten of "AAPL.US" would add exposure',
    );
  });

  it('lets new terms for fewer shares pass while halted, and not while killed', () => {
    const less = (state: GateState): string => {
      const facts = factsOf({ ...CLOSING, ...gate(state) });
      const verdict = judge(
        intentOf('I', { terms: termsOf(sells('60')), replaces: true, lessens: true }),
        facts,
        limitsOf({}),
      );
      if (verdict.kind === 'denied') return verdict.rule;
      return overtaken(verdict, standing(state)) ?? 'approved';
    };
    expect(GATE_STATES.map(less)).toEqual(['approved', 'approved', 'approved', 'gate-state']);
    const before = verdictOn({}, gate('active'));
    expect(before.kind === 'approved' && overtaken(before, standing('halted'))).toMatch(
      /^The gate is halted/,
    );
  });

  it('moves nothing by its own denials', () => {
    expect(verdictOn({}, gate('halted'), { maxBreaches: 1 })).not.toHaveProperty('wish');
  });
});
