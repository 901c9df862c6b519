import type { EquityCurve } from '../../events/run-record.ts';
import { NEVER } from '../../model/time.ts';
import type { HeldRows } from './held-log.ts';
import type { Lane } from './lane.ts';

/** What a curve reads of one security's bars. */
type Line = Pick<Lane, 'closes'> & { readonly columns: Pick<Lane['columns'], 'close' | 'length'> };

/**
 * Equity after each instant at which bars closed, over the bars from `firstBars` on: to the last bit what
 * `equityOverColumns` makes of the same holdings, as it adds in the same order.
 */
export function equityOfHoldings(
  lines: readonly Line[],
  firstBars: readonly number[],
  held: HeldRows,
): EquityCurve {
  const [only] = lines;
  const first = firstBars[0] ?? 0;
  return lines.length === 1 && only !== undefined
    ? equityOfOne(only, first, held)
    : equityOfMany(lines, firstBars, held);
}

/** Of a single security each stretch between two changes is one loop. */
function equityOfOne({ columns, closes }: Line, first: number, held: HeldRows): EquityCurve {
  const time = closes.subarray(first);
  const close = columns.close.subarray(first);
  const size = time.length;
  const [value, exposure] = [new Float64Array(size), new Float64Array(size)];
  let row = 0;
  for (let change = 0; change < held.length; change += 1) {
    const until = change + 1 < held.length ? (held.from[change + 1] as number) : NEVER;
    const cash = held.cash[change] as number;
    const quantity = held.quantity[change] as number;
    if (quantity === 0) {
      for (; row < size && (time[row] as number) < until; row += 1) value[row] = cash;
      continue;
    }
    for (; row < size && (time[row] as number) < until; row += 1) {
      const worth = quantity * (close[row] as number);
      const equity = cash + worth;
      value[row] = equity;
      exposure[row] = equity > 0 ? Math.abs(worth) / equity : 0;
    }
  }
  return { time, value, exposure };
}

function equityOfMany(lines: readonly Line[], firstBars: readonly number[], held: HeldRows): EquityCurve {
  const cursors = new Cursors(lines, firstBars);
  const { price } = cursors;
  const size = cursors.left;
  const [time, value, exposure] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  const quantity = new Float64Array(lines.length);
  /** Places of what is held, in the order in which it came to be held. */
  const holdings: number[] = [];
  let [cash, change, length] = [held.cash[0] as number, 0, 0];
  for (let at = cursors.step(); at !== NEVER; at = cursors.step()) {
    for (; change < held.length && (held.from[change] as number) <= at; change += 1) {
      cash = held.cash[change] as number;
      hold(held.place[change] as number, held.quantity[change] as number, quantity, holdings);
    }
    let equity = cash;
    let gross = 0;
    for (let index = 0; index < holdings.length; index += 1) {
      const place = holdings[index] as number;
      const worth = (quantity[place] as number) * (price[place] as number);
      equity += worth;
      gross += Math.abs(worth);
    }
    time[length] = at;
    value[length] = equity;
    exposure[length] = equity > 0 ? gross / equity : 0;
    length += 1;
  }
  if (length === size) return { time, value, exposure };
  return { time: time.slice(0, length), value: value.slice(0, length), exposure: exposure.slice(0, length) };
}

function hold(place: number, now: number, quantity: Float64Array, holdings: number[]): void {
  const before = quantity[place] as number;
  quantity[place] = now;
  if (before === 0 && now !== 0) holdings.push(place);
  else if (before !== 0 && now === 0) holdings.splice(holdings.indexOf(place), 1);
}

/** How far each line has been gone through, from one instant at which bars close to the next. */
class Cursors {
  /** Bars ahead of all of them. */
  readonly left: number;
  /** Close of each line's newest bar; NaN before its first. */
  readonly price: Float64Array;
  readonly #lines: readonly Line[];
  /** Each line's next bar, and when it closes. */
  readonly #bar: Int32Array;
  readonly #next: Float64Array;

  constructor(lines: readonly Line[], firstBars: readonly number[]) {
    this.#lines = lines;
    this.#bar = Int32Array.from(lines, (_, place) => firstBars[place] ?? 0);
    this.#next = Float64Array.from(lines, ({ closes }, place) => closes[this.#bar[place] as number] ?? NEVER);
    this.price = Float64Array.from(lines, ({ columns }, place) => {
      return columns.close[(this.#bar[place] as number) - 1] ?? Number.NaN;
    });
    this.left = lines.reduce(
      (sum, { closes }, place) => sum + closes.length - (this.#bar[place] as number),
      0,
    );
  }

  /** Goes to the next instant, and returns it; NEVER behind the last. */
  step(): number {
    const next = this.#next;
    let at: number = NEVER;
    for (let place = 0; place < next.length; place += 1)
      if ((next[place] as number) < at) at = next[place] as number;
    if (at === NEVER) return NEVER;
    for (let place = 0; place < next.length; place += 1) if (next[place] === at) this.#take(place);
    return at;
  }

  #take(place: number): void {
    const { columns, closes } = this.#lines[place] as Line;
    const bar = this.#bar[place] as number;
    this.price[place] = columns.close[bar] as number;
    this.#bar[place] = bar + 1;
    this.#next[place] = bar + 1 < closes.length ? (closes[bar + 1] as number) : NEVER;
  }
}
