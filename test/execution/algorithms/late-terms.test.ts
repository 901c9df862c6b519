import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { bracketRig, fill, restOf, sent, until } from '../../fixtures/bracket-rig.ts';
import type { EngineRig } from '../../fixtures/engine-rig.ts';

describe('new terms that become visible although they were not accepted (T-41)', () => {
  /** The venue has a stop of 30 where the bot knows one of 10, next to another stop of 20. */
  function shown(rig: EngineRig): void {
    const order = rig.engine.state.order(intentId('I3'));
    if (order === undefined) throw new Error('The bracket has no stop');
    rig.venue.list('O-I3', { terms: { ...order.terms, quantity: decimal('30') } });
    rig.venue.push('O-I3');
  }

  it('are accepted after half a minute, and the second exit is cancelled', () => {
    const rig = bracketRig();
    fill(rig, '10');
    fill(rig, '20');
    until(rig, 35_000);
    expect([restOf(rig, 'I3'), restOf(rig, 'I5')]).toEqual(['10', '20']);
    shown(rig);
    expect(restOf(rig, 'I3')).toBe('30');
    expect(sent(rig).filter((call) => call.startsWith('cancel'))).toEqual(['cancel O-I5']);
  });

  it('are used if the venue had refused them', () => {
    const rig = bracketRig({ replace: () => of({ kind: 'refused', code: 602013, message: 'no' }) });
    fill(rig, '10');
    fill(rig, '20');
    shown(rig);
    expect(restOf(rig, 'I3')).toBe('30');
    expect(sent(rig).filter((call) => call.startsWith('cancel'))).toEqual(['cancel O-I5']);
  });

  it('are used if they were lost, also older ones', () => {
    const rig = bracketRig({ replace: () => of({ kind: 'unknown', message: 'no answer' }) });
    fill(rig, '10');
    fill(rig, '20');
    until(rig, 2_500);
    expect(rig.engine.state.order(intentId('I3'))?.change?.outcome).toBe('lost');
    shown(rig);
    expect(restOf(rig, 'I3')).toBe('30');
    until(rig, 60_000);
    expect(restOf(rig, 'I3')).toBe('30');
    expect(sent(rig).filter((call) => call === 'replace O-I3')).toHaveLength(1);
  });

  it('are recorded when they become visible after later ones, and are reverted', () => {
    const rig = bracketRig({ replace: () => of({ kind: 'unknown', message: 'no answer' }) });
    const changes = (): number => sent(rig).filter((call) => call === 'replace O-I3').length;
    fill(rig, '10');
    fill(rig, '20');
    until(rig, 3_000);
    rig.venue.answers.replace = ({ orderId, terms }) => {
      rig.venue.list(orderId, { terms });
      return of({ kind: 'accepted' });
    };
    until(rig, 10_000);
    expect([restOf(rig, 'I3'), restOf(rig, 'I4'), changes()]).toEqual(['30', '30', 2]);
    rig.venue.execute('O-I4', { id: 'gain', quantity: '10', price: '12' });
    rig.venue.push('O-I4');
    expect([restOf(rig, 'I3'), changes()]).toEqual(['20', 3]);
    shown(rig);
    expect([restOf(rig, 'I3'), changes()]).toEqual(['20', 4]);
  });

  it('are not dropped for others that were never sent', () => {
    const rig = bracketRig({ replace: () => of({ kind: 'unknown', message: 'no answer' }) });
    fill(rig, '10');
    fill(rig, '20');
    until(rig, 3_000);
    rig.venue.answers.replace = () => of({ kind: 'not-sent', message: 'no connection' });
    fill(rig, '30');
    until(rig, 14_000);
    shown(rig);
    expect(restOf(rig, 'I3')).toBe('30');
  });
});
