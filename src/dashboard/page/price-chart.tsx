import type {
  IChartApi,
  IPriceLine,
  ISeriesApi,
  ISeriesMarkersPluginApi,
  SeriesMarker,
  Time,
  UTCTimestamp,
} from 'lightweight-charts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { chartSeconds, isDailyOrLonger, pricePlaces } from '../../reports/page/drawing.ts';
import type { BotSnapshot, FillLine, WorkingLevel } from '../bot-follower.ts';
import type { LivePrices } from '../bot-source.ts';
import { colourOf } from './colour-of.ts';
import { figure, onWall, percent, stamp, zone } from './format.ts';
import { levelText } from './levels.tsx';
import { SymbolSelect, zoneText } from './parts.tsx';
import { t } from './text.ts';

const HEIGHT = 320;
/** Of the pane below the prices. */
const BELOW_HEIGHT = 110;
const TICK_PLACES = 6;
const LEGEND_DIGITS = 7;
/** Of the series of strategies, legible on both backgrounds; the reports have the same. */
const COLOURS = [
  ...['#2f7de1', '#c77a10', '#8e5bd0', '#14908a'],
  ...['#c2417c', '#72821c', '#5470c6', '#a0662f'],
] as const;

/** Content of the chart of one symbol. */
interface Drawn {
  /** Closed bars; empty if only the bot's own fills are known. */
  readonly bars: LivePrices['bars'];
  readonly last: number | undefined;
  /** Open time of the current bar; undefined between sessions. */
  readonly running: number | undefined;
  readonly isDaily: boolean;
  readonly fills: readonly FillLine[];
  readonly levels: readonly WorkingLevel[];
  readonly indicators: readonly Indicator[];
}

/** A series of a strategy; a point without a value is a gap. */
interface Indicator {
  readonly name: string;
  readonly isPrice: boolean;
  readonly points: readonly (readonly [time: number, value: number | null])[];
}

