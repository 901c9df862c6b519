import { of } from 'rxjs';
import type { BacktestOptions } from '../backtest/backtest-options.ts';
import { barsBegin } from '../backtest/setup.ts';
import { type BarColumns, lowerBound } from '../model/bar.ts';
import { barColumns } from '../model/bar-columns.ts';
import type { CorporateAction } from '../model/corporate-action.ts';
import { decimal } from '../model/decimal.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import { beforeLeaving } from '../ports/before-leaving.ts';
import type { Broker } from '../ports/broker.ts';

/** What goes wrong between a bot and its market; absent parts are well. */
export interface Trouble {
  /** Orders that the venue refuses, counted from 1; or all of them. */
  readonly refuses?: readonly number[] | 'all';
  /** How long an order travels before the market sees it, in milliseconds of market time. */
  readonly ordersTakeMs?: number;
  /** Largest share of a print's volume that an order may take, above 0 and up to 1: the rest waits. */
  readonly fillsAtMost?: number;
  /** Bars of the run, counted from 0, that the market has and the bot never receives. */
  readonly unheard?: readonly number[];
  /** Shares are split on a day: 2 makes two of one. Prices are as the moves say. */
  readonly split?: { readonly symbol: SecuritySymbol; readonly day: CalendarDay; readonly ratio: number };
}

/** The venue's code for an order that it does not take. @see docs/wire-protocol.md, "Codes" */
const REFUSED = 602001;

/** The hooks of a backtest by which the trouble comes about; `from` is the first day of the run. */
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
      return beforeLeaving(order, () => of(refused));
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
