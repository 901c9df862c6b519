import { isCostKnown, unrealisedGain } from '../../reports/unrealised-gain.ts';
import type { BotSnapshot, WorkingLevel } from '../bot-follower.ts';
import type { LivePrices } from '../bot-source.ts';
import { figure, percent, priceText } from './format.ts';
import { statusText } from './names.ts';
import { t } from './text.ts';

/** A working order by its price and its distance from the newest one, such as "stop: sell 100 at 180.00 (-2.10% from the price)". */
export function levelText({ kind, side, open, price, trail }: WorkingLevel, last?: number): string {
  const what = `${t(`level-${kind}`)}: ${statusText(side)} ${figure(open)}`;
  if (trail !== null) return t('level-trail', what, trail);
  if (price === null) return what;
  const at = t('level-at', what, priceText(price));
  return last === undefined ? at : t('level-distance', at, percent(Number(price) / last - 1, true));
}

/** Current value of a position: its gain, in the currency of the symbol, and the age of the price. */
interface Valued {
  readonly price: number;
  /** Undefined if the cost is not known. */
  readonly gain: number | undefined;
  /** As a share of the cost. */
  readonly gainShare: number | undefined;
  readonly currency: string;
  readonly ageMs: number;
}

/** A position at the newest price; undefined without one. */
export function valued(
  position: BotSnapshot['positions'][number],
  prices: LivePrices | undefined,
): Valued | undefined {
  const mark = prices?.marks.find((each) => each.symbol === position.symbol);
  if (mark === undefined || mark.price === null || mark.ageMs === null) return undefined;
  const { price, ageMs, currency } = mark;
  const cost = Number(position.cost);
  const direction = position.quantity.startsWith('-') ? -1 : 1;
  const gainShare = isCostKnown(position) && cost > 0 ? direction * (price / cost - 1) : undefined;
  return { price, ageMs, currency, gain: unrealisedGain(position, price), gainShare };
}

/** Working orders that would close a position, or part of it: its stops and targets. */
export function exitsOf(
  { symbol, quantity }: BotSnapshot['positions'][number],
  levels: readonly WorkingLevel[],
): readonly WorkingLevel[] {
  const side = quantity.startsWith('-') ? 'buy' : 'sell';
  return levels.filter((level) => level.symbol === symbol && level.side === side);
}
