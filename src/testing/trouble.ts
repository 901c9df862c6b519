import { of } from 'rxjs';
import type { BacktestOptions } from '../backtest/backtest-options.ts';
import { barsBegin } from '../backtest/setup.ts';
import { type BarColumns, lowerBound } from '../model/bar.ts';
import { barColumns } from '../model/bar-columns.ts';
import type { CorporateAction } from '../model/corporate-action.ts';
import { decimal } from '../model/decimal.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import type { Broker } from '../ports/broker.ts';
import { sendUnlessBlocked } from '../ports/send-unless-blocked.ts';

/** Faults between a bot and its market; absent fields are no faults. */
export interface Trouble {
  /** Orders that the venue rejects, counted from 1; or all of them. */
  readonly refuses?: readonly number[] | 'all';
  /** Time until an order reaches the market, in milliseconds of market time. */
  readonly ordersTakeMs?: number;
  /** Largest share of a print's volume that an order may take, above 0 and up to 1; the rest waits. */
  readonly fillsAtMost?: number;
  /** Indexes of bars that the market has and the bot never receives. */
  readonly unheard?: readonly number[];
  /** A split on a day: 2 is two shares for one. Prices are those of the moves. */
  readonly split?: { readonly symbol: SecuritySymbol; readonly day: CalendarDay; readonly ratio: number };
}

/** The venue's code for a rejected order. @see docs/wire-protocol.md, "Codes" */
const REFUSED = 602001;

/** Returns the hooks of a backtest that cause the faults; `from` is the first day of the run. */
export function hooksFor(trouble: Trouble, from: CalendarDay): BacktestOptions {
  const { refuses, unheard } = trouble;
  return {
    venue: (options) => ({
      ...options,
      corporateActions: actionsOf(trouble),
      models: {
        ...options.models,
        fills: { ...options.models.fills, participation: trouble.fillsAtMost },
        latency:
          trouble.ordersTakeMs === undefined
            ? options.models.latency
            : { kind: 'fixed', ms: trouble.ordersTakeMs },
      },
    }),
    ...(refuses === undefined ? {} : { broker: (broker: Broker) => refusing(broker, refuses) }),
    ...(unheard === undefined ? {} : { visibleBars: (bars: BarColumns) => without(bars, from, unheard) }),
  };
}

function actionsOf({ split }: Trouble): readonly CorporateAction[] {
  if (split === undefined) return [];
  const { symbol, day, ratio } = split;
  return [{ kind: 'split', symbol, exDay: day, ratio: decimal(String(ratio)) }];
}

function refusing(broker: Broker, refuses: readonly number[] | 'all'): Broker {
  let count = 0;
  return {
    ...broker,
    submit: (order) => {
      count += 1;
      if (refuses !== 'all' && !refuses.includes(count)) return broker.submit(order);
      const refused = {
        kind: 'refused',
        code: REFUSED,
        message: 'The venue does not take this order',
      } as const;
      return sendUnlessBlocked(order, () => of(refused));
    },
  };
}

function without(bars: BarColumns, from: CalendarDay, unheard: readonly number[]): BarColumns {
  const first = lowerBound(bars, barsBegin(bars, from));
  const heardIndices = Array.from(bars.time.keys()).filter((index) => !unheard.includes(index - first));
  return barColumns(bars, (figure) =>
    Float64Array.from(heardIndices, (index) => bars[figure][index] as number),
  );
}
