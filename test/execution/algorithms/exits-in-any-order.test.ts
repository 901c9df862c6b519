import fc from 'fast-check';
import { type Observable, of } from 'rxjs';
import { expect, it } from 'vitest';
import { Decimal, decimal, ZERO } from '#src/model/decimal.ts';
import { intentId, type OrderTerms } from '#src/model/order.ts';
import type { ChangeAnswer } from '#src/ports/broker.ts';
import { createEngineRig } from '../../fixtures/engine-rig.ts';

/** The venue's response to an amend, and whether and when the amend is applied. */
const ANSWERS = [
  'takes',
  'takes later',
  'refuses',
  'is silent, takes later',
  'is cut off',
  'is silent',
] as const;
const someSteps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constant('entry'), fc.integer({ min: 1, max: 12 })) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('stop', 'target'), fc.integer({ min: 1, max: 20 })) },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constant('answer'), fc.integer({ min: 0, max: ANSWERS.length - 1 })),
    },
    { weight: 2, arbitrary: fc.tuple(fc.constant('land'), fc.integer({ min: 0, max: 3 })) },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constant('time'), fc.constantFrom(500, 2_500, 6_000, 12_000, 31_000)),
    },
  ),
  { minLength: 5, maxLength: 40 },
);

interface Standing {
  readonly id: string;
  readonly slot: string;
  terms: OrderTerms;
  done: Decimal;
  isOpen: boolean;
}

/** A bracket of 100 on a venue that fills, answers and applies amends as the steps state; finally all are applied. */
function world(steps: readonly (readonly [string, number])[], short: boolean, guard: 'stop' | 'trail') {
  let isAsked = false;
  const [stop, target] = short ? [11, 8] : [9, 12];
  const rig = createEngineRig({
    limits: { maxRepeats: 500, maxOrderRate: 500, maxBreaches: 500, allowShort: true },
    strategy: {
      onQuote: ({ symbol }, { orders }) => {
        if (isAsked) return undefined;
        isAsked = true;
        const entry = short ? orders.sell(symbol, 100) : orders.buy(symbol, 100);
        return orders.bracket(entry, guard === 'stop' ? { stop, target } : { trail: { amount: 1 }, target });
      },
    },
  });
  const { venue, clock, engine } = rig;
  const book = new Map<string, Standing>();
  let [mode, fills, now]: [(typeof ANSWERS)[number], number, number] = ['takes', 0, 0];
  let onTheirWay: readonly (() => void)[] = [];
  const later = (act: () => void): void => {
    onTheirWay = [...onTheirWay, act];
  };
  const land = (count: number): void => {
    const first = onTheirWay.slice(0, count);
    onTheirWay = onTheirWay.slice(count);
    for (const act of first) act();
  };

  const { submit } = venue.answers;
  venue.answers.submit = (order) => {
    const answer$ = submit(order);
    const id = `O-${order.intentId}`;
    const slot = engine.state.order(intentId(order.intentId))?.link?.slot ?? 'none';
    book.set(id, { id, slot, terms: order.terms, done: ZERO, isOpen: true });
    if (slot !== 'entry' && slot !== 'close') venue.list(id, { status: 'VarietiesNotReported' });
    return answer$;
  };
  venue.answers.cancel = (id) => {
    later(() => {
      const order = book.get(id);
      if (order === undefined || !order.isOpen) return;
      order.isOpen = false;
      venue.list(id, { status: order.done.isZero() ? 'CanceledStatus' : 'PartialWithdrawal' });
      venue.push(id);
    });
    return of({ kind: 'accepted' });
  };
  venue.answers.replace = ({ orderId: id, terms }): Observable<ChangeAnswer> => {
    const take = (): void => {
      const order = book.get(id);
      if (order === undefined || !order.isOpen || terms.quantity.lte(order.done)) return;
      order.terms = terms;
      venue.list(id, { terms });
      venue.push(id);
    };
    if (mode === 'takes') take();
    if (mode.endsWith('takes later')) later(take);
    if (mode.startsWith('takes')) return of({ kind: 'accepted' });
    if (mode === 'refuses') return of({ kind: 'refused', code: 602013, message: 'no' });
    return of({ kind: mode === 'is cut off' ? 'not-sent' : 'unknown', message: mode });
  };

  const open = (slot: string) => [...book.values()].filter((order) => order.slot === slot && order.isOpen);
  const held = (): Decimal =>
    [...book.values()].reduce(
      (sum, { slot, done }) => (slot === 'entry' ? sum.plus(done) : sum.minus(done)),
      ZERO,
    );
  const execute = (slot: string, most: Decimal, price: number): void => {
    const [order] = open(slot);
    if (order === undefined) return;
    const quantity = Decimal.min(most, order.terms.quantity.minus(order.done));
    if (!quantity.gt(0)) return;
    fills += 1;
    order.done = order.done.plus(quantity);
    order.isOpen = order.done.lt(order.terms.quantity);
    venue.execute(order.id, { id: `f${fills}`, quantity: quantity.toString(), price: String(price) });
    venue.push(order.id);
  };
  const wait = (ms: number): void => {
    now += ms;
    while (clock.nextAt() <= now) clock.fireNext();
  };

  rig.start();
  rig.quote(10);
  let mostBeside = 0;
  for (const [what, value] of steps) {
    if (what === 'entry') execute('entry', decimal(String(value)), 10);
    if (what === 'stop') execute(guard, Decimal.min(held(), decimal(String(value))), stop);
    if (what === 'target') execute('target', Decimal.min(held(), decimal(String(value))), target);
    if (what === 'answer') mode = ANSWERS[value] ?? 'takes';
    if (what === 'land') land(value);
    if (what === 'time') wait(value);
    mostBeside = Math.max(mostBeside, open(guard).length);
  }
  mode = 'takes';
  for (let turn = 0; turn < 40; turn += 1) {
    land(onTheirWay.length);
    for (const { id } of book.values()) venue.push(id);
    execute('close', held(), stop);
    wait(5_000);
  }
  const rest = (slot: string): string =>
    open(slot)
      .reduce((sum, { terms, done }) => sum.plus(terms.quantity).minus(done), ZERO)
      .toString();
  const calls = venue.calls.length;
  wait(600_000);
  return {
    held: held().toString(),
    stop: rest(guard),
    target: rest('target'),
    mostBeside,
    isQuiet: venue.calls.length === calls,
  };
}

it('for any answered, lost or late calls: in the end a stop or a trail covers the position, and no more is sent (I-6, I-17)', () => {
  fc.assert(
    fc.property(someSteps, fc.boolean(), fc.constantFrom('stop', 'trail'), (steps, short, guard) => {
      const { held, stop, target, mostBeside, isQuiet } = world(steps, short, guard);
      expect({ stop, isQuiet }).toEqual({ stop: held, isQuiet: true });
      expect(mostBeside).toBeLessThanOrEqual(4);
      expect(Number(target)).toBeLessThanOrEqual(Number(held));
    }),
    { numRuns: Number(process.env['SLUICE_RUNS'] ?? 100) },
  );
});
