import type { EquityCurve } from '../events/curve/curve-input.ts';
import type { ForeignFilled } from '../events/event.ts';
import type { Decision } from '../events/run-record.ts';
import { dayOf } from '../markets/sessions.ts';
import { plural } from '../model/plural.ts';
import { marketOf } from '../model/symbol.ts';
import { millis } from '../model/time.ts';
import type { RunSetup } from './setup.ts';

const WHEN_CLOSED_OUT = {
  none: 'this venue only tells',
  forced: 'this venue closes everything once equity is below the forced-liquidation factors',
  'as-needed': 'this venue closes as much as is needed once equity is below the forced-liquidation factors',
  equity: 'this venue waits until equity is gone',
};

const WHY_CLOSED_OUT = {
  none: '',
  forced: ', because equity was below the forced-liquidation factors',
  'as-needed':
    ', because equity was below the forced-liquidation factors: as much as brought maintenance margin back within it',
  equity: ', because equity was gone',
};

/** Tolerance for float64 errors in a share of 1. */
const ROUNDING = 1e-9;

/**
 * Returns sentences on closes under a margin call and on forced liquidations. If maintenance factors differ between
 * symbols, the number of closes is a lower bound ("at least").
 */
export function marginTexts(
  setup: RunSetup,
  equity: () => EquityCurve,
  decisions: readonly Decision[],
): readonly string[] {
  return canOweCash(setup) ? [...callTexts(setup, equity()), ...closedOutTexts(setup, decisions)] : [];
}

function canOweCash({ limits, short }: RunSetup): boolean {
  return limits.useMargin || short === true;
}

/**
 * Returns the same texts, or for an account without credit, whether it owed cash. Such runs always use the full
 * engine.
 */
export function owedTexts(
  setup: RunSetup,
  curve: EquityCurve,
  decisions: readonly Decision[],
): readonly string[] {
  return canOweCash(setup) ? marginTexts(setup, () => curve, decisions) : overdrawnTexts(setup, curve);
}

/**
 * Returns a warning if an account without credit owed cash, because a market order cost more than was reserved. The
 * simulated venue tolerates this without charges.
 */
function overdrawnTexts(setup: RunSetup, curve: EquityCurve): readonly string[] {
  const overdrawn = closesBelow(curve, 1);
  const [first] = overdrawn;
  const [security] = setup.securities;
  if (first === undefined || security === undefined) return [];
  const day = dayOf(marketOf(security.symbol), millis(first));
  return [
    `CASH BELOW ZERO at ${plural(overdrawn.length, 'close')}, the first on ${day}: a fill cost more than was set aside for it when the order was sent; nothing was charged for what the account owed`,
  ];
}

function callTexts({ securities, margin }: RunSetup, curve: EquityCurve): readonly string[] {
  const called = closesBelow(curve, lowestFactor(securities, 'maintenance'));
  const [first] = called;
  const [security] = securities;
  if (first === undefined || security === undefined) return [];
  const day = (at: number): string => dayOf(marketOf(security.symbol), millis(at));
  const callText = `MARGIN CALL at ${countText(called, securities, 'maintenance')}, the first on ${day(first)}: maintenance margin exceeded equity, and ${WHEN_CLOSED_OUT[margin.closeOut]}`;
  const forced = closesBelow(curve, lowestFactor(securities, 'forced'));
  const [firstForced] = forced;
  if (margin.closeOut !== 'none' || firstForced === undefined) return [callText];
  const count = countText(forced, securities, 'forced');
  return [
    `${callText}; a broker closes positions by force where equity lay at ${count}, the first on ${day(firstForced)}`,
  ];
}

type Factor = 'maintenance' | 'forced';

function lowestFactor(securities: RunSetup['securities'], factor: Factor): number {
  return Math.min(...securities.map(({ margin }) => margin[factor].toNumber()));
}

/** Formats the number of closes, with "at least" if the factors of the securities differ. */
function countText(closes: readonly number[], securities: RunSetup['securities'], factor: Factor): string {
  const least = lowestFactor(securities, factor);
  const atLeast = securities.some(({ margin }) => margin[factor].toNumber() > least) ? 'at least ' : '';
  return `${atLeast}${plural(closes.length, 'close')}`;
}

/** Returns the times at which equity was below a share of gross position value. */
function closesBelow({ time, value, exposure }: EquityCurve, factor: number): readonly number[] {
  return [...time.filter((_, at) => isBelowRequirement(value[at] ?? 0, (exposure[at] ?? 0) * factor))];
}

/** `used` is the requirement as a share of equity, with the sign of equity. */
function isBelowRequirement(equity: number, used: number): boolean {
  return used > 1 + ROUNDING || used < 0 || equity < 0;
}

function closedOutTexts({ margin }: RunSetup, decisions: readonly Decision[]): readonly string[] {
  if (margin.closeOut === 'none') return [];
  const fills = decisions.filter((decision): decision is ForeignFilled => decision.kind === 'foreign-filled');
  const [first] = fills;
  if (first === undefined) return [];
  const { symbol, side, quantity, price } = first.fill;
  const day = dayOf(marketOf(symbol), first.at);
  const deal = `${side === 'sell' ? 'sold' : 'bought'} ${quantity} of ${symbol} at ${price}`;
  const more = fills.length === 1 ? '' : ` and ${fills.length - 1} more like it`;
  return [`CLOSED OUT by the venue on ${day}: ${deal}${more}${WHY_CLOSED_OUT[margin.closeOut]}`];
}
