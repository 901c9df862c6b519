import { describe, expect, it } from 'vitest';
import type { BarColumns } from '#src/model/bar.ts';
import { barColumns } from '#src/model/bar-columns.ts';
import { decimal } from '#src/model/decimal.ts';
import type { OrderId, Side } from '#src/model/order.ts';
import { MINUTE_MS } from '#src/model/time.ts';
import { type FillModel, MARGIN_ACCOUNT, PRINT_FILLS } from '#src/simulation/models.ts';
import type { SimulatedAccount, SimulationEvent } from '#src/simulation/simulation.ts';
import { AAPL, at, type Draft, terms, world } from './world.ts';

const START = '2024-03-05T00:00:00Z';
const BARS = 800;
const PARTS = 64;
/** Standard deviation of the change within a bar. */
const SIGMA = 1;

type Random = () => number;

/** Mulberry32: equal seeds give equal numbers. */
function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Minutes of a Brownian motion around 10,000. Extremes between two parts of a bar are drawn from the Brownian bridge,
 * so that a level is crossed exactly: on a walk in steps, a stop would gain the overshoot of the step.
 */
function walk(seed: number): BarColumns {
  const random = randomFrom(seed);
  const columns = barColumns({ symbol: AAPL, period: '1m' }, () => new Float64Array(BARS));
  const part = SIGMA / Math.sqrt(PARTS);
  const digits = (price: number): number => Math.round(price * 1e6) / 1e6;
  let last = 10_000;
  for (let bar = 0; bar < BARS; bar += 1) {
    const open = digits(last + normal(random) * 0.1 * SIGMA);
    let [low, high, price] = [open, open, open];
    for (let step = 0; step < PARTS; step += 1) {
      const next = price + normal(random) * part;
      const reach = (): number => Math.sqrt((next - price) ** 2 - 2 * part ** 2 * Math.log(1 - random()));
      high = Math.max(high, (price + next + reach()) / 2);
      low = Math.min(low, (price + next - reach()) / 2);
      price = next;
    }
    last = digits(price);
    columns.time[bar] = at(START) + bar * MINUTE_MS;
    columns.open[bar] = open;
    columns.high[bar] = Math.max(open, last, digits(high));
    columns.low[bar] = Math.min(open, last, digits(low));
    columns.close[bar] = last;
    columns.volume[bar] = 1_000_000;
  }
  return columns;
}

/** Input of a rule: the index and price of the tick, and the position. */
interface Seen {
  readonly step: number;
  readonly last: number;
  readonly open: number;
  readonly low: number;
  readonly high: number;
  readonly held: number;
}

type Action = (seen: Seen, hand: Hand) => void;
/** A rule decides at each tick, and at each fill. */
interface Rule {
  readonly onTick: Action;
  readonly onFill: (side: Side) => Action;
}

/** Actions of a rule. */
interface Hand {
  send(draft: Draft): void;
  cancelAll(): void;
  moveAll(price: number): void;
}

const text = (price: number): string => price.toFixed(6);
const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');
const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

function randomAction(random: Random): Action {
  const side = pick<Side>(random, ['buy', 'sell']);
  const from = pick(random, ['last', 'open', 'low', 'high'] as const);
  const offset = pick(random, [-1, -0.5, -0.25, -0.05, 0, 0.05, 0.25, 0.5, 1]) * SIGMA;
  const level = (seen: Seen): string => text(seen[from] + offset);
  switch (Math.floor(random() * 9)) {
    case 0:
    case 1:
      return (_seen, hand) => hand.send({ side });
    case 2:
      return ({ held }, hand) => {
        if (held !== 0) hand.send({ side: held > 0 ? 'sell' : 'buy', quantity: String(Math.abs(held)) });
      };
    case 3:
      return (seen, hand) => hand.send({ side, price: level(seen) });
    case 4:
      return (seen, hand) => hand.send({ side, type: 'MIT', triggerPrice: level(seen) });
    case 5:
      return (_seen, hand) => hand.cancelAll();
    case 6:
      return (seen, hand) => hand.moveAll(seen[from] + offset);
    case 7:
      return (seen, hand) => {
        hand.send({ side, price: level(seen) });
        hand.send({
          side: opposite(side),
          type: 'MIT',
          triggerPrice: text(2 * seen[from] - Number(level(seen))),
        });
      };
    default:
      return () => undefined;
  }
}

/**
 * A rule drawn from a seed: one action for each tick of a bar, side of its open and position; and one for each fill.
 */
