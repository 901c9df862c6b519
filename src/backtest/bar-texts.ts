import { SHORT_WARMUP } from '../events/run-record.ts';
import { likelySplit } from '../market-data/likely-split.ts';
import { dayOf } from '../markets/sessions.ts';
import type { BarColumns } from '../model/bar.ts';
import { rowsOf } from '../model/bar-rows.ts';
import type { CorporateAction } from '../model/corporate-action.ts';
import { plural } from '../model/plural.ts';
import type { SecurityKind } from '../model/security.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type CalendarDay, type Millis, millis } from '../model/time.ts';
import { missingBarTexts } from './missing-bars.ts';
import { barsBegin, endOf, type ReplaySetup } from './setup.ts';

/**
 * Returns a report's remarks on bars: short warm-up, missing bars, and jumps like splits. `warmup` is the number of
 * bars that the signals of a symbol need.
 */
export function barTexts(setup: ReplaySetup, warmup: (symbol: SecuritySymbol) => number): readonly string[] {
  const short = setup.history.flatMap((bars) => warmupText(bars, setup, warmup(bars.symbol)) ?? []);
  return [...short, ...missingBarTexts(setup), ...splitTexts(setup)];
}

/** Returns a remark if a symbol has too few warm-up bars, with its first trading day; undefined if it has enough. */
export function warmupText(
  bars: BarColumns,
  { from, to }: Pick<ReplaySetup, 'from' | 'to'>,
  needed: number,
): string | undefined {
  const rows = rowsOf(bars);
  const available = rows.firstFrom(barsBegin(bars, from));
  if (available >= needed) return undefined;
  const missing = `${SHORT_WARMUP}: the signals need ${needed} bars of ${bars.symbol} before ${from}, ${available} ${available === 1 ? 'is' : 'are'} there`;
  const length = rows.firstFrom(endOf(bars.symbol, to));
  if (length <= needed) return `${missing}: it never trades, as there are ${length} bars until ${to}`;
  const [first] = rows.between(needed, needed + 1).time;
  return `${missing}: it trades from ${dayOf(marketOf(bars.symbol), millis(first ?? 0))} on`;
}

/** Kinds of securities with splits; warrants and options make such moves on ordinary days. */
const KINDS_WITH_SPLITS: readonly SecurityKind[] = ['stock', 'etf', 'reit'];

/** Smallest overnight price ratio of a possible split; avoids logarithms for smaller moves. */
const MOVE_MIN = 1.3;

/**
 * Returns one sentence per symbol whose prices jump like at an unapplied split, which a strategy would take for a
 * gain or loss. If `events.csv` has splits of the symbol, the list is assumed complete.
 */
export function splitTexts(setup: ReplaySetup): readonly string[] {
  return setup.history.flatMap((bars) => {
    const kind = setup.securities.find(({ symbol }) => symbol === bars.symbol)?.kind ?? 'stock';
    if (!KINDS_WITH_SPLITS.includes(kind)) return [];
    const opens = jumpsIn(bars, setup);
    return [...unlistedSplits(bars.symbol, opens, setup), ...suspectOpens(bars.symbol, opens)];
  });
}

function unlistedSplits(
  symbol: SecuritySymbol,
  opens: readonly OpeningJump[],
  setup: ReplaySetup,
): readonly string[] {
  const isSplit = ({ symbol: of, kind }: CorporateAction): boolean => of === symbol && kind === 'split';
  if (setup.corporateActions?.some(isSplit) === true) return [];
  const listedSplits = (setup.unapplied ?? []).filter(isSplit).map(({ exDay }) => exDay);
  const jumps = opens.filter(
    ({ day, closesNearOpen }) => closesNearOpen && (listedSplits.length === 0 || listedSplits.includes(day)),
  );
  const [first, ...more] = jumps;
  if (first === undefined) return [];
  const days = more.length === 0 ? '' : ` and on ${plural(more.length, 'day')} more`;
  const jump = `PRICES JUMP: ${symbol} opens on ${first.day}${days}`;
  return listedSplits.length > 0
    ? [
        `${jump} like after the split in events.csv, which this run does not apply: set "simulation: { corporateActions: true }", or import adjusted prices`,
      ]
    : [
        `${jump} like after a ${first.split} split, and events.csv has no such split: if it was one, import adjusted prices, or add it to events.csv and set "simulation: { corporateActions: true }"`,
      ];
}

/**
 * Returns remarks on opens that resemble a split, on days whose close is near the close before: usually wrong prints.
 */
function suspectOpens(symbol: SecuritySymbol, opens: readonly OpeningJump[]): readonly string[] {
  const [first, ...more] = opens.filter(({ closesNearOpen }) => !closesNearOpen);
  if (first === undefined) return [];
  const { day, from, open, close } = first;
  const others = more.length === 0 ? '' : `, and so on ${plural(more.length, 'day')} more`;
  return [
    `ODD OPEN: ${symbol} opens at ${open} on ${day}, after ${from} the day before, and closes at ${close}${others}: if there was no trade at that price, correct that line, as orders fill at it`,
  ];
}

/** A day's first print whose distance from the day before resembles a split. */
interface OpeningJump {
  readonly day: CalendarDay;
  readonly split: string;
  readonly from: number;
  readonly open: number;
  readonly close: number;
  /** Whether the bar closes nearer to its open than to the previous close. */
  readonly closesNearOpen: boolean;
}

function jumpsIn(bars: BarColumns, setup: ReplaySetup): readonly OpeningJump[] {
  const { symbol } = bars;
  const market = marketOf(symbol);
  const rows = rowsOf(bars);
  const begin = rows.firstFrom(barsBegin({ symbol }, setup.from));
  const end = rows.firstFrom(endOf(symbol, setup.to));
  const view = rows.open();
  const found: OpeningJump[] = [];
  let before: { readonly close: number; readonly time: number } | undefined;
  for (let row = begin; row < end; row = rows.pieceEnd(row)) {
    const { open, close, time, length } = view(row, Math.min(end, rows.pieceEnd(row)));
    for (let at = 0; at < length; at++) {
      const last = at === 0 ? before?.close : close[at - 1];
      const moved = last === undefined ? 1 : (open[at] as number) / last;
      if (moved > 1 / MOVE_MIN && moved < MOVE_MIN) continue;
      const lastTime = at === 0 ? (before?.time ?? 0) : (time[at - 1] as number);
      const day = dayOf(market, millis(time[at] as number));
      const split = likelySplit(Math.log(moved));
      const isNewDay = day !== dayOf(market, lastTime as Millis);
      if (split === undefined || !isNewDay || last === undefined) continue;
      const first = { from: last, open: open[at] as number, close: close[at] as number };
      found.push({
        day,
        split,
        ...first,
        closesNearOpen: Math.log(first.close / last) / Math.log(moved) > 0.5,
      });
    }
    before = { close: close[length - 1] as number, time: time[length - 1] as number };
  }
  return found;
}
