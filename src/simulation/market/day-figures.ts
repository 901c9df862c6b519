import { dayOf, midnightOf } from '../../markets/sessions.ts';
import { lowerBound } from '../../model/bar.ts';
import { PRINTS_PER_BAR } from './prints.ts';
import { barOf, type PrintIndex, stepOf, type Tape } from './tape.ts';

/** Figures of the exchange's day up to and including one print. */
interface DayFigures {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  /** Shares. */
  readonly volume: number;
}

interface RunningDay {
  open: number;
  high: number;
  low: number;
  volume: number;
  day: string;
  upTo: PrintIndex;
}

export class DayTally {
  readonly #tape: Tape;
  #running: RunningDay | undefined;

  constructor(tape: Tape) {
    this.#tape = tape;
  }

  at(index: PrintIndex): DayFigures {
    const tape = this.#tape;
    const day = dayOf(tape.market, tape.time(index));
    const known = this.#running;
    const running =
      known !== undefined && known.day === day && known.upTo <= index ? known : this.#startDay(index, day);
    while (running.upTo < index && !endsBar(running.upTo)) add(running, tape, tape.next(running.upTo));
    if (!tape.isLive) addBars(running, tape, barOf(index));
    while (running.upTo < index) add(running, tape, tape.next(running.upTo));
    this.#running = running;
    const { open, high, low, volume } = running;
    return { open, high, low, volume };
  }

  #startDay(index: PrintIndex, day: ReturnType<typeof dayOf>): RunningDay {
    const tape = this.#tape;
    const opened = lowerBound(tape.columns, midnightOf(tape.market, day)) * PRINTS_PER_BAR;
    const upTo = Math.min(opened, index);
    const price = tape.price(upTo);
    return { open: price, high: price, low: price, volume: tape.volume(upTo), day, upTo };
  }
}

function add(running: RunningDay, tape: Tape, index: PrintIndex): void {
  const price = tape.price(index);
  running.high = Math.max(running.high, price);
  running.low = Math.min(running.low, price);
  running.volume += tape.volume(index);
  running.upTo = index;
}

function endsBar(index: PrintIndex): boolean {
  return stepOf(index) === PRINTS_PER_BAR - 1;
}

/**
 * Adds all prints of the bars up to `end`, exclusive, at once: they visit a bar's four prices and sum to its volume.
 * Not valid for live prices.
 */
function addBars(running: RunningDay, tape: Tape, end: number): void {
  for (let bar = barOf(running.upTo) + 1; bar < end; bar += 1) {
    const { open, high, low, close, volume } = tape.figures(bar);
    running.high = Math.max(running.high, open, high, low, close);
    running.low = Math.min(running.low, open, high, low, close);
    running.volume += volume;
    running.upTo = bar * PRINTS_PER_BAR + PRINTS_PER_BAR - 1;
  }
}
