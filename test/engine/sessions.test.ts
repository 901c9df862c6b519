import fc from 'fast-check';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { BotState } from '#src/events/bot-state.ts';
import { decodeEvent, encodeEvent } from '#src/events/codec.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import type { IntentId, OrderTerms, ReadStatus } from '#src/model/order.ts';
import { isOutOfReach } from '#src/model/pending-step.ts';
import { HOUR_MS, MINUTE_MS } from '#src/model/time.ts';
import type { ChangeAnswer, SubmitAnswer } from '#src/ports/broker.ts';
import type { OperatorCommand } from '#src/ports/operator.ts';
import type { Decision, OrderDrafts } from '#src/strategy/order-draft.ts';
import { createEngineRig, type EngineRig } from '../fixtures/engine-rig.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { AAPL } from '../fixtures/market.ts';
import { runTo } from '../fixtures/time.ts';

const runs = Number(process.env['SLUICE_RUNS'] ?? 110);

/** Orders of the strategy at its quotes, which repeat. */
const REQUESTS = {
  buy: (orders) => orders.buy(AAPL, 20),
  limit: (orders) => orders.buy(AAPL, 30, { type: 'LO', price: 9 }),
  sell: (orders) => orders.sell(AAPL, 10),
  bracket: (orders) => orders.bracket(orders.buy(AAPL, 40), { stop: 9, target: 12 }),
  trail: (orders) => orders.bracket(orders.buy(AAPL, 20), { trail: { percent: 5 } }),
  twap: (orders) => orders.twap(orders.buy(AAPL, 60), { minutes: 1, parts: 4 }),
  iceberg: (orders) => orders.iceberg(orders.buy(AAPL, 60, { type: 'LO', price: 10 }), { shown: 20 }),
  chase: (orders) => orders.chase(orders.buy(AAPL, 25), { bound: 12, minutes: 2, atEnd: 'cross' }),
  oco: (orders) =>
    orders.oco([
      orders.buy(AAPL, 10, { type: 'LO', price: 9 }),
      orders.buy(AAPL, 10, { type: 'MIT', triggerPrice: 11 }),
    ]),
  rebalance: (orders) => orders.rebalance({ [AAPL]: 0.3 }),
  close: (orders) => orders.close(AAPL),
  nothing: () => undefined,
} satisfies Record<string, (orders: OrderDrafts) => Decision | undefined>;

const TIMED_OUT = { kind: 'unknown', message: 'timed out' } as const;
const SUBMITS: Readonly<Record<string, SubmitAnswer>> = {
  refused: { kind: 'refused', code: 603_000, message: 'not here' },
  'not-sent': { kind: 'not-sent', message: 'the connection is down' },
  unknown: TIMED_OUT,
};
const CHANGES: Readonly<Record<string, ChangeAnswer>> = {
  accepted: { kind: 'accepted' },
  refused: { kind: 'refused', code: 602_001, message: 'no' },
  unknown: TIMED_OUT,
};
const COMMANDS: readonly OperatorCommand[] = [
  { kind: 'halt' },
  { kind: 'reduce-only' },
  { kind: 'resume' },
  { kind: 'cancel-all' },
  { kind: 'flatten' },
  { kind: 'kill', flatten: false, foreign: false },
  { kind: 'kill', flatten: true, foreign: false },
];
const SILENT = ['orderDetail', 'ordersToday', 'executionsToday', 'buyLimit', 'balance', 'positions'] as const;

/** The next step: in the market, at the venue, in transit, by an operator, or to the process. */
const someStep = fc.oneof(
  { weight: 5, arbitrary: fc.record({ quote: fc.integer({ min: 80, max: 130 }) }) },
  { weight: 5, arbitrary: fc.record({ wait: fc.constantFrom(10, 1_000, 7_000, 70_000) }) },
  {
    weight: 5,
    arbitrary: fc.record({ fill: fc.nat(9), share: fc.constantFrom(0.5, 1), pushed: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      end: fc.nat(9),
      status: fc.constantFrom<ReadStatus>('CanceledStatus', 'RejectedStatus', 'ExpiredStatus'),
      pushed: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ submits: fc.constantFrom('accepted', ...Object.keys(SUBMITS), 'lost') }),
  },
  { weight: 1, arbitrary: fc.record({ changes: fc.constantFrom(...Object.keys(CHANGES)) }) },
  { weight: 1, arbitrary: fc.record({ silent: fc.constantFrom(...SILENT), lasts: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ delay: fc.constantFrom(0, 300) }) },
  { weight: 1, arbitrary: fc.record({ command: fc.constantFrom(...COMMANDS) }) },
  { weight: 1, arbitrary: fc.constant({ restart: true }) },
);
type Step = typeof someStep extends fc.Arbitrary<infer T> ? T : never;

