import type { Cause } from '../events/cause.ts';
import { doubleOfDecimal } from '../model/amount.ts';
import type { Bar } from '../model/bar.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { unreachable } from '../model/unreachable.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';

/**
 * The event that caused the strategy's decision, with the figures it saw, for the journal and for `why`; of bars that
 * closed together, those of the symbol that it decided on.
 */
export function causeOf(event: StrategyEvent, about: SecuritySymbol): Cause {
  const { kind, time } = event;
  switch (event.kind) {
    case 'signal':
      return {
        kind: event.kind,
        name: event.name,
        symbol: event.symbol,
        time,
        inputs: { ...event.values, close: event.close },
      };
    case 'bar':
      return {
        kind: event.kind,
        name: event.bar.period,
        symbol: event.symbol,
        time,
        inputs: figuresOf(event.bar),
      };
    case 'bars': {
      const bar = event.bars.find(({ symbol }) => symbol === about);
      const inputs = { ...(bar === undefined ? {} : figuresOf(bar)), bars: event.bars.length };
      return { kind, name: event.bars[0]?.period ?? 'bars', symbol: bar?.symbol, time, inputs };
    }
    case 'quote':
      return {
        kind: event.kind,
        name: 'quote',
        symbol: event.symbol,
        time,
        inputs: { last: doubleOfDecimal(event.quote.last) },
      };
    case 'fill': {
      const { side, price, quantity } = event.fill;
      const inputs = { price: doubleOfDecimal(price), quantity: doubleOfDecimal(quantity) };
      return { kind: event.kind, name: side, symbol: event.symbol, time, inputs };
    }
    case 'order':
      return { kind: event.kind, name: event.outcome, symbol: event.symbol, time, inputs: {} };
    case 'timer':
      return { kind, name: event.name, symbol: undefined, time, inputs: {} };
    case 'start':
    case 'stop':
      return { kind: event.kind, name: kind, symbol: undefined, time, inputs: {} };
    default:
      return unreachable(event);
  }
}

function figuresOf({ open, high, low, close, volume }: Bar): Cause['inputs'] {
  return { open, high, low, close, volume };
}
