import type { RunRecord } from '../events/run-record.ts';
import { Decimal, type Quantity, ZERO } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import { contractSize } from '../model/option-symbol.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { countText, equityFigure, moneyText, TEXT_COLUMNS } from './format.ts';
import type { Performance } from './performance.ts';
import type { OpenTrade } from './trades.ts';

/** Profit of one traded symbol, in its security's currency. */
export interface SymbolProfit {
  readonly symbol: SecuritySymbol;
  readonly currency: Currency;
  /** Number of closed trades. */
  readonly trades: number;
  /** Signed quantity at the end; 0 when flat. */
  readonly quantity: Quantity;
  /** Profit of what was closed, before fees, with dividends; costs that are not known are not counted. */
  readonly realized: Decimal;
  /** Profit of the open position at the last close, before fees; undefined if its price or cost is not known. */
  readonly unrealized: Decimal | undefined;
  readonly fees: Decimal;
  /** Realized and unrealized profit less fees; undefined if the latter is not known. */
  readonly profit: Decimal | undefined;
}

export const SYMBOL_DEFINITION =
  'By symbol: realized profit is before fees, with dividends; unrealized profit is that of the open position at the last close; profit is both less fees. Interest and fees for borrowed shares are of no symbol';

/** Returns the traded symbols, in the config's order. */
export function symbolProfits(record: RunRecord, { trades }: Performance): readonly SymbolProfit[] {
  const open = new Map(trades.open.map((trade) => [trade.symbol, trade]));
  const closed = trades.closedBySymbol();
  const symbols = new Set([
    ...record.securities.map(({ symbol }) => symbol),
    ...closed.keys(),
    ...open.keys(),
  ]);
  return [...symbols].flatMap((symbol): readonly SymbolProfit[] => {
    const [done, held] = [closed.get(symbol), open.get(symbol)];
    const currency = done?.currency ?? held?.currency;
    if (currency === undefined) return [];
    const realized = (done?.realized ?? ZERO).plus(held?.realized ?? ZERO);
    const fees = (done?.fees ?? ZERO).plus(held?.fees ?? ZERO);
    const unrealized = held === undefined ? ZERO : unrealizedOf(held, record);
    return [
      {
        ...{ symbol, currency, trades: done?.count ?? 0, realized, unrealized, fees },
        quantity: held === undefined ? ZERO : signedQuantity(held),
        profit: unrealized?.plus(realized).minus(fees),
      },
    ];
  });
}

/**
 * Returns the last close of an open position's symbol, for a bot on an account the newest of its bars; undefined if
 * it is not known, as for a bot that was killed.
 */
export function lastPriceOf(
  { symbol }: Pick<OpenTrade, 'symbol'>,
  { bounds, keptPrices = [] }: RunRecord,
): Decimal | undefined {
  const newest = keptPrices.find((kept) => kept.symbol === symbol)?.bars.at(-1);
  const price = bounds?.prices.get(symbol) ?? newest?.[CLOSE];
  return price === undefined ? undefined : new Decimal(price);
}

/** Place of the close in a bar. */
const CLOSE = 4;

/** Returns the profit of an open position at the last close, before fees; undefined if its price or cost is not known. */
export function unrealizedOf(trade: OpenTrade, record: RunRecord): Decimal | undefined {
  const price = lastPriceOf(trade, record);
  if (price === undefined || trade.averageCost === undefined) return undefined;
  return price.minus(trade.averageCost).times(signedQuantity(trade)).times(contractSize(trade.symbol));
}

function signedQuantity({ direction, quantity }: OpenTrade): Quantity {
  return direction === 'long' ? quantity : quantity.neg();
}

/** The same as JSON: decimal text, null if not known. */
export function symbolJson(profit: SymbolProfit) {
  const { symbol, currency, trades, quantity, realized, unrealized, fees } = profit;
  return {
    ...{ symbol, currency, trades },
    quantity: quantity.toString(),
    realized: realized.toString(),
    unrealized: unrealized?.toString() ?? null,
    fees: fees.toString(),
    profit: profit.profit?.toString() ?? null,
  };
}

