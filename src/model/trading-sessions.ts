/**
 * Sessions whose bars a run uses: `regular` only; `extended` adds pre-market and post-market, or the auctions of Hong
 * Kong; `all` adds the overnight session.
 */
export const TRADING_SESSIONS = ['regular', 'extended', 'all'] as const;
export type TradingSessions = (typeof TRADING_SESSIONS)[number];

export type OtherSession = 'pre' | 'post' | 'overnight' | 'opening-auction' | 'closing-auction';
