import { calendarDay } from '../../src/model/time.ts';
import { US_WALK, type Walk, walkBars, walkSecurity } from '../walk-bars.ts';
import type { ShapeMarket } from './shape.ts';

const SEED = 42;
/**
 * The first day is late enough that charges change within a year, and early enough that a million minutes end before
 * the calendar does.
 */
const WALK: Walk = { ...US_WALK, firstDay: calendarDay('2013-01-02') };

/** Minute bars of one generated New York share. */
export function usMarket(bars: number): ShapeMarket {
  const security = walkSecurity('WALK', SEED);
  return { securities: [security], history: [walkBars(bars, SEED, security.symbol, WALK)] };
}
