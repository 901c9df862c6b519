/** A project to begin with. Its files lie in `templates/<name>` of the package. */
export interface Template {
  /** One sentence for lists. */
  readonly doc: string;
  /** Its strategy, test and config have this name. */
  readonly strategy: string;
  /** Shipped series that it trades, copied from the package's `backtest-data`; the others lie in the template itself. */
  readonly data: readonly string[];
}

export const TEMPLATES = {
  momentum: {
    doc: 'buys what has risen; daily bars of the S&P 500, real prices',
    strategy: 'momentum',
    data: ['SPX.US'],
  },
  'mean-reversion': {
    doc: 'buys far below the average; daily bars of the S&P 500, real prices',
    strategy: 'mean-reversion',
    data: ['SPX.US'],
  },
  pairs: {
    doc: 'of two that move together, holds the one that lags; generated prices',
    strategy: 'pairs',
    data: [],
  },
  rebalance: {
    doc: 'holds three symbols in equal parts; generated prices',
    strategy: 'rebalance',
    data: [],
  },
  'hk-intraday': {
    doc: 'buys dips in minute bars of Hong Kong, limit orders in lots; generated prices',
    strategy: 'hk-intraday',
    data: ['DEMO.HK'],
  },
  empty: {
    doc: 'a strategy that decides nothing yet',
    strategy: 'my-strategy',
    data: ['SPX.US'],
  },
} as const satisfies Readonly<Record<string, Template>>;
export type TemplateName = keyof typeof TEMPLATES;

export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as readonly TemplateName[];