/** Half of the sessions begin with a request that is executed in full, and another at the next quote. */
const BEGUN: readonly Step[] = [
  { quote: 100 },
  { fill: 0, share: 1, pushed: true },
  { wait: 7_000 },
  { quote: 101 },
];

const someSession = fc.record({
  requests: fc.array(fc.constantFrom(...(Object.keys(REQUESTS) as (keyof typeof REQUESTS)[])), {
    minLength: 1,
    maxLength: 5,
  }),
  steps: fc
    .tuple(fc.constantFrom([], BEGUN), fc.array(someStep, { minLength: 5, maxLength: 36 }))
    .map((parts) => parts.flat()),
});
type Session = typeof someSession extends fc.Arbitrary<infer T> ? T : never;

/** An order at the venue, which outlives the process of the bot. */
interface Standing {
  readonly intentId: IntentId;
  readonly terms: OrderTerms;
  readonly executions: { readonly id: string; readonly quantity: string; readonly price: string }[];
  executed: number;
  status: ReadStatus;
}

/** A bot on a venue, which crashes and restarts as its session requires. */
class Bot {
  /**
   * Every effect in order: calls to the venue, records, events for the strategy, alarms, and the time of the next
   * timer.
   */
  readonly effects: string[] = [];
  readonly #requests: Session['requests'];
  readonly #orders = new Map<string, Standing>();
  /** Orders whose cancels the venue has accepted and applies when it trades on. */
  readonly #cancelled = new Set<string>();
  #asked = 0;
  #submits: string = 'accepted';
  #changes: string = 'accepted';
  #noted = { calls: 0, records: 0 };
  #rig: EngineRig;

  constructor(requests: Session['requests']) {
    this.#requests = requests;
    this.#rig = this.#begin([], 0);
  }

