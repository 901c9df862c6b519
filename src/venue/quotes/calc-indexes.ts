import type { MessageInitShape } from '@bufbuild/protobuf';
import { dayOf, midnightOf } from '../../markets/sessions.ts';
import { type Bar, type BarColumns, lowerBound } from '../../model/bar.ts';
import { Decimal, type Price, parseDecimal } from '../../model/decimal.ts';
import { parseOptionSymbol } from '../../model/option-symbol.ts';
import type { Quote } from '../../model/quote.ts';
import type { CompanyFigures } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import { addDays, type CalendarDay, calendarDay, MINUTE_MS, millis } from '../../model/time.ts';
import { CalcIndex, type SecurityCalcIndexSchema } from '../../wire/gen/quote_pb.ts';
import { defined } from '../../wire/schemas/parameter-fields.ts';
import { barOfRow, rowAt, type VisibleBars } from './candles.ts';
import { capitalFlowLines, minutesOfDay } from './day-flow.ts';

export interface CalcFacts {
  readonly quote: Quote;
  /** Close of the previous day; undefined on a security's first day. */
  readonly previousClose: Price | undefined;
  /** Money traded today. */
  readonly turnover: Decimal;
  /** Reference closes of changes; absent if history does not reach so far back. */
  readonly since: Readonly<Partial<Record<PastPoint, number>>>;
  /** Estimated money inflow minus outflow today; undefined without minute bars. */
  readonly capitalFlow: string | undefined;
  /** Volume per minute today divided by that of the five days before; undefined without their minute bars. */
  readonly volumeRatio: number | undefined;
  /** Absent if nothing is known of the company. */
  readonly company?: CompanyFigures | undefined;
}

type PastPoint = 'year' | 'halfYear' | 'tenDays' | 'fiveDays' | 'fiveMinutes';

const VOLUME_DAYS = 5;
const HALF_YEAR_DAYS = 182;

export function pastFigures(
  { symbol, time }: Quote,
  { days, minutes }: { readonly days: BarColumns | undefined; readonly minutes: VisibleBars | undefined },
): Pick<CalcFacts, 'since' | 'capitalFlow' | 'volumeRatio'> {
  const market = marketOf(symbol);
  const today = dayOf(market, time);
  const midnight = midnightOf(market, today);
  const closeBefore = (at: number, back = 1): number | undefined => days?.close[lowerBound(days, at) - back];
  const line = minutesOfDay(minutes);
  const fiveMinutesAgo = minutes === undefined ? -1 : rowAt(minutes, time - 5 * MINUTE_MS) - 1;
  const since = {
    year: closeBefore(midnightOf(market, calendarDay(`${today.slice(0, 4)}-01-01`))),
    halfYear: closeBefore(midnightOf(market, addDays(today, -HALF_YEAR_DAYS))),
    tenDays: closeBefore(midnight, 10),
    fiveDays: closeBefore(midnight, 5),
    fiveMinutes:
      minutes === undefined || fiveMinutesAgo < 0 ? undefined : barOfRow(minutes, fiveMinutesAgo).close,
  };
  return {
    since: defined(since),
    capitalFlow: capitalFlowLines(line).at(-1)?.inflow,
    volumeRatio: minutes === undefined ? undefined : volumeRatio(line, minutes.columns, midnight),
  };
}

function volumeRatio(line: readonly Bar[], minutes: BarColumns, midnight: number): number | undefined {
  const until = lowerBound(minutes, midnight);
  const days: CalendarDay[] = [];
  let [from, volume] = [until, 0];
  const market = marketOf(minutes.symbol);
  while (from > 0) {
    const day = dayOf(market, millis(minutes.time[from - 1] as number));
    if (days.at(-1) !== day) {
      if (days.length === VOLUME_DAYS) break;
      days.push(day);
    }
    from -= 1;
    volume += minutes.volume[from] as number;
  }
  const today = line.reduce((sum, bar) => sum + bar.volume, 0);
  return volume === 0 || line.length === 0 ? undefined : today / line.length / (volume / (until - from));
}

type Figures = MessageInitShape<typeof SecurityCalcIndexSchema>;

const PERCENT_PLACES = 2;

/**
 * Returns the requested figures of command 26 that follow from prices, volumes and the company's figures in
 * `security.json`. Figures that need an option or warrant model are omitted.
 * @see docs/wire-protocol.md, "The sockets"
 */
