import { useEffect, useRef, useState } from 'preact/hooks';
import type { EquityPoint } from '../bot-follower.ts';
import { colourOf } from './colour-of.ts';
import { money, stamp, zone } from './format.ts';
import { zoneText } from './parts.tsx';
import { t } from './text.ts';

const HEIGHT = 220;
const DAY_SECONDS = 86_400;
/** Space of a time on the axis, in pixels. */
const LABEL_SPACE = 90;
/** Space for the label of an axis. */
const LABEL = 22;

/** Equity, and below it the drawdown in percent. The library is loaded when there is something to draw. */
export function EquityChart({
  points,
  currency,
}: {
  points: readonly EquityPoint[];
  currency: string | null;
}) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<{ setData: (data: [number[], number[], number[]]) => void } | undefined>(undefined);
  const data = useRef(columnsOf(points));
  data.current = columnsOf(points);
  const isDrawn = points.length >= 2;
  /** Index of the point under the pointer. */
  const [pointed, setPointed] = useState<number>();

  useEffect(() => {
    const host = box.current;
    if (!isDrawn || host === null) return undefined;
    let stop: (() => void) | undefined;
    let isGone = false;
    void import('uplot').then(({ default: Plot }) => {
      if (isGone) return;
      const colour = (name: string): string => colourOf(host, name);
      const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 } };
      const plot = new Plot(
        {
          width: host.clientWidth,
          height: HEIGHT,
          legend: { show: false },
          tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1_000), zone.value),
          cursor: { drag: { x: true, y: false } },
          scales: {
            percent: { range: (_plot, low) => [Math.min(low * 3, -1), 0] },
            y: { range: (_plot, low, high) => equityRange(low, high) },
          },
          hooks: { setCursor: [({ cursor }) => setPointed(cursor.idx ?? undefined)] },
          axes: [
            { ...axis, space: LABEL_SPACE, values: (_plot, times) => times.map((at) => timeText(at, times)) },
            {
              ...axis,
              size: 96,
              label: currency === null ? t('equity') : `${t('equity')} (${currency})`,
              labelSize: LABEL,
            },
            {
              ...axis,
              scale: 'percent',
              side: 1,
              grid: { show: false },
              label: `${t('drawdown')} (%)`,
              labelSize: LABEL,
            },
          ],
          series: [
            {},
            { label: t('equity'), stroke: colour('--accent'), width: 2 },
            { label: t('drawdown'), stroke: colour('--bad'), fill: colour('--bad-area'), scale: 'percent' },
          ],
        },
        data.current,
        host,
      );
      chart.current = plot;
      const resized = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: HEIGHT }));
      resized.observe(host);
      stop = () => {
        resized.disconnect();
        plot.destroy();
        chart.current = undefined;
      };
    });
    return () => {
      isGone = true;
      stop?.();
    };
  }, [isDrawn]);
  useEffect(() => chart.current?.setData(data.current), [points]);

  const [first, last] = [points[0], points.at(-1)];
  if (!isDrawn || first === undefined || last === undefined) return <p class="quiet">{t('equity-few')}</p>;
  const [at, equity] = (pointed === undefined ? undefined : points[pointed]) ?? last;
  const fall = Math.abs(data.current[2][pointed ?? points.length - 1] ?? 0).toFixed(2);
  const text = t('equity-chart', points.length, money(first[1], currency), money(last[1], currency));
  return (
    <>
      <p class="readout">
        {t('equity-at-cursor', `${stamp(at)} ${zoneText(zone.value)}`, money(equity, currency), fall)}
      </p>
      <div ref={box} class="chart" role="img" aria-label={text} />
      <p class="quiet">
        {text}; {t('drawdown-now', Math.abs(data.current[2].at(-1) ?? 0).toFixed(2))}
      </p>
    </>
  );
}

/** A curve that does not change is drawn in the middle of 1 % above and below it, not above zero. */
function equityRange(low: number, high: number): [number, number] {
  const room = high > low ? (high - low) * 0.1 : Math.max(Math.abs(high) * 0.01, 1);
  return [low - room, high + room];
}

/** Formats a time of the axis in the zone of the page: the day if the axis is longer than one, otherwise the second. */
function timeText(seconds: number, all: readonly number[]): string {
  const [first = seconds, last = seconds] = [all[0], all.at(-1)];
  const text = stamp(seconds * 1_000);
  return last - first > DAY_SECONDS ? text.slice(5, 16) : text.slice(11);
}

function columnsOf(points: readonly EquityPoint[]): [number[], number[], number[]] {
  let peak = Number.NEGATIVE_INFINITY;
  const falls = points.map(([, equity]) => {
    peak = Math.max(peak, equity);
    return peak > 0 ? (equity / peak - 1) * 100 : 0;
  });
  return [points.map(([at]) => at / 1_000), points.map(([, equity]) => equity), falls];
}