  #begin(events: readonly SluiceEvent[], now: number): EngineRig {
    const journal = createMemoryJournal();
    for (const event of events) journal.append(event);
    const hear = (event: unknown): void => void this.effects.push(`strategy ${JSON.stringify(event)}`);
    const rig = createEngineRig({
      journal,
      minted: mintedIn(events),
      pushComplete: false,
      limits: { maxDailyLoss: decimal('0.2'), maxRepeats: 8, repeatWindow: 10_000 },
      onAlarm: ({ code, message }) => this.effects.push(`alarm ${code} ${message}`),
      strategy: {
        onQuote: (event, { orders }) => {
          hear(event);
          const request = this.#requests[this.#asked % this.#requests.length] ?? 'nothing';
          this.#asked += 1;
          return REQUESTS[request](orders);
        },
        onFill: hear as () => undefined,
        onOrder: hear as () => undefined,
      },
    });
    runTo(rig.clock, now);
    const { answers } = rig.venue;
    const { submit } = answers;
    answers.submit = (order) => {
      const answer = SUBMITS[this.#submits];
      if (answer !== undefined) return of(answer);
      this.#orders.set(`O-${order.intentId}`, { ...order, executions: [], executed: 0, status: 'NewStatus' });
      const accepted$ = submit(order);
      return this.#submits === 'lost' ? of(TIMED_OUT) : accepted$;
    };
    answers.replace = () => of(CHANGES[this.#changes] ?? { kind: 'accepted' });
    answers.cancel = (id) => {
      if (this.#changes === 'accepted') this.#cancelled.add(id);
      return of(CHANGES[this.#changes] ?? { kind: 'accepted' });
    };
    for (const [id, { executions, status, intentId, terms }] of this.#orders) {
      rig.venue.list(id, { intentId, terms });
      for (const execution of executions) rig.venue.execute(id, execution);
      rig.venue.list(id, { status });
    }
    this.#settle(rig);
    this.#noted = { calls: 0, records: events.length };
    rig.start();
    return rig;
  }

  get records(): readonly SluiceEvent[] {
    return [...this.#rig.journal.replay()];
  }

  get rig(): EngineRig {
    return this.#rig;
  }

  take(step: Step): void {
    if (this.#rig.status() === 'running') this.#take(step);
    this.#note(step);
  }

  #take(step: Step): void {
    const { clock, venue } = this.#rig;
    if ('quote' in step) this.#rig.quote(step.quote / 10);
    else if ('wait' in step) runTo(clock, clock.now() + step.wait);
    else if ('fill' in step) this.#fill(step.fill, step.share, step.pushed);
    else if ('end' in step) this.#end(step.end, step.status, step.pushed);
    else if ('submits' in step) this.#submits = step.submits;
    else if ('changes' in step) this.#changes = step.changes;
    else if ('silent' in step) {
      if (step.lasts) venue.answers.silent.add(step.silent);
      else venue.answers.silent.delete(step.silent);
    } else if ('delay' in step) venue.answers.delayMs = step.delay;
    else if ('command' in step)
      this.effects.push(`outcome ${JSON.stringify(this.#rig.command(step.command))}`);
    else this.#rig = this.#begin(this.records, clock.now());
  }

  #working(which: number): [string, Standing] | undefined {
    const working = [...this.#orders].filter(
      ([, { status }]) => status === 'NewStatus' || status === 'PartialFilledStatus',
    );
    return working.length === 0 ? undefined : working[which % working.length];
  }

  #fill(which: number, share: number, pushed: boolean): void {
    const [id, order] = this.#working(which) ?? [];
    if (id === undefined || order === undefined) return;
    this.#execute(id, order, share);
    if (pushed) this.#rig.venue.push(id);
  }

  #execute(id: string, order: Standing, share: number): void {
    const rest = order.terms.quantity.toNumber() - order.executed;
    const quantity = Math.max(1, Math.floor(rest * share));
    order.executed += quantity;
    order.status = quantity === rest ? 'FilledStatus' : 'PartialFilledStatus';
    const execution = { id: `${id}-${order.executed}`, quantity: String(quantity), price: '10' };
    order.executions.push(execution);
    this.#rig.venue.execute(id, execution);
    this.#settle(this.#rig);
  }

  /** Shares that the venue executed. */
  get held(): number {
    let held = 0;
    for (const { terms, executed } of this.#orders.values())
      held += terms.side === 'buy' ? executed : -executed;
    return held;
  }

  #settle({ venue }: EngineRig): void {
    const { held } = this;
    venue.hold(held === 0 ? {} : { AAPL: String(held) }, String(10_000 - held * 10));
  }

  /** The venue works again, and time passes. */
  recover(ms: number): void {
    const { clock, venue } = this.#rig;
    this.#submits = this.#changes = 'accepted';
    venue.answers.silent.clear();
    venue.answers.delayMs = 0;
    runTo(clock, clock.now() + ms);
  }

  /** For this number of minutes, the venue applies cancels and executes market orders. */
  tradeOn(minutes: number): void {
    const { venue } = this.#rig;
    for (let minute = 0; minute < minutes; minute += 1) {
      for (const [id, order] of this.#orders) {
        const isWorking = order.status === 'NewStatus' || order.status === 'PartialFilledStatus';
        if (!isWorking) continue;
        if (this.#cancelled.has(id)) {
          order.status = 'CanceledStatus';
          venue.list(id, { status: order.status });
        } else if (order.terms.type === 'MO') this.#execute(id, order, 1);
      }
      this.recover(MINUTE_MS);
    }
  }

  #end(which: number, status: ReadStatus, pushed: boolean): void {
    const [id, order] = this.#working(which) ?? [];
    if (id === undefined || order === undefined) return;
    order.status = status;
    this.#rig.venue.list(id, { status });
    if (pushed) this.#rig.venue.push(id);
  }

  #note(step: Step): void {
    const { calls } = this.#rig.venue;
    const { records } = this;
    this.effects.push(
      ...calls.slice(this.#noted.calls).map((call) => `call ${call}`),
      ...records.slice(this.#noted.records).map((event) => `record ${JSON.stringify(encodeEvent(event))}`),
      `after ${JSON.stringify(step)}: ${this.#rig.status()}, next ${this.#rig.clock.nextAt()}`,
    );
    this.#noted = { calls: calls.length, records: records.length };
  }
}

/** The highest number of an intent or algorithm. */
const mintedIn = (events: readonly SluiceEvent[]): number =>
  Math.max(
    0,
    ...events.flatMap((event) => [...encodeEvent(event).matchAll(/"I(\d+)"/g)].map(([, n]) => Number(n))),
  );

const record = (kind: string): string => `record ${kind}`;

/** The data of a state, without its look-ups. */
const dataOf = (state: BotState) =>
  Object.fromEntries(Object.entries(state).filter(([, value]) => typeof value !== 'function'));

/** Checks a bot after each step of a session: the journal as read back must give the state of the engine. */
function journalReader(): (bot: Bot) => void {
  const fold = createFold();
  let read = 0;
  return ({ records, rig }) => {
    for (const event of records.slice(read)) fold.apply(decodeEvent(encodeEvent(event)));
    read = records.length;
    expectEqual(dataOf(fold.state), dataOf(rig.engine.state));
  };
}

/** The effects of a session. An hour after all faults are over, every share that the venue executed must be booked. */
function effectsOf({ requests, steps }: Session, afterStep?: (bot: Bot) => void): readonly string[] {
  const bot = new Bot(requests);
  for (const step of steps) {
    bot.take(step);
    afterStep?.(bot);
  }
  bot.recover(HOUR_MS);
  const holding = bot.rig.engine.state.portfolio.holdings.get(AAPL)?.quantity.toNumber() ?? 0;
  expect([bot.rig.status(), holding]).toEqual(['running', bot.held]);
  return bot.effects;
}

describe('an engine with orders, faults, commands and crashes in any order', () => {
  it('does the same in the same session, is restored by its journal after each step, and finally books every execution', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(someSession, (session) => {
        const effects = effectsOf(session, journalReader());
        expectEqual(effectsOf(session), effects);
        for (const effect of effects) {
          const kind = effect.startsWith('record')
            ? record(decodeEvent(JSON.parse(effect.slice('record '.length)) as string).kind)
            : effect.split(' ', 2).join(' ');
          seen.set(kind, (seen.get(kind) ?? 0) + 1);
        }
      }),
      { numRuns: runs },
    );
    expect([...seen.keys()]).toEqual(
      expect.arrayContaining([
        ...['order-filled', 'intent-denied', 'intent-held', 'submit-refused', 'submit-not-sent'].map(record),
        ...['submit-unknown', 'cancel-answered', 'gate-moved', 'algorithm-ended', 'operator-commanded'].map(
          record,
        ),
        ...['alarm exits-missing'],
      ]),
    );
  });
});

describe('a flatten', () => {
  /** Later steps without quotes, so that the strategy orders nothing more. */
  const somethingElse = someStep.filter((step) => !('quote' in step) && !('command' in step));
  const someFlatten = fc.record({
    session: someSession,
    command: fc.constantFrom<OperatorCommand>(
      { kind: 'flatten' },
      { kind: 'kill', flatten: true, foreign: false },
    ),
    after: fc.array(somethingElse, { maxLength: 15 }),
  });

  it('lasts until there is no position and no working order, through faults, late fills and crashes', () => {
    let [resumed, whole] = [0, 0];
    fc.assert(
      fc.property(someFlatten, ({ session: { requests, steps }, command, after }) => {
        const bot = new Bot(requests);
        for (const step of steps) bot.take(step);
        // A quote that still waits in the queue opens nothing after it.
        bot.take({ command: { kind: 'halt' } });
        const taken = (): number =>
          bot.records.filter((event) => event.kind === 'operator-commanded' && event.command === command.kind)
            .length;
        const before = taken();
        bot.take({ command });
        for (const step of after) {
          if ('restart' in step && bot.rig.engine.state.flattening.size > 0) resumed += 1;
          bot.take(step);
        }
        bot.tradeOn(60);
        // An order that was never found may execute until the operator settles it.
        for (const { intentId, facets } of [...bot.rig.engine.state.live.values()])
          if (facets.submission.kind === 'abandoned')
            bot.rig.command({ kind: 'settle', intentId, outcome: { kind: 'dead' } });
        bot.tradeOn(120);
        // Lost with the process before it was sent, and never answered.
        fc.pre(taken() > before);
        const { flattening, live, portfolio } = bot.rig.engine.state;
        // Orders whose eight cancels had no effect keep working; what they open is closed later.
        const stuck = [...live.values()].filter(({ facets }) => isOutOfReach(facets));
        // One that closes the position may still do so: a second one could sell what is not held.
        if (stuck.some(({ terms }) => terms.side === 'sell')) return;
        whole += 1;
        expect({
          status: bot.rig.status(),
          held: bot.held,
          booked: [...portfolio.holdings.keys()],
          flattening: [...flattening.keys()],
          live: [...live.values()],
        }).toEqual({
          status: 'running',
          held: 0,
          booked: [],
          flattening: stuck.length === 0 ? [] : [AAPL],
          live: stuck,
        });
      }),
      { numRuns: runs },
    );
    expect(resumed).toBeGreaterThan(0);
    expect(whole).toBeGreaterThan(runs / 2);
  });
});
