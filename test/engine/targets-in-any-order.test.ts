import fc from 'fast-check';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { TrackedOrder } from '#src/events/bot-state.ts';
import { isWaiting } from '#src/events/records/open-orders.ts';
import { LESS_HELD } from '#src/execution/algorithms/children.ts';
import { missingExits } from '#src/execution/algorithms/exit-coverage.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { isLive, openRest } from '#src/model/order-state.ts';
import { SECOND_MS } from '#src/model/time.ts';
import { createEngineRig, type EngineRig, type RigMember, type RigOptions } from '../fixtures/engine-rig.ts';
import type { FakeVenue } from '../fixtures/fake-venue.ts';
import { AAPL, security } from '../fixtures/market.ts';
import { termsOf } from '../fixtures/orders.ts';
import { randomCases } from '../fixtures/random-cases.ts';
import { restarted } from '../fixtures/restarting.ts';
import { runTo } from '../fixtures/time.ts';

const runs = Number(process.env['SLUICE_RUNS'] ?? randomCases(120, 60));
const NAMES = ['a', 'b', 'c'] as const;
type Name = (typeof NAMES)[number];

/** One step of a session. A fill that is not pushed becomes known with the next push, or after a restart. */
const someStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      member: fc.constantFrom(...NAMES),
      shares: fc.integer({ min: -40, max: 60 }),
      hasStop: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('fill' as const),
      which: fc.nat(5),
      part: fc.constantFrom(0.3, 0.5, 1),
      isPushed: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('by-hand' as const), part: fc.constantFrom(0.3, 1) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('cancels' as const, 'push' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);
type Step = typeof someStep extends fc.Arbitrary<infer T> ? T : never;

const isExit = ({ link }: TrackedOrder): boolean => link?.exit === true;

/** Three strategies that decide on targets, some with a stop, on a venue that fills and cancels at given steps. */
class Session {
  readonly alarms: Alarm[] = [];
  /**
   * The latest target of each strategy; absent once its position changed after its order was sent, or the order
   * failed.
   */
  readonly targets = new Map<Name, number>();
  /** Strategies that ever decided on a short position. */
  readonly shorts = new Set<Name>();
  readonly #wanted = new Map<Name, { readonly shares: number; readonly hasStop: boolean }>();
  readonly #acts: ((venue: FakeVenue) => void)[] = [];
  readonly #unpushed = new Set<string>();
  readonly #options: RigOptions;
  #account = 0;
  #executions = 0;
  #rig: EngineRig;