const COLUMNS = [
  ['Symbol', 11],
  ['Trades', 7],
  ['Open', 10],
  ['Realized', 13],
  ['Unrealized', 12],
  ['Fees', 11],
  ['Profit', 12],
] as const;

/** Title of the table, with the currency if there is only one. */
export function symbolTitle(profits: readonly SymbolProfit[]): string {
  const [currency, ...others] = new Set(profits.map((profit) => profit.currency));
  return others.length > 0 || currency === undefined ? 'By symbol' : `By symbol, ${currency}`;
}

/** Formats a table of at most 80 columns; each row has its currency if there are several. */
export function symbolLines(profits: readonly SymbolProfit[]): readonly string[] {
  const isMixed = new Set(profits.map(({ currency }) => currency)).size > 1;
  const cells = (texts: readonly string[]): string =>
    COLUMNS.map(([, width], at) => {
      const text = texts[at] ?? '';
      return at === 0 ? text.padEnd(width) : ` ${text}`.padStart(width);
    }).join('');
  const rows = profits.map(({ symbol, currency, trades, quantity, realized, unrealized, fees, profit }) => {
    const row = cells([
      symbol,
      countText(trades),
      quantity.isZero() ? '-' : quantity.toString(),
      ...[realized, unrealized, fees, profit].map(amountCell),
    ]);
    return isMixed ? `${row} ${currency}` : row;
  });
  return [cells(COLUMNS.map(([name]) => name)), ...rows];
}

/** Without cents if it would not fit its column. */
function amountCell(amount: Decimal | undefined): string {
  if (amount === undefined) return '-';
  const text = equityFigure(amount.toNumber());
  return text.length > AMOUNT_CHARS ? countText(amount.toNumber()) : text;
}

const AMOUNT_CHARS = 11;

/**
 * Formats the summary: the profit of each symbol if there are several, and the unrealized profit of open positions,
 * each in one line that begins with the largest amounts.
 */
export function symbolSummary(profits: readonly SymbolProfit[]): string {
  const lines = [
    profits.length < 2 ? '' : amountsLine('Profit by symbol', profits, ({ profit }) => profit),
    amountsLine(
      'Unrealized',
      profits.filter(({ quantity }) => !quantity.isZero()),
      ({ unrealized }) => unrealized,
    ),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** Empty if no amount is known. */
function amountsLine(
  label: string,
  profits: readonly SymbolProfit[],
  amountOf: (profit: SymbolProfit) => Decimal | undefined,
): string {
  const known = profits
    .flatMap(({ symbol, currency, ...rest }) => {
      const amount = amountOf({ symbol, currency, ...rest });
      return amount === undefined ? [] : [{ symbol, currency, amount }];
    })
    .toSorted((one, other) => other.amount.abs().comparedTo(one.amount.abs()));
  const [first] = known;
  if (first === undefined) return '';
  const isMixed = known.some(({ currency }) => currency !== first.currency);
  const texts = known.map(({ symbol, currency, amount }) => {
    const text = isMixed ? moneyText(amount, currency) : equityFigure(amount.toNumber());
    return `${symbol} ${amount.gt(0) ? '+' : ''}${text}`;
  });
  const head = isMixed ? `${label}: ` : `${label}, ${first.currency}: `;
  const whole = head + texts.join(', ');
  if (whole.length <= TEXT_COLUMNS) return whole;
  const room = TEXT_COLUMNS - head.length - ', and 10,000 more'.length;
  let count = 1;
  while (texts.slice(0, count + 1).join(', ').length <= room) count += 1;
  return `${head}${texts.slice(0, count).join(', ')}, and ${countText(texts.length - count)} more`;
}
