import { dayOf } from '../markets/sessions.ts';
import { isOnTick, tickLadder } from '../markets/ticks.ts';
import type { BarColumns } from '../model/bar.ts';
import { Decimal } from '../model/decimal.ts';
import type { Security } from '../model/security.ts';
import { marketOf } from '../model/symbol.ts';
import type { CalendarDay, Millis } from '../model/time.ts';
import type { RowFinding } from './check.ts';

const PRICES = ['open', 'high', 'low', 'close'] as const;

/**
 * Distance from a whole number of ticks, in ticks, within which a price counts as on the tick; beyond it Decimal
 * decides.
 */
const NEAR_TICK = 1e-9;

/** Finds prices off the tick ladder in force on their day; names the first such price of each bar. */
export function* findOffTick(columns: BarColumns, security: Security): Generator<RowFinding> {
  const market = marketOf(columns.symbol);
  let day: CalendarDay | undefined;
  let bands: readonly Band[] = [];
  for (let row = 0; row < columns.length; row++) {
    const today = dayOf(market, columns.time[row] as Millis);
    if (today !== day) {
      day = today;
      bands = tickLadder({ market, kind: security.kind }, today).map(({ from, tick }) => ({
        from: Number(from),
        tick: Number(tick),
        exact: tick,
      }));
    }
    for (const name of PRICES) {
      const price = columns[name][row] as number;
      const band = bands.findLast(({ from }) => price >= from) ?? bands[0];
      if (band === undefined || isOn(price, band)) continue;
      const message = `${name} ${price} is not a multiple of the tick size ${band.exact} in force on ${day}`;
      yield { kind: 'off-tick', row, message };
      break;
    }
  }
}

interface Band {
  readonly from: number;
  readonly tick: number;
  readonly exact: Decimal;
}

function isOn(price: number, band: Band): boolean {
  const ticks = price / band.tick;
  if (Math.abs(ticks - Math.round(ticks)) <= NEAR_TICK) return true;
  return isOnTick(new Decimal(String(price)), band.exact);
}
