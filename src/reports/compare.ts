import { firstDay } from './first-day.ts';
import type { Report } from './json.ts';
import type { RunPage } from './run-page.ts';

/** One figure of two runs; null if a run has none. `kind` is its unit: a share, a ratio, money or a count. */
export interface ComparedFigure {
  readonly name: string;
  readonly kind: 'share' | 'ratio' | 'money' | 'count';
  readonly a: number | null;
  readonly b: number | null;
}

/** The figures of two runs, side by side. */
export interface Comparison {
  readonly a: RunName;
  readonly b: RunName;
  readonly figures: readonly ComparedFigure[];
  /** Why the figures do not show which run is better; empty if the runs are comparable. */
  readonly caveats: readonly string[];
  /**
   * Lines of one config that the other does not have, as written, without comments; then options of the command that
   * changed the config.
   */
  readonly onlyInA: readonly string[];
  readonly onlyInB: readonly string[];
  readonly sameStrategyCode: boolean;
}

/** A reason why two runs are not comparable: a difference between them, or too few closed trades. */
export type Caveat =
  | {
      readonly kind: 'spans' | 'symbols' | 'currencies' | 'origins' | 'modes';
      readonly a: string;
      readonly b: string;
    }
  | { readonly kind: 'few-trades'; readonly least: number };

/** Name of a run in a comparison. */
export interface RunName {
  readonly mode: string;
  readonly strategy: string;
  readonly config: string;
  /** Of its equity. */
  readonly currency: string;
}

/** Compares two runs figure by figure, and lists what makes them incomparable. */
export function compareRunPages(a: RunPage, b: RunPage): Comparison {
  const [linesA, linesB] = [configLines(a), configLines(b)];
  return {
    a: nameOf(a.report),
    b: nameOf(b.report),
    figures: FIGURES.map(({ name, kind, of }) => ({ name, kind, a: of(a.report), b: of(b.report) })),
    caveats: caveatsOf(a.report, b.report).map(caveatText),
    onlyInA: linesA.filter((line) => !linesB.includes(line)),
    onlyInB: linesB.filter((line) => !linesA.includes(line)),
    sameStrategyCode: a.source.strategySha256 === b.source.strategySha256,
  };
}

const FIGURES: readonly (Pick<ComparedFigure, 'name' | 'kind'> & {
  readonly of: (report: Report) => number | null;
})[] = [
  { name: 'Return', kind: 'share', of: ({ figures }) => figures.totalReturn },
  { name: 'CAGR', kind: 'share', of: ({ figures }) => figures.cagr },
  { name: 'Max drawdown', kind: 'share', of: ({ figures }) => figures.maxDrawdown.share },
  { name: 'Sharpe', kind: 'ratio', of: ({ figures }) => figures.sharpe },
  { name: 'Sortino', kind: 'ratio', of: ({ figures }) => figures.sortino ?? null },
  { name: 'Volatility', kind: 'share', of: ({ figures }) => figures.volatility },
  { name: 'Exposure', kind: 'share', of: ({ figures }) => figures.exposure },
  { name: 'Final equity', kind: 'money', of: ({ figures }) => figures.finalEquity },
  { name: 'Closed trades', kind: 'count', of: ({ figures }) => figures.closedTrades },
  { name: 'Win rate', kind: 'share', of: ({ figures }) => figures.winShare },
  { name: 'Average trade', kind: 'share', of: ({ figures }) => figures.averageReturn },
  { name: 'Orders', kind: 'count', of: ({ flow }) => flow.orders },
  { name: 'Denied', kind: 'count', of: ({ flow }) => flow.denied },
  { name: 'Fills', kind: 'count', of: ({ flow }) => flow.fills },
];

function nameOf({ mode, strategy, config, currency }: Report): RunName {
  return { mode, strategy, config, currency };
}

function configLines({ source }: RunPage): readonly string[] {
  const lines = source.yaml
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trimEnd())
    .filter((line) => line !== '');
  return [...lines, ...(source.options ?? [])];
}

/** Returns the reasons as data, for a page with its own texts. */
export function caveatsOf(a: Report, b: Report): readonly Caveat[] {
  const span = (report: Report): string => `${firstDay(report)} to ${report.to.slice(0, 10)}`;
  const symbols = ({ securities }: Report): string => securities.map(({ symbol }) => symbol).join(', ');
  const origins = ({ securities }: Report): string =>
    [...new Set(securities.map(({ origin }) => origin.kind))].sort().join(' and ');
  const unequal = (
    kind: Exclude<Caveat['kind'], 'few-trades'>,
    of: (report: Report) => string,
  ): readonly Caveat[] => (of(a) === of(b) ? [] : [{ kind, a: of(a), b: of(b) }]);
  const few = [a, b].some(({ figures }) => figures.closedTrades < LEAST_TRADES);
  return [
    ...unequal('spans', span),
    ...unequal('symbols', symbols),
    ...unequal('currencies', ({ currency }) => currency),
    ...unequal('origins', origins),
    ...unequal('modes', ({ mode }) => mode),
    ...(few ? [{ kind: 'few-trades', least: LEAST_TRADES } as const] : []),
  ];
}

const DIFFER = {
  spans: 'Spans',
  symbols: 'Symbols',
  currencies: 'Currencies',
  origins: 'Kinds of prices',
  modes: 'Modes',
} as const;

function caveatText(caveat: Caveat): string {
  return caveat.kind === 'few-trades'
    ? `Too few samples: a run with under ${caveat.least} closed trades proves little either way`
    : `${DIFFER[caveat.kind]} differ: ${caveat.a} / ${caveat.b}`;
}

/** Number of closed trades that both runs need; fewer are reported as a caveat. */
const LEAST_TRADES = 30;