function randomRule(seed: number): Rule {
  const random = randomFrom(seed);
  const table = Array.from({ length: 4 * 3 * 3 }, () => randomAction(random));
  const fills = Array.from({ length: 8 }, () => randomAction(random));
  const sign = (value: number): number => Math.sign(value) + 1;
  let at = 0;
  return {
    onTick: (seen, hand) => {
      at = seen.step;
      table[seen.step * 9 + sign(seen.last - seen.open) * 3 + sign(seen.held)]?.(seen, hand);
    },
    onFill: (side) => (seen, hand) => fills[at * 2 + (side === 'buy' ? 0 : 1)]?.(seen, hand),
  };
}

/** Mean gain per bar over its standard error, which a fair game keeps near 0 for any rule. */
function score(bars: BarColumns, rule: Rule, fills: Partial<FillModel>): number {
  const { simulation, account } = world({
    bars: [bars],
    start: START,
    quotes: true,
    models: {
      fills: { ...PRINT_FILLS, hours: 'bars', checkTicks: false, checkLots: false, ...fills },
      margin: MARGIN_ACCOUNT,
    },
    accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('1000000000') }, fx: {}, short: true }],
  });
  const open = new Set<OrderId>();
  let [held, cash, worth, sum, squares] = [0, 0, 0, 0, 0];
  let seen: Seen | undefined;
  /**
   * Fills that the rule has answered at this tick; bounded, as a rule that answers each fill with another would never
   * end.
   */
  let answered = 0;
  const stepNow = (): number => ((simulation.now() - at(START)) % MINUTE_MS) / 15_000;
  const hand = handOf(account, open, () => held);
  const hear = (events: readonly SimulationEvent[]): void => {
    for (const event of events) {
      if (event.kind !== 'order') continue;
      const { detail, execution } = event.change;
      if (['FilledStatus', 'RejectedStatus', 'CanceledStatus'].includes(detail.status))
        open.delete(detail.orderId);
      if (execution === undefined) continue;
      const quantity = execution.quantity.toNumber() * (execution.side === 'buy' ? 1 : -1);
      held += quantity;
      cash -= quantity * execution.price.toNumber();
      answered += 1;
      if (seen !== undefined && answered <= 3)
        rule.onFill(execution.side)({ ...seen, step: stepNow(), held }, hand);
    }
  };
  for (;;) {
    const [own, print] = [simulation.nextVenueEventAt(), simulation.nextPrintAt()];
    if (Math.min(own, print) === Number.POSITIVE_INFINITY) break;
    if (own <= print) {
      hear(simulation.stepVenueEvent());
      continue;
    }
    answered = 0;
    const events = simulation.stepPrint();
    hear(events);
    const quote = events.find((event) => event.kind === 'quote')?.quote;
    if (quote === undefined) continue;
    const last = quote.last.toNumber();
    const step = stepNow();
    const before = step === 0 || seen === undefined ? { open: last, low: last, high: last } : seen;
    seen = {
      ...{ step, last, open: before.open, held },
      ...{ low: Math.min(before.low, last), high: Math.max(before.high, last) },
    };
    rule.onTick(seen, hand);
    if (step !== 3) continue;
    const gain = cash + held * last - worth;
    worth += gain;
    sum += gain;
    squares += gain ** 2;
  }
  return squares === 0 ? 0 : sum / Math.sqrt(squares);
}

function handOf(account: SimulatedAccount, open: Set<OrderId>, held: () => number): Hand {
  return {
    send(draft) {
      const isOver = Math.abs(held()) >= 300 && held() > 0 === (draft.side === 'buy');
      if (open.size >= 4 || isOver) return;
      const answer = account.submit(terms(draft), '');
      if (answer.kind === 'accepted') open.add(answer.orderId);
    },
    cancelAll() {
      for (const id of open) account.cancel(id);
    },
    moveAll(price) {
      for (const id of open) {
        const detail = account.order(id);
        if (detail === undefined || detail.terms.type === 'MO') continue;
        const { quantity, type } = detail.terms;
        account.replace(id, {
          quantity,
          ...(type === 'LO' ? { price: decimal(text(price)) } : { triggerPrice: decimal(text(price)) }),
        });
      }
    },
  };
}

const best = (scores: readonly number[]): number => scores.toSorted((one, other) => other - one)[0] ?? 0;

