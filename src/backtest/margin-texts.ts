import type { ForeignFilled } from '../events/recovery-events.ts';
import type { Decision, EquityCurve } from '../events/run-record.ts';
import { dayOf } from '../markets/sessions.ts';
import { marketOf } from '../model/symbol.ts';
import { millis } from '../model/time.ts';
import type { RunSetup } from './setup.ts';

const WAITS = {
  none: 'this venue only tells',
  maintenance: 'this venue closes everything at the next print',
  'as-needed': 'this venue closes as much as is needed at the next print',
  equity: 'this venue waits until equity is gone',
};

const BECAUSE = {
  none: '',
  maintenance: ', because maintenance margin exceeded equity',
  'as-needed': ', as much as brought maintenance margin back within equity',
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
  const owes = setup.limits.useMargin || setup.short === true;
  return owes ? [...callTexts(setup, equity()), ...closedOutTexts(setup, decisions)] : [];
}

function callTexts(
  { securities, margin }: RunSetup,
  { time, value, exposure }: EquityCurve,
): readonly string[] {
  const factors = securities.map((security) => security.margin.maintenance.toNumber());
  const least = Math.min(...factors);
  const called = time.filter((_, at) => isCalled(value[at] ?? 0, (exposure[at] ?? 0) * least));
  const [first] = called;
  const [security] = securities;
  if (first === undefined || security === undefined) return [];
  const sure = Math.max(...factors) > least ? 'at least ' : '';
  const day = dayOf(marketOf(security.symbol), millis(first));
  const closes = called.length === 1 ? 'close' : 'closes';
  return [
    `MARGIN CALL at ${sure}${called.length} ${closes}, the first on ${day}: maintenance margin exceeded equity, and ${WAITS[margin.closeOut]}`,
  ];
}

/** `used`: maintenance margin as a share of equity, which has the sign of equity. */
function isCalled(equity: number, used: number): boolean {
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
