/**
 * A project template. Its files are in `templates/<name>` of the package, or among the included strategies and
 * configs.
 */
export interface Template {
  /** One sentence for lists. */
  readonly doc: string;
  /** Its strategy, test and config have this name. */
  readonly strategy: string;
  /** True if its strategy and config are in the package's `strategies` and `config`. */
  readonly ships: boolean;
  /** Included series that it trades, copied from the package's `backtest-data`. */
  readonly data: readonly string[];
}

export const TEMPLATES = {
  momentum: {
    doc: 'buys what has risen; daily bars of the S&P 500, real prices',
    strategy: 'momentum',
    ships: false,
    data: ['SPX.US'],
  },
  'mean-reversion': {
    doc: 'buys far below the average; daily bars of the S&P 500, real prices',
    strategy: 'mean-reversion',
    ships: true,
    data: ['SPX.US'],
  },
  pairs: {
    doc: 'of two that move together, holds the one that lags; generated prices',
    strategy: 'pairs',
    ships: true,
    data: ['ALPHA.US', 'BETA.US'],
  },
  rebalance: {
    doc: 'holds three symbols in equal parts; generated prices',
    strategy: 'rebalance',
    ships: true,
    data: ['STOCKS.US', 'BONDS.US', 'GOLD.US'],
  },
  'hk-intraday': {
    doc: 'buys dips in minute bars of Hong Kong, limit orders in lots; generated prices',
    strategy: 'hk-intraday',
    ships: false,
    data: ['DEMO.HK'],
  },
  empty: {
    doc: 'a strategy that decides nothing yet',
    strategy: 'my-strategy',
    ships: false,
    data: ['SPX.US'],
  },
} as const satisfies Readonly<Record<string, Template>>;
export type TemplateName = keyof typeof TEMPLATES;

export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as readonly TemplateName[];