const NOTHING: Action = () => undefined;
const flatten: Action = ({ held }, hand) => {
  hand.cancelAll();
  if (held !== 0) hand.send({ side: held > 0 ? 'sell' : 'buy', quantity: String(Math.abs(held)) });
};
const around = (open: number, offset: number): string => text(open + offset * SIGMA);

/**
 * Rules that try to profit from the order of the four ticks: each enters at the open tick and is flat again at the
 * next.
 */
const WRITTEN: Readonly<Record<string, Rule>> = {
  'buys each low and sells each high': {
    onTick: ({ step, last, open, held }, hand) => {
      if (step === 0 || step === 3) return;
      if (last < open && held <= 0) hand.send({ side: 'buy', quantity: held === 0 ? '100' : '200' });
      if (last > open && held >= 0) hand.send({ side: 'sell', quantity: held === 0 ? '100' : '200' });
    },
    onFill: () => NOTHING,
  },
  'keeps a limit order only where the low comes first': {
    onTick: (seen, hand) => {
      if (seen.step === 0) flatten(seen, hand);
      if (seen.step === 0) hand.send({ side: 'buy', price: around(seen.open, -0.3) });
      if (seen.step === 1 && seen.last > seen.open) hand.cancelAll();
    },
    onFill: () => NOTHING,
  },
  'breaks out with a stop on each side, and cancels the other at the fill': {
    onTick: (seen, hand) => {
      if (seen.step !== 0) return;
      flatten(seen, hand);
      hand.send({ side: 'buy', type: 'MIT', triggerPrice: around(seen.open, 0.4) });
      hand.send({ side: 'sell', type: 'MIT', triggerPrice: around(seen.open, -0.4) });
    },
    onFill: () => (seen, hand) => (seen.step === 0 ? undefined : hand.cancelAll()),
  },
  'sends a target at the other extreme when a limit order fills': {
    onTick: (seen, hand) => {
      if (seen.step !== 0) return;
      flatten(seen, hand);
      hand.send({ side: 'buy', price: around(seen.open, -0.4) });
    },
    onFill: () => (seen, hand) =>
      seen.step > 0 && seen.held > 0 ? hand.send({ side: 'sell', price: around(seen.open, 0.4) }) : undefined,
  },
  'trails a stop': {
    onTick: (seen, hand) => {
      if (seen.step !== 0) return;
      flatten(seen, hand);
      hand.send({ side: 'buy' });
    },
    onFill: (side) => (seen, hand) =>
      side === 'buy' && seen.held > 0
        ? hand.send({ side: 'sell', type: 'TSLPAMT', trailingAmount: text(0.3), limitOffset: '5' })
        : undefined,
  },
  'trails a working stop': {
    onTick: (seen, hand) => {
      if (seen.step !== 0) return;
      hand.cancelAll();
      if (seen.held < 100) hand.send({ side: 'buy' });
      hand.send({ side: 'sell', type: 'TSLPAMT', trailingAmount: text(0.5), limitOffset: '5' });
    },
    onFill: () => NOTHING,
  },
};

/**
 * Of sixteen random rules one scores beyond 4 once in two thousand draws of the walk; rules that profit score far
 * beyond it.
 */
const BOUND = 4;

describe('a rule that reads the four ticks of each bar of a random walk', () => {
  const bars = walk(5);

  it.each(['nearer-first', 'low-first', 'high-first'] as const)(
    'earns nothing from their order, whatever it was written to do (%s)',
    (path) => {
      const scores = Object.entries(WRITTEN).map(
        ([name, rule]) => [name, score(bars, rule, { path })] as const,
      );
      expect(scores.filter(([, earned]) => earned > BOUND)).toEqual([]);
    },
  );

  it('earns nothing if its decisions are random', () => {
    const scores = Array.from({ length: 16 }, (_, seed) => score(bars, randomRule(seed), {}));
    expect(scores.filter((earned) => earned > BOUND)).toEqual([]);
  });

  it('earns if orders match the current tick, which is why that must be configured', () => {
    const optimistic = (rule: Rule): number => score(bars, rule, { insideBars: 'tick' });
    const written = Object.entries(WRITTEN).filter(([, rule]) => optimistic(rule) > BOUND);
    expect(written.map(([name]) => name)).toEqual([
      'buys each low and sells each high',
      'keeps a limit order only where the low comes first',
      'trails a stop',
      'trails a working stop',
    ]);
    expect(best(Array.from({ length: 8 }, (_, seed) => optimistic(randomRule(seed))))).toBeGreaterThan(BOUND);
  });
});
