import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { bracketRig, coverOf, fill, sent, until } from '../../fixtures/bracket-rig.ts';
import type { EngineRig, RigOptions } from '../../fixtures/engine-rig.ts';

const refusing = (options: RigOptions = {}): EngineRig =>
  bracketRig({ replace: () => of({ kind: 'refused', code: 602013, message: 'no' }) }, options);
const cancels = (rig: EngineRig): readonly string[] => sent(rig).filter((call) => call.startsWith('cancel'));
const stops = ({ engine }: EngineRig): number => coverOf(engine.state.live, 'stop').most;

describe('several exits in one leg', () => {
  it('are unchanged while the bot is halted, and grow at the instant at which it is resumed', () => {
    const rig = refusing();
    fill(rig, '10');
    fill(rig, '20');
    rig.command({ kind: 'halt' });
    for (let part = 0; part < 4; part += 1) fill(rig, '10');
    until(rig, 60_000);
    expect(cancels(rig)).toEqual([]);
    expect(stops(rig)).toBe(30);
    expect(rig.kinds()).not.toContain('intent-denied');
    rig.venue.hold({ AAPL: '70' }, '9300');
    rig.command({ kind: 'resume' });
    expect(stops(rig)).toBe(70);
  });

  it('are kept when a limit denies another one, which is submitted again 10 s later', () => {
    const rig = refusing({ limits: { maxRepeats: 2, repeatWindow: 15_000 } });
    for (let part = 0; part < 3; part += 1) fill(rig, '10');
    expect(rig.kinds()).toContain('intent-denied');
    expect(cancels(rig)).toEqual([]);
    expect(stops(rig)).toBe(20);
    until(rig, 40_000);
    expect(stops(rig)).toBe(30);
    expect(cancels(rig)).toEqual([]);
  });

  it('are sent again as one after an older one was denied, which does not end the bracket', () => {
    const rig = refusing({ limits: { maxRepeats: 2, repeatWindow: 15_000 } });
    for (let part = 0; part < 3; part += 1) fill(rig, '10');
    until(rig, 40_000);
    fill(rig, '15');
    fill(rig, '5');
    const four = [...rig.engine.state.live.values()].filter(({ link }) => link?.slot === 'stop');
    expect(four.map(({ facets }) => facets.pending)).toEqual(Array(4).fill('cancel-acked'));
    for (const { intentId: id } of four) {
      rig.venue.list(`O-${id}`, { status: 'CanceledStatus' });
      rig.venue.push(`O-${id}`);
    }
    const exits = [...rig.engine.state.live.values()].filter(({ link }) => link?.slot !== 'entry');
    expect(exits.map(({ link }) => link?.slot)).not.toContain('close');
    expect(stops(rig)).toBe(50);
  });

  it('close at the market the shares that they do not cover, once they are gone and one was denied', () => {
    const rig = refusing({ limits: { maxRepeats: 2, repeatWindow: 60_000 } });
    for (const part of ['10', '10', '10', '7']) fill(rig, part);
    for (const [index, id] of ['I3', 'I5'].entries()) {
      rig.venue.execute(`O-${id}`, { id: `met${index}`, quantity: '10', price: '9' });
      rig.venue.push(`O-${id}`);
    }
    expect(cancels(rig)).toContain('cancel O-I2');
    for (const id of ['I2', 'I4']) {
      rig.venue.list(`O-${id}`, { status: 'CanceledStatus' });
      rig.venue.push(`O-${id}`);
    }
    const closes = [...rig.engine.state.live.values()].filter(({ link }) => link?.slot === 'close');
    expect(closes.map(({ terms }) => String(terms.quantity))).toEqual(['17']);
  });
});

describe('an exit without any status from the venue', () => {
  /** An entry filled in six parts of ten, while the venue does not report the exits that it accepted. */
  function sixPartsUnseen(): EngineRig {
    const rig = bracketRig();
    const { submit } = rig.venue.answers;
    rig.venue.answers.submit = (order) => {
      const answer$ = submit(order);
      rig.venue.list(`O-${order.intentId}`, { status: 'NotReported' });
      return answer$;
    };
    for (let part = 0; part < 6; part += 1) fill(rig, '10');
    return rig;
  }

  it('is waited for during 2 s, instead of sending four that are then cancelled', () => {
    const rig = sixPartsUnseen();
    expect(sent(rig)).toEqual(['submit I2', 'submit I3', 'submit I4']);
    rig.venue.list('O-I3', { status: 'VarietiesNotReported' });
    rig.venue.push('O-I3');
    expect(stops(rig)).toBe(60);
    expect(sent(rig).slice(3)).toEqual(['replace O-I3']);
  });

  it('gets a second exit if there is no status for longer', () => {
    const rig = sixPartsUnseen();
    until(rig, 2_000);
    expect(stops(rig)).toBe(60);
    expect(sent(rig).slice(3)).toEqual(['submit I5', 'submit I6']);
  });
});
