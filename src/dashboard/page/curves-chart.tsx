import { useEffect, useRef } from 'preact/hooks';
import type { RunCurve } from '../run-source.ts';
import { colourOf } from './colour-of.ts';
import { percent, stamp } from './format.ts';
import { t } from './text.ts';

const HEIGHT = 260;

/**
 * Equity of two runs as the change from each initial equity, in percent. The library is loaded when there is
 * something to draw.
 */
export function CurvesChart({ a, b, names }: { a: RunCurve; b: RunCurve; names: readonly [string, string] }) {
  const box = useRef<HTMLDivElement>(null);
  const isDrawn = a.time.length > 1 && b.time.length > 1;
  useEffect(() => {
    const host = box.current;
    if (!isDrawn || host === null) return undefined;
    let stop: (() => void) | undefined;
    let isGone = false;
    void import('uplot').then(({ default: Plot }) => {
      if (isGone) return;
      const axis = {
        stroke: colourOf(host, '--quiet'),
        grid: { stroke: colourOf(host, '--line'), width: 1 },
      };
      const plot = new Plot(
        {
          width: host.clientWidth,
          height: HEIGHT,
          legend: { show: false },
          // Days of the axis begin at midnight in UTC, which their labels show.
          tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1_000), 'UTC'),
          axes: [
            {
              ...axis,
              values: (_plot, times) => times.map((at) => stamp(at * 1_000).slice(0, 10)),
              space: 90,
            },
            { ...axis, size: 64, values: (_plot, ticks) => ticks.map((tick) => `${tick}%`) },
          ],
          series: [
            {},
            { label: names[0], stroke: colourOf(host, '--accent'), width: 2, spanGaps: true },
            { label: names[1], stroke: colourOf(host, '--warn'), width: 2, spanGaps: true, dash: [6, 3] },
          ],
        },
        together(a, b),
        host,
      );
      const resized = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: HEIGHT }));
      resized.observe(host);
      stop = () => {
        resized.disconnect();
        plot.destroy();
      };
    });
    return () => {
      isGone = true;
      stop?.();
    };
  }, [isDrawn, a, b, names]);
  if (!isDrawn) return <p class="quiet">{t('curves-none')}</p>;
  const text = t('curves-chart', names[0], changeOf(a), names[1], changeOf(b));
  return (
    <>
      <div ref={box} class="chart" role="img" aria-label={text} />
      <p class="quiet">{text}</p>
    </>
  );
}

function changeOf(curve: RunCurve): string {
  return percent((percents(curve).at(-1) ?? 0) / 100, true);
}

/** The first point is the equity after the first bar, which may already include a gain. */
function percents({ equity, initial }: RunCurve): readonly number[] {
  const base = initial ?? equity[0] ?? 0;
  return equity.map((value) => (base > 0 ? (value / base - 1) * 100 : 0));
}

/** Both curves over all their times, with gaps where a curve has no value. */
function together(a: RunCurve, b: RunCurve): [number[], (number | null)[], (number | null)[]] {
  const times = [...new Set([...a.time, ...b.time])].toSorted((one, other) => one - other);
  const column = (curve: RunCurve): (number | null)[] => {
    const { time } = curve;
    const values = percents(curve);
    const at = new Map(time.map((instant, index) => [instant, values[index] ?? null]));
    return times.map((instant) => at.get(instant) ?? null);
  };
  return [times.map((time) => time / 1_000), column(a), column(b)];
}