/** The newest bars of a symbol from a running bot, its fills, and its working orders as lines. */
export function PriceChart({
  bot,
  prices,
  symbol,
  onSymbol,
}: {
  bot: BotSnapshot;
  /** Undefined for a bot that does not run or answer, and for the past. */
  prices: LivePrices | undefined;
  symbol: string | undefined;
  onSymbol: (symbol: string) => void;
}) {
  const symbols = symbolsOf(bot, prices);
  const shown = symbol ?? prices?.symbol ?? symbols[0];
  const indicators = useIndicators(prices?.symbol === shown ? prices : undefined);
  if (shown === undefined) return <p class="quiet">{t('price-none')}</p>;
  const drawn: Drawn = {
    bars: prices?.symbol === shown ? prices.bars : [],
    last: prices?.marks.find((mark) => mark.symbol === shown)?.price ?? undefined,
    running: prices?.symbol === shown ? (prices.running ?? undefined) : undefined,
    isDaily: isDailyOrLonger(prices?.period),
    fills: bot.fills.filter((fill) => fill.symbol === shown).toReversed(),
    levels: bot.levels.filter((level) => level.symbol === shown),
    indicators,
  };
  return (
    <>
      {symbols.length > 1 && <SymbolSelect symbols={symbols} symbol={shown} onSymbol={onSymbol} />}
      <Chart key={`${shown} ${drawn.bars.length > 0}`} drawn={drawn} symbol={shown} />
      <p class="quiet">
        {t(sourceOf(drawn), drawn.bars.length, drawn.fills.length, prices?.period ?? '')}{' '}
        {!drawn.isDaily && t('chart-zone', zoneText(zone.value))}
      </p>
      {drawn.bars.length > 0 && <Legend indicators={indicators} />}
      {drawn.levels.length > 0 && (
        <ul class="numbers">
          {drawn.levels.map((level) => (
            <li key={level.intentId}>{levelText(level, drawn.last)}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The series of an answer; a busy strategy gives none, and then the previous ones remain. */
function useIndicators(prices: LivePrices | undefined): readonly Indicator[] {
  const known = useRef<{ readonly symbol: string | null; readonly indicators: readonly Indicator[] }>(
    undefined,
  );
  if (prices === undefined) return [];
  const { symbol, bars, indicators } = prices;
  if (indicators !== null || known.current?.symbol !== symbol)
    known.current = {
      symbol,
      indicators: (indicators ?? []).slice(0, COLOURS.length).map(({ name, isPrice, values }) => ({
        ...{ name, isPrice },
        points: bars.map(([time], at) => [time, values[at] ?? null] as const),
      })),
    };
  return known.current.indicators;
}

/** Names of the series in their colours, with their newest values. */
function Legend({ indicators }: { indicators: readonly Indicator[] }) {
  if (indicators.length === 0) return null;
  return (
    <ul class="legend">
      {indicators.map(({ name, isPrice, points }, at) => {
        const value = points.at(-1)?.[1] ?? null;
        return (
          <li key={name}>
            <svg viewBox="0 0 16 4" aria-hidden="true">
              <rect width="16" height="4" fill={COLOURS[at]} />
            </svg>
            {name} {value === null ? '—' : figure(String(Number(value.toPrecision(LEGEND_DIGITS))))}
            {!isPrice && ` (${t('indicator-below')})`}
          </li>
        );
      })}
    </ul>
  );
}

/** Describes what the chart is made of. */
function sourceOf({ bars, fills }: Drawn): 'price-bars' | 'price-fills' | 'price-nothing' {
  if (bars.length > 0) return 'price-bars';
  return fills.length > 0 ? 'price-fills' : 'price-nothing';
}

/** Symbols with something to draw, held ones first. */
function symbolsOf(bot: BotSnapshot, prices: LivePrices | undefined): readonly string[] {
  return [
    ...new Set([
      ...bot.positions.map(({ symbol }) => symbol),
      ...(prices?.marks ?? []).map(({ symbol }) => symbol),
      ...bot.levels.map(({ symbol }) => symbol),
      ...bot.fills.map(({ symbol }) => symbol),
    ]),
  ];
}

interface Parts {
  readonly chart: IChartApi;
  readonly series: ISeriesApi<'Candlestick' | 'Line'>;
  /** Volume of each bar, under the prices. */
  readonly volume: ISeriesApi<'Histogram'>;
  readonly markers: ISeriesMarkersPluginApi<Time>;
  readonly colours: Readonly<Record<'good' | 'bad' | 'warn' | 'accent' | 'quiet', string>>;
  lines: readonly IPriceLine[];
  /** The series of the strategies, and the names for which they were created. */
  indicators: readonly ISeriesApi<'Line'>[];
  indicatorNames: string;
  readonly addLine: (index: number, isPrice: boolean) => ISeriesApi<'Line'>;
  /** Number of bars when all were last fitted into view; undefined after the reader has moved the chart. */
  fitted: number | undefined;
}

/** The library is loaded when there is something to draw; later changes are passed to it. */
function Chart({ drawn, symbol }: { drawn: Drawn; symbol: string }) {
  const box = useRef<HTMLDivElement>(null);
  const parts = useRef<Parts>(undefined);
  const newest = useRef(drawn);
  newest.current = drawn;
  const [isLoaded, setLoaded] = useState(false);
  /** Chart time of the bar under the pointer. */
  const [pointed, setPointed] = useState<Time>();
  const isDrawn = drawn.bars.length > 0 || drawn.fills.length > 0;

  useEffect(() => {
    const host = box.current;
    if (!isDrawn || host === null) return undefined;
    let isGone = false;
    let resized: ResizeObserver | undefined;
    void import('lightweight-charts').then((library) => {
      if (isGone) return;
      const colours = {
        good: colourOf(host, '--good'),
        bad: colourOf(host, '--bad'),
        warn: colourOf(host, '--warn'),
        accent: colourOf(host, '--accent'),
        quiet: colourOf(host, '--quiet'),
      };
      const line = colourOf(host, '--line');
      const chart = library.createChart(host, {
        width: host.clientWidth,
        height: HEIGHT,
        layout: {
          background: { color: colourOf(host, '--panel') },
          textColor: colours.quiet,
          attributionLogo: false,
        },
        grid: { vertLines: { color: line }, horzLines: { color: line } },
        rightPriceScale: { borderColor: line },
        timeScale: { borderColor: line, timeVisible: true, secondsVisible: false },
        handleScroll: { mouseWheel: false },
        handleScale: { mouseWheel: false },
      });
      const { good, bad, quiet } = colours;
      const series =
        newest.current.bars.length > 0
          ? chart.addSeries(library.CandlestickSeries, {
              ...{ upColor: good, wickUpColor: good, downColor: bad, wickDownColor: bad },
              borderVisible: false,
            })
          : chart.addSeries(library.LineSeries, { color: quiet, lineWidth: 1, pointMarkersVisible: true });
      const volume = chart.addSeries(library.HistogramSeries, {
        color: quiet.replace(/^rgb\((.+)\)$/, 'rgba($1, 0.35)'),
        priceFormat: { type: 'volume' },
        priceScaleId: 'volume',
        priceLineVisible: false,
        lastValueVisible: false,
      });
      chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
      parts.current = {
        chart,
        volume,
        series: series as Parts['series'],
        markers: library.createSeriesMarkers(series as Parts['series'], []),
        colours,
        ...{ lines: [], indicators: [], indicatorNames: '', fitted: 0 },
        addLine: (index, isPrice) =>
          chart.addSeries(
            library.LineSeries,
            {
              ...{ color: COLOURS[index] ?? quiet, lineWidth: 1, priceLineVisible: false },
              ...{ lastValueVisible: false, crosshairMarkerVisible: false },
            },
            isPrice ? 0 : 1,
          ),
      };
      const { current: made } = parts;
      host.addEventListener('pointerdown', () => {
        made.fitted = undefined;
      });
      chart.subscribeCrosshairMove(({ time }) => setPointed(time));
      draw(made, newest.current);
      resized = new ResizeObserver(() => chart.applyOptions({ width: host.clientWidth }));
      resized.observe(host);
      setLoaded(true);
    });
    return () => {
      isGone = true;
      resized?.disconnect();
      parts.current?.chart.remove();
      parts.current = undefined;
    };
  }, [isDrawn]);
  useEffect(() => {
    if (parts.current !== undefined) draw(parts.current, drawn);
  }, [drawn, isLoaded]);

  if (!isDrawn) return null;
  return (
    <>
      <Readout drawn={drawn} symbol={symbol} pointed={pointed} />
      <div
        ref={box}
        class="chart"
        role="img"
        aria-label={t('price-chart', symbol, drawn.bars.length, drawn.fills.length, drawn.levels.length)}
      />
    </>
  );
}

/** Prices of the bar under the pointer, otherwise of the newest closed one. */
function Readout({ drawn, symbol, pointed }: { drawn: Drawn; symbol: string; pointed: Time | undefined }) {
  const { bars } = drawn;
  const at = bars.findIndex(([time]) => pointed !== undefined && chartTime(drawn, time) === pointed);
  const index = at < 0 ? bars.length - 1 : at;
  const bar = bars[index];
  if (bar === undefined) return null;
  const [time, open, high, low, close, volume] = bar;
  const before = bars[index - 1]?.[4] ?? open;
  const places = pricePlaces(bars.flatMap((each) => [each[1], each[2], each[3], each[4]]));
  const texts = [open, high, low, close].map((price) => figure(price.toFixed(places)));
  const [openText = '', highText = '', lowText = '', closeText = ''] = texts;
  const when = drawn.isDaily ? stamp(time).slice(0, 10) : stamp(time).slice(0, 16);
  return (
    <p class="readout">
      {t(
        'chart-bar',
        `${symbol} ${when}`,
        openText,
        highText,
        lowText,
        closeText,
        percent(close / before - 1, true),
      )}
      {volume !== undefined && `, ${t('chart-volume', figure(String(volume)))}`}
    </p>
  );
}

/** Time of a bar on the axis: the clock of the exchange, or the day of a bar of a day or longer. */
function chartTime({ isDaily, bars }: Pick<Drawn, 'isDaily' | 'bars'>, time: number): UTCTimestamp {
  const byDay = isDaily && bars.length > 0;
  return chartSeconds(byDay ? time : onWall(time), byDay) as UTCTimestamp;
}

/** Most fills that are marked with their quantities: more of them would overlap. */
const QUANTITIES_MAX = 8;

function draw(parts: Parts, drawn: Drawn): void {
  const { last, fills, levels } = drawn;
  const { series, markers, colours } = parts;
  const bars = withRunning(drawn);
  const seconds = (time: number): UTCTimestamp => chartTime(drawn, time);
  const times = bars.length > 0 ? bars.map(([time]) => time) : pointsOf(fills).map(([time]) => time);
  series.setData(
    bars.length > 0
      ? bars.map(([time, open, high, low, close]) => ({ time: seconds(time), open, high, low, close }))
      : pointsOf(fills).map(([time, value]) => ({ time: seconds(time), value })),
  );
  markers.setMarkers(
    fills.flatMap((fill): readonly SeriesMarker<Time>[] => {
      const at = times.findLast((time) => time <= fill.at);
      if (at === undefined) return [];
      const isBuy = fill.side === 'buy';
      return [
        {
          time: seconds(at),
          position: isBuy ? 'belowBar' : 'aboveBar',
          shape: isBuy ? 'arrowUp' : 'arrowDown',
          color: isBuy ? colours.accent : colours.warn,
          ...(fills.length <= QUANTITIES_MAX ? { text: figure(fill.quantity) } : {}),
        },
      ];
    }),
  );
  parts.volume.setData(
    bars.flatMap(([time, , , , , shares]) =>
      shares === undefined ? [] : [{ time: seconds(time), value: shares }],
    ),
  );
  drawIndicators(parts, drawn, seconds);
  for (const line of parts.lines) series.removePriceLine(line);
  parts.lines = [
    ...levels.flatMap((level) =>
      level.price === null
        ? []
        : [
            series.createPriceLine({
              price: Number(level.price),
              color: levelColour(level, colours),
              lineStyle: DASHED,
              title: `${t(`level-${level.kind}`)} ${figure(level.open)}`,
            }),
          ],
    ),
    ...(last === undefined
      ? []
      : [series.createPriceLine({ price: last, color: colours.accent, title: t('price-last') })]),
  ];
  const places = pricePlaces([
    ...bars.flatMap(([, open, high, low, close]) => [open, high, low, close]),
    ...(bars.length > 0 ? [] : fills.map(({ price }) => Number(price))),
    ...levels.flatMap(({ price }) => (price === null ? [] : [Number(price)])),
  ]);
  series.applyOptions({
    priceFormat: { type: 'price', precision: places, minMove: 10 ** -places },
    lastValueVisible: false,
    priceLineVisible: false,
    autoscaleInfoProvider: (
      own: () => { priceRange: { minValue: number; maxValue: number } | null } | null,
    ) => withLevels(own(), levels, last),
  });
  // A page that was opened with the first bars shows later ones as well.
  if (parts.fitted !== undefined && parts.fitted !== times.length) {
    parts.chart.timeScale().fitContent();
    parts.fitted = times.length;
  }
}

/** Price levels over the bars, all others in a pane below; the lines are recreated only when their names change. */
function drawIndicators(
  parts: Parts,
  { indicators: shown, bars }: Drawn,
  seconds: (time: number) => UTCTimestamp,
): void {
  const { chart, addLine } = parts;
  const indicators = bars.length > 0 ? shown : [];
  const names = JSON.stringify(indicators.map(({ name, isPrice }) => [name, isPrice]));
  if (names !== parts.indicatorNames) {
    for (const line of parts.indicators) chart.removeSeries(line);
    parts.indicators = indicators.map(({ isPrice }, index) => addLine(index, isPrice));
    parts.indicatorNames = names;
    const isSplit = indicators.some(({ isPrice }) => !isPrice);
    chart.applyOptions({ height: isSplit ? HEIGHT + BELOW_HEIGHT : HEIGHT });
    chart.panes()[0]?.setStretchFactor(HEIGHT);
    chart.panes()[1]?.setStretchFactor(BELOW_HEIGHT);
  }
  for (const [index, { points }] of indicators.entries())
    parts.indicators[index]?.setData(
      points.map(([time, value]) => ({ time: seconds(time), ...(value === null ? {} : { value }) })),
    );
}

/** The current bar has only its newest price; without it, its fills would be drawn at the bar before. */
function withRunning({ bars, running, last }: Drawn): Drawn['bars'] {
  const newest = bars.at(-1);
  if (running === undefined || last === undefined || newest === undefined || running <= newest[0])
    return bars;
  return [...bars, [running, last, last, last, last]];
}

/** Stops are red, targets green; of other orders only the price is known. */
function levelColour({ kind }: WorkingLevel, { good, bad, quiet }: Parts['colours']): string {
  switch (kind) {
    case 'stop':
      return bad;
    case 'target':
      return good;
    default:
      return quiet;
  }
}

/** The library's own number for a dashed line. */
const DASHED = 2;

/** Includes stops and limits in the visible range, unless they are so far away that the bars would be a line. */
function withLevels(
  own: { priceRange: { minValue: number; maxValue: number } | null } | null,
  levels: readonly WorkingLevel[],
  last: number | undefined,
) {
  const range = own?.priceRange ?? null;
  if (own === null || range === null) return own;
  const { minValue, maxValue } = range;
  const room = Math.max(maxValue - minValue, maxValue * 0.02) * 3;
  const near = [
    ...levels.map(({ price }) => (price === null ? Number.NaN : Number(price))),
    last ?? Number.NaN,
  ].filter((price) => price >= minValue - room && price <= maxValue + room);
  return {
    ...own,
    priceRange: { minValue: Math.min(minValue, ...near), maxValue: Math.max(maxValue, ...near) },
  };
}

/** Prices of own fills, one per second; of several the last. */
function pointsOf(fills: readonly FillLine[]): readonly (readonly [time: number, price: number])[] {
  const points = new Map<number, number>();
  for (const { at, price } of fills.toSorted((one, other) => one.at - other.at))
    points.set(Math.floor(at / 1_000) * 1_000, Number(Number(price).toPrecision(TICK_PLACES + 6)));
  return [...points];
}
