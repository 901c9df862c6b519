import type { EquityCurve } from '../events/curve/curve-input.ts';
import type { ForeignFilled } from '../events/event.ts';
import type { Decision } from '../events/run-record.ts';
import { dayOf } from '../markets/sessions.ts';
import { plural } from '../model/plural.ts';
import { marketOf } from '../model/symbol.ts';
import { millis } from '../model/time.ts';
import type { RunSetup } from './setup.ts';

const WAITS = {
  none: 'this venue only tells',
  forced: 'this venue closes everything once equity is below the forced-liquidation factors',
  'as-needed': 'this venue closes as much as is needed once equity is below the forced-liquidation factors',
  equity: 'this venue waits until equity is gone',
};

const BECAUSE = {
  none: '',
  forced: ', because equity was below the forced-liquidation factors',
  'as-needed':
    ', because equity was below the forced-liquidation factors: as much as brought maintenance margin back within it',
  equity: ', because equity was gone',
};

/** What floats may add to a share that is 1. */
const ROUNDING = 1e-9;

/**
 * What the venue's credit did in a run, one sentence each: closes under a margin call, and positions that it closed by force. Where
 * maintenance factors differ from symbol to symbol, closes count for sure only ("at least").
 */
export function marginTexts(
  setup: RunSetup,
  equity: () => EquityCurve,
  decisions: readonly Decision[],
): readonly string[] {
  return mayOwe(setup) ? [...callTexts(setup, equity()), ...closedOutTexts(setup, decisions)] : [];
}

function mayOwe({ limits, short }: RunSetup): boolean {
  return limits.useMargin || short === true;
}

/** The same of a run in which an account that may not owe can have owed: plain numbers leave for the full engine before it comes to that. */
export function owedTexts(
  setup: RunSetup,
  curve: EquityCurve,
  decisions: readonly Decision[],
): readonly string[] {
  return mayOwe(setup) ? marginTexts(setup, () => curve, decisions) : overdrawnTexts(setup, curve);
}

/**
 * Where an account that borrows nothing owed cash all the same: at an open far beyond the last price an order at the market costs more than
 * was set aside when it was sent. No venue would wait with that for long; this one does, and charges nothing.
 */
function overdrawnTexts(setup: RunSetup, curve: EquityCurve): readonly string[] {
  const overdrawn = closesWithin(curve, 1);
  const [first] = overdrawn;
  const [security] = setup.securities;
  if (first === undefined || security === undefined) return [];
  const day = dayOf(marketOf(security.symbol), millis(first));
  return [
    `CASH BELOW ZERO at ${plural(overdrawn.length, 'close')}, the first on ${day}: a fill cost more than was set aside for it when the order was sent; nothing was charged for what the account owed`,
  ];
}

function callTexts({ securities, margin }: RunSetup, curve: EquityCurve): readonly string[] {
  const called = closesWithin(curve, leastOf(securities, 'maintenance'));
  const [first] = called;
  const [security] = securities;
  if (first === undefined || security === undefined) return [];
  const day = (at: number): string => dayOf(marketOf(security.symbol), millis(at));
  const callText = `MARGIN CALL at ${countText(called, securities, 'maintenance')}, the first on ${day(first)}: maintenance margin exceeded equity, and ${WAITS[margin.closeOut]}`;
  const forced = closesWithin(curve, leastOf(securities, 'forced'));
  const [fell] = forced;
  if (margin.closeOut !== 'none' || fell === undefined) return [callText];
  const count = countText(forced, securities, 'forced');
  return [
    `${callText}; a broker closes positions by force where equity lay at ${count}, the first on ${day(fell)}`,
  ];
}

type Factor = 'maintenance' | 'forced';

function leastOf(securities: RunSetup['securities'], factor: Factor): number {
  return Math.min(...securities.map(({ margin }) => margin[factor].toNumber()));
}

/** How many closes; "at least" where the factors of the securities differ. */
function countText(closes: readonly number[], securities: RunSetup['securities'], factor: Factor): string {
  const least = leastOf(securities, factor);
  const sure = securities.some(({ margin }) => margin[factor].toNumber() > least) ? 'at least ' : '';
  return `${sure}${plural(closes.length, 'close')}`;
}

/** When equity was less than such a share of all positions. */
function closesWithin({ time, value, exposure }: EquityCurve, factor: number): readonly number[] {
  return [...time.filter((_, at) => isShort(value[at] ?? 0, (exposure[at] ?? 0) * factor))];
}

/** `used`: what a factor asks for as a share of equity, which has the sign of equity. */
function isShort(equity: number, used: number): boolean {
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
  return [`CLOSED OUT by the venue on ${day}: ${deal}${more}${BECAUSE[margin.closeOut]}`];
}
