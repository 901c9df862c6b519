import type { IntentDrafted } from '../events/event.ts';
import type { Decision } from '../events/run-record.ts';
import { barClose } from '../markets/bar-span.ts';
import { dayOf } from '../markets/sessions.ts';
import { lowerBound } from '../model/bar.ts';
import { plural } from '../model/plural.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis } from '../model/time.ts';
import { DEFAULT_RULES } from '../simulation/rules.ts';
import type { RunSetup } from './setup.ts';

/** Events that can occur inside a bar. */
const INSIDE_BAR_EVENTS: ReadonlySet<string> = new Set(['quote', 'fill', 'order', 'timer']);

/**
 * Returns a warning if a strategy decided on orders inside a bar of their symbol, of which only four ticks are known.
 */
export function insideBarTexts(setup: RunSetup, decisions: readonly Decision[]): readonly string[] {
  const drafted = decisions.filter((each): each is IntentDrafted => each.kind === 'intent-drafted');
  const inside = drafted.filter((each) => INSIDE_BAR_EVENTS.has(each.cause.kind) && isInsideBar(setup, each));
  const [first] = inside;
  return insideBarText(setup, {
    inside: inside.length,
    orders: drafted.length,
    first: first && { symbol: first.terms.symbol, at: first.at },
  });
}

/** Number of orders decided inside a bar of their symbol, and of all orders. */
export interface DecidedInside {
  readonly inside: number;
  readonly orders: number;
  readonly first: { readonly symbol: SecuritySymbol; readonly at: Millis } | undefined;
}

/** Returns the warning for a number of orders. */
export function insideBarText(
  { rules = DEFAULT_RULES }: Pick<RunSetup, 'rules'>,
  { inside, orders, first }: DecidedInside,
): readonly string[] {
  const { fills } = rules;
  if (fills.matching.kind !== 'prints' || first === undefined) return [];
  const count = `${inside} of ${plural(orders, 'order')}`;
  const day = dayOf(marketOf(first.symbol), first.at);
  const matchText =
    fills.insideBars === 'tick'
      ? 'they met the tick that stood, which may be an extreme that no market announces'
      : 'they met the close tick of the bar at the earliest, at its own price, and none of its extremes';
  return [`DECIDED INSIDE BARS: ${count}, the first on ${day}; ${matchText}. Shorter bars tell more`];
}

function isInsideBar({ history }: RunSetup, { at, terms }: IntentDrafted): boolean {
  const bars = history.find(({ symbol }) => symbol === terms.symbol);
  const bar = bars === undefined ? -1 : lowerBound(bars, at + 1) - 1;
  if (bars === undefined || bar < 0) return false;
  return at < barClose(marketOf(bars.symbol), bars.period, millis(bars.time[bar] as number));
}
