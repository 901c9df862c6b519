/** Settings that an oracle's `execution` and `account` name, as a strategy YAML writes them. */

/** No limit of ours applies, and the market only costs what a section below sets. */
const NO_LIMITS = `
charges: none
risk:
  allowShort: true
  maxOrderNotional: 100000000 USD
  maxOrderQuantity: 1000000000 shares
  maxPositionQuantity: 1000000000 shares
  maxPositionWeight: 500%
  maxGrossExposure: 500%
  maxNetExposure: 500%
  maxOpenOrders: 100
  maxOrderRate: 1000/min
  maxRepeats: 1000
  priceCollar: 50%
  maxQuoteJump: 100%
  marginHeadroom: 0.0001%
  maxDailyLoss: 100%
  maxDrawdown: 100%
  maxUnattendedFills: 10000
`;

/** What backtesting.py assumes; exits are live in the bar of an entry at the market. */
export const BACKTESTING = (costs: string): string => `${NO_LIMITS}
simulation:
  matching: whole-bars
  interest: none
  hours: bars
  ticks: false
  lots: false
  positions: tranches
  exits: entry-bar
  stopLimit: limit-beyond
  cover: at-fill
  shortfall: cut
  marginCall: close-out-at-zero
  ${costs}
`;

/** What backtrader assumes: one position, brackets live from the bar after their entry. */
export const BACKTRADER = (costs: string): string => `${NO_LIMITS}
simulation:
  matching: whole-bars
  interest: none
  hours: bars
  ticks: false
  lots: false
  cover: rehearsed
  ${costs}
`;

/** Exact accounting of cash, with dividends and splits of raw prices. */
export const ACCOUNTS = (costs: string): string => `${NO_LIMITS}
simulation:
  matching: whole-bars
  interest: none
  hours: bars
  ticks: false
  lots: false
  cover: at-fill
  shortfall: cut
  corporateActions: true
  ${costs}
`;

/**
 * Prints in the exchange's hours with a fee per share, over prices that lie on no tick; on credit, as that publisher's accounts
 * are, so that a market order needs no more cash than the ask.
 */
export const PRINTS = (costs: string): string => `${NO_LIMITS.replace('risk:', 'risk:\n  useMargin: true')}
simulation:
  ticks: false
  interest: none
  ${costs}
`;

export const EXCLUSIVE = 'execution: { exclusive: true }\n';