  constructor() {
    const member = (name: Name): RigMember => ({
      strategy: {
        onQuote: (_event, { orders }) => {
          const wanted = this.#wanted.get(name);
          this.#wanted.delete(name);
          if (wanted === undefined) return undefined;
          const target = orders.targetQuantity(AAPL, wanted.shares);
          return wanted.hasStop ? orders.bracket(target, { stop: { percent: 50 } }) : target;
        },
      },
    });
    this.#options = {
      limits: { allowShort: true },
      members: { a: member('a'), b: member('b'), c: member('c') },
      onAlarm: (alarm) => void this.alarms.push(alarm),
      onEvent: (event) => {
        if (event.kind !== 'intent-denied' || event.rule === LESS_HELD) return;
        const order = this.#rig.engine.state.order(event.intentId);
        if (order !== undefined && !isExit(order)) this.targets.delete(order.strategy as Name);
      },
    };
    this.#rig = createEngineRig(this.#options);
    this.#prepare(this.#rig);
    this.#rig.start();
  }

  get rig(): EngineRig {
    return this.#rig;
  }

  get account(): number {
    return this.#account;
  }

  held(name: Name): number {
    return Number(this.#rig.engine.state.books.get(name)?.holdings.get(AAPL)?.quantity ?? 0);
  }

  take(step: Step): void {
    switch (step.kind) {
      case 'decide':
        this.#decide(step.member, step);
        break;
      case 'fill': {
        const live = this.#live();
        const order = live[step.which % Math.max(1, live.length)];
        if (order !== undefined) this.#fill(order, step.part, step.isPushed);
        break;
      }
      case 'by-hand':
        this.#tradeByHand(step.part);
        break;
      case 'cancels':
        this.#cancel();
        break;
      case 'push':
        this.#push();
        break;
      case 'restart':
        this.#restart();
    }
  }

  /** Ends all activity: what was sent is filled, and no stop triggers. */
  settle(): void {
    for (let round = 0; round < 30; round += 1) {
      this.#push();
      this.#cancel();
      for (const order of this.#live()) if (!isExit(order)) this.#fill(order, 1, true);
      runTo(this.#rig.clock, this.#rig.clock.now() + 3 * SECOND_MS);
    }
  }

  #live(): readonly TrackedOrder[] {
    return [...this.#rig.engine.state.live.values()].filter(
      ({ facets }) => isLive(facets) && facets.submission.kind === 'acked' && openRest(facets).gt(0),
    );
  }

  #ordersOf(name: Name): readonly TrackedOrder[] {
    return [...this.#rig.engine.state.live.values()].filter(
      (order) => order.strategy === name && !isExit(order),
    );
  }

  /**
   * Positions change by other orders than those for targets: only an order that waits follows, while something is
   * left for it to do.
   */
  #changing(names: readonly Name[], act: () => void): void {
    const waiting = new Set(names.filter((name) => this.#ordersOf(name).some(isWaiting)));
    act();
    for (const name of names)
      if (!waiting.has(name) || !this.#ordersOf(name).some(({ terms }) => terms.quantity.gt(0)))
        this.targets.delete(name);
  }

  #decide(name: Name, { shares, hasStop }: { readonly shares: number; readonly hasStop: boolean }): void {
    this.#push();
    const open = this.#ordersOf(name);
    const signed = (side: 'buy' | 'sell'): number =>
      open
        .filter(({ terms }) => terms.side === side)
        .reduce((sum, { facets }) => sum + Number(openRest(facets)), 0);
    const [buys, sells] = [signed('buy'), signed('sell')];
    const change = shares - (this.held(name) + buys - sells);
    // Orders open on the other side are not closed before they fill, and a bracket cancels the rest of its entry with
    // its position.
    const isCut =
      open.some((order) => order.link !== undefined && !isWaiting(order)) ||
      (change < 0 && shares >= 0 && buys > 0) ||
      (change > 0 && shares <= 0 && sells > 0);
    this.targets.set(name, shares);
    if (shares < 0) this.shorts.add(name);
    this.#wanted.set(name, { shares, hasStop });
    this.#rig.quote(10);
    if (isCut) this.targets.delete(name);
  }

  #atVenue(act: (venue: FakeVenue) => void): void {
    this.#acts.push(act);
    act(this.#rig.venue);
  }

  #execute(id: string, side: 'buy' | 'sell', shares: number): void {
    this.#executions += 1;
    const execution = { id: `e${this.#executions}`, quantity: String(shares), price: '10' };
    this.#account += side === 'buy' ? shares : -shares;
    const now = this.#account;
    this.#atVenue((venue) => {
      venue.execute(id, execution);
      venue.hold(now === 0 ? {} : { AAPL: String(now) }, String(10_000 - now * 10));
    });
  }

  /** A stop closes no more than its strategy holds. */
  #fill(order: TrackedOrder, part: number, isPushed: boolean): void {
    const { intentId: id, terms, strategy } = order;
    const name = strategy as Name;
    if (this.#unpushed.has(`O-${id}`)) this.#push();
    const known = this.#rig.engine.state.order(id);
    if (known === undefined || !isLive(known.facets)) return;
    let shares = Math.ceil(Number(openRest(known.facets)) * part);
    if (isExit(order)) {
      this.#push();
      const side = terms.side === 'sell' ? 1 : -1;
      shares = Math.min(shares, Math.max(0, this.held(name) * side));
      if (shares === 0) return;
      this.#changing([name], () => {
        this.#execute(`O-${id}`, terms.side, shares);
        this.#rig.venue.push(`O-${id}`);
      });
      return;
    }
    if (shares === 0) return;
    this.#execute(`O-${id}`, terms.side, shares);
    if (isPushed) this.#rig.venue.push(`O-${id}`);
    else this.#unpushed.add(`O-${id}`);
  }

  #push(): void {
    const due = [...this.#unpushed];
    this.#unpushed.clear();
    for (const id of due) this.#rig.venue.push(id);
  }

  /** The owner trades a part of the account's position; fills that are not known yet are affected as well. */
  #tradeByHand(part: number): void {
    const shares = Math.ceil(Math.abs(this.#account) * part);
    if (shares === 0) return;
    const [id, side] = [`HAND${this.#executions}`, this.#account > 0 ? 'sell' : 'buy'] as const;
    // Orders at the venue would close the same shares.
    if (this.#live().some((order) => !isExit(order) && order.terms.side === side)) return;
    if (this.#unpushed.size > 0) this.targets.clear();
    this.#changing(NAMES, () => {
      this.#atVenue((venue) =>
        venue.list(id, { terms: termsOf({ side, quantity: decimal(String(shares)) }) }),
      );
      this.#execute(id, side, shares);
      this.#rig.venue.push(id);
    });
  }

  #cancel(): void {
    for (const { intentId: id, facets, terms } of this.#live()) {
      if (!facets.cancelWanted && facets.cancels === 0) continue;
      this.#push();
      const status = facets.executed.isZero() ? 'CanceledStatus' : 'PartialWithdrawal';
      this.#atVenue((venue) => venue.list(`O-${id}`, { intentId: id, terms, status }));
      this.#rig.venue.push(`O-${id}`);
    }
  }

  #prepare(rig: EngineRig): void {
    rig.venue.answers.replace = () => of({ kind: 'refused', code: 602_001, message: 'not here' });
  }

  #restart(): void {
    const before = this.#rig;
    const records = [...before.journal.replay()];
    this.#unpushed.clear();
    this.#rig = restarted(
      records,
      (again) => {
        this.#rig = again;
        this.#prepare(again);
        const { live, done } = before.engine.state;
        for (const { intentId: id, terms, facets } of [...live.values(), ...done.values()])
          if (facets.submission.kind === 'acked') again.venue.list(`O-${id}`, { intentId: id, terms });
        for (const act of this.#acts) act(again.venue);
      },
      {
        ...this.#options,
        minted: records.filter(({ kind }) => kind === 'intent-drafted' || kind === 'algorithm-started')
          .length,
      },
    );
  }
}