export function calcIndexes(facts: CalcFacts, wanted: readonly CalcIndex[]): Figures {
  let figures: Figures = { symbol: facts.quote.symbol };
  for (const index of wanted) figures = { ...figures, ...figureOf(index, facts) };
  return figures;
}

function figureOf(index: CalcIndex, facts: CalcFacts): Figures {
  const { quote, previousClose, turnover, since, company = {} } = facts;
  const changeSince = (base: number | undefined): string | undefined =>
    base === undefined ? undefined : percent(quote.last.minus(base), new Decimal(base));
  switch (index) {
    case CalcIndex.CALCINDEX_LAST_DONE:
      return { lastDone: quote.last.toFixed() };
    case CalcIndex.CALCINDEX_VOLUME:
      return { volume: BigInt(quote.dayVolume.toFixed(0)) };
    case CalcIndex.CALCINDEX_TURNOVER:
      return { turnover: turnover.toFixed() };
    case CalcIndex.CALCINDEX_CHANGE_VAL:
      return previousClose === undefined ? {} : { changeVal: quote.last.minus(previousClose).toFixed() };
    case CalcIndex.CALCINDEX_CHANGE_RATE:
      return previousClose === undefined
        ? {}
        : { changeRate: percent(quote.last.minus(previousClose), previousClose) };
    case CalcIndex.CALCINDEX_AMPLITUDE:
      return previousClose === undefined
        ? {}
        : { amplitude: percent(quote.dayHigh.minus(quote.dayLow), previousClose) };
    case CalcIndex.CALCINDEX_YTD_CHANGE_RATE:
      return defined({ ytdChangeRate: changeSince(since.year) });
    case CalcIndex.CALCINDEX_HALF_YEAR_CHANGE_RATE:
      return defined({ halfYearChangeRate: changeSince(since.halfYear) });
    case CalcIndex.CALCINDEX_TEN_DAY_CHANGE_RATE:
      return defined({ tenDayChangeRate: changeSince(since.tenDays) });
    case CalcIndex.CALCINDEX_FIVE_DAY_CHANGE_RATE:
      return defined({ fiveDayChangeRate: changeSince(since.fiveDays) });
    case CalcIndex.CALCINDEX_FIVE_MINUTES_CHANGE_RATE:
      return defined({ fiveMinutesChangeRate: changeSince(since.fiveMinutes) });
    case CalcIndex.CALCINDEX_CAPITAL_FLOW:
      return defined({ capitalFlow: facts.capitalFlow });
    case CalcIndex.CALCINDEX_VOLUME_RATIO:
      return defined({ volumeRatio: facts.volumeRatio?.toFixed(PERCENT_PLACES) });
    case CalcIndex.CALCINDEX_TURNOVER_RATE: {
      const shares = company.circulatingShares ?? company.totalShares;
      return shares === undefined ? {} : { turnoverRate: percent(quote.dayVolume, new Decimal(shares)) };
    }
    case CalcIndex.CALCINDEX_TOTAL_MARKET_VALUE:
      return company.totalShares === undefined
        ? {}
        : { totalMarketValue: quote.last.times(company.totalShares).toFixed() };
    case CalcIndex.CALCINDEX_PE_TTM_RATIO:
      return defined({ peTtmRatio: ratio(quote.last, company.epsTtm ?? company.eps) });
    case CalcIndex.CALCINDEX_PB_RATIO:
      return defined({ pbRatio: ratio(quote.last, company.bps) });
    case CalcIndex.CALCINDEX_DIVIDEND_RATIO_TTM:
      return defined({ dividendRatioTtm: company.dividendYield });
    case CalcIndex.CALCINDEX_EXPIRY_DATE:
      return defined({ expiryDate: parseOptionSymbol(quote.symbol)?.expiry.replaceAll('-', '') });
    case CalcIndex.CALCINDEX_STRIKE_PRICE:
      return defined({ strikePrice: parseOptionSymbol(quote.symbol)?.strike.toFixed() });
    default:
      return {};
  }
}

/** Returns the price divided by a figure per share; negative for a loss, undefined if the figure is 0 or unknown. */
function ratio(price: Price, figure: string | undefined): string | undefined {
  const perShare = parseDecimal(figure ?? '');
  if (perShare === undefined || perShare.isZero()) return undefined;
  return price.div(perShare).toDecimalPlaces(PERCENT_PLACES, Decimal.ROUND_HALF_UP).toFixed();
}

function percent(part: Decimal, whole: Price): string {
  return part.div(whole).times(100).toDecimalPlaces(PERCENT_PLACES, Decimal.ROUND_HALF_UP).toFixed();
}
