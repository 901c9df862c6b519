import type { AlgorithmSpec, ExitLevel, Exits, TargetHolding } from '../model/algorithm.ts';
import type { Decimal } from '../model/decimal.ts';
import { plural } from '../model/plural.ts';
import { unreachable } from '../model/unreachable.ts';
import { termsText } from './terms-text.ts';

/** Describes the request of an algorithm. */
export function specText(spec: AlgorithmSpec): string {
  switch (spec.kind) {
    case 'bracket':
      return `${termsText(spec.entry)}, ${exitsText(spec.exits)}`;
    case 'oco':
      return `one of ${spec.legs.map(termsText).join(' or ')}`;
    case 'slices':
      return `${spec.style}: ${termsText(spec.order)} in ${plural(spec.slices.length, 'part')}`;
    case 'chase':
      return `chase: ${termsText(spec.order)}, no farther than ${spec.bound}, then ${spec.atEnd}`;
    case 'rebalance': {
      const held = spec.holdings.filter(({ weight }) => weight !== 0);
      const zeroWeights = spec.holdings.flatMap(({ symbol, weight }) => (weight === 0 ? [symbol] : []));
      const [what, rest] = [held.map(holdingText).join(', '), zeroWeights.join(', ')];
      const [band] = held.flatMap((holding) => holding.band ?? []);
      const within = band === undefined ? '' : `, unless within ${percentOf(band)}`;
      return `rebalance to ${what === '' ? 'nothing' : what}${within}${rest === '' ? '' : `; without ${rest}`}`;
    }
    default:
      return unreachable(spec);
  }
}

function holdingText({ symbol, weight }: TargetHolding): string {
  return `${percentOf(weight)} ${symbol}`;
}

function percentOf(share: number): string {
  return `${Math.round(share * 10_000) / 100}%`;
}

function exitsText({ stop, target, trail, breakEven, afterMs, beforeCloseMs }: Exits): string {
  const parts = [
    ...(stop === undefined ? [] : [`stop ${levelText(stop)}`]),
    ...(target === undefined ? [] : [`target ${levelText(target)}`]),
    ...(trail === undefined ? [] : [`trailing by ${levelText(trail)}`]),
    ...(breakEven === undefined ? [] : [`break-even from ${levelText(breakEven)} on`]),
    ...(afterMs === undefined ? [] : [`out after ${afterMs / 60_000} min`]),
    ...(beforeCloseMs === undefined ? [] : [`out ${beforeCloseMs / 60_000} min before the session ends`]),
  ];
  return parts.join(', ');
}

/** Leaves out the binary rest of a computed figure: 0.3, not 0.30000000000000426. */
function figureText(figure: Decimal): string {
  return figure.toDecimalPlaces(8).toString();
}

function levelText(level: ExitLevel): string {
  switch (level.kind) {
    case 'price':
      return figureText(level.price);
    case 'amount':
      return `${figureText(level.amount)} a share`;
    case 'percent':
      return `${figureText(level.percent)}%`;
    default:
      return unreachable(level);
  }
}