describe('random sessions of three strategies with targets, stops, manual trades, late fills and restarts', () => {
  it('end at the targets, sell no more than is held unless a short position was decided, and keep their stops working', () => {
    const seen = { atTarget: 0, afterExit: 0, stopped: 0 };
    fc.assert(
      fc.property(fc.array(someStep, { minLength: 6, maxLength: 40 }), (steps) => {
        const session = new Session();
        for (const step of steps) {
          session.take(step);
          expect(session.rig.status()).toBe('running');
          for (const name of NAMES)
            if (!session.shorts.has(name)) expect(session.held(name), name).toBeGreaterThanOrEqual(0);
        }
        session.settle();
        const { state } = session.rig.engine;
        for (const [name, shares] of session.targets) {
          expect(session.held(name), name).toBe(shares);
          seen.atTarget += 1;
        }
        expect(NAMES.reduce((sum, name) => sum + session.held(name), 0)).toBe(session.account);
        const missing = missingExits(state, { security: () => security(AAPL), waiting: () => [] });
        const alarmed = session.alarms.some(({ code }) => code === 'exits-missing');
        if (missing.length > 0) expect(alarmed, JSON.stringify(missing)).toBe(true);
        seen.stopped += [...state.live.values()].filter(isExit).length;
        seen.afterExit += [...session.rig.journal.replay()].filter(
          (event) => event.kind === 'intent-armed' && event.quantity !== undefined,
        ).length;
      }),
      { numRuns: runs },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(runs / 10);
  });
});
