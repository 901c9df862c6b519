import type { MessageInitShape } from '@bufbuild/protobuf';
import { Decimal, type Price } from '../model/decimal.ts';
import type { Quote } from '../model/quote.ts';
import { CalcIndex, type SecurityCalcIndexSchema } from '../wire/gen/quote_pb.ts';

/** What figures are calculated from. */
export interface CalcFacts {
  readonly quote: Quote;
  /** Close of the day before; undefined on a security's very first day. */
  readonly previousClose: Price | undefined;
  /** Money traded today. */
  readonly turnover: Decimal;
}

type Figures = MessageInitShape<typeof SecurityCalcIndexSchema>;

const PERCENT_PLACES = 2;

/**
 * The figures of command 26 that follow from a quote: last price, change, change in percent, volume, turnover, amplitude.
 * Those that would need a company's accounts or an option's model stay empty, as do those that nobody asked for.
 * @see reference: socket protocol, sections 7.13 and 9.7
 */
export function calcIndexes(facts: CalcFacts, wanted: readonly CalcIndex[]): Figures {
  let figures: Figures = { symbol: facts.quote.symbol };
  for (const index of wanted) figures = { ...figures, ...figureOf(index, facts) };
  return figures;
}

function figureOf(index: CalcIndex, { quote, previousClose, turnover }: CalcFacts): Figures {
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
    default:
      return {};
  }
}

function percent(part: Decimal, whole: Price): string {
  return part.div(whole).times(100).toDecimalPlaces(PERCENT_PLACES, Decimal.ROUND_HALF_UP).toFixed();
}
