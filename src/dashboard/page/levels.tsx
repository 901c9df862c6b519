import { unrealisedGain } from '../../reports/unrealised-gain.ts';
import type { BotSnapshot, WorkingLevel } from '../bot-follower.ts';
import type { LivePrices } from '../bot-source.ts';
import { figure } from './format.ts';
import { statusText } from './names.ts';
import { t } from './text.ts';

/** A working order by its price, such as "stop: sell 100 at 180". */
export function levelText({ kind, side, open, price }: WorkingLevel): string {
  const what = `${t(`level-${kind}`)}: ${statusText(side)} ${figure(open)}`;
  return price === null ? what : t('level-at', what, figure(price));
}

/** Current value of a position: its gain, in the currency of the symbol, and the age of the price. */
interface Valued {
  readonly price: number;
  /** Undefined if the cost is not known. */
  readonly gain: number | undefined;
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
  return { price, ageMs, currency, gain: unrealisedGain(position, price) };
}

/** Working orders that would close a position, or part of it: its stops and targets. */
export function exitsOf(
  { symbol, quantity }: BotSnapshot['positions'][number],
  levels: readonly WorkingLevel[],
): readonly WorkingLevel[] {
  const side = quantity.startsWith('-') ? 'buy' : 'sell';
  return levels.filter((level) => level.symbol === symbol && level.side === side);
}
