/** Settings of an oracle's `execution` and `account`, as a strategy YAML states them. */

/** No limit applies, and the market only costs what a section below sets. */
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

/** The assumptions of backtesting.py; exits work in the bar of a market entry. */
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

/** The assumptions of backtrader: one position, brackets work from the bar after their entry. */
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

/** Exact cash accounting with dividends and splits of raw prices. */
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
 * Ticks in exchange hours with a fee per share, over prices that are on no tick; on credit, as in that publisher's
 * accounts, so that a market order needs no more cash than the ask.
 */
export const PRINTS = (costs: string): string => `${NO_LIMITS.replace('risk:', 'risk:\n  useMargin: true')}
simulation:
  ticks: false
  interest: none
  ${costs}
`;

export const EXCLUSIVE = 'execution: { exclusive: true }\n';
