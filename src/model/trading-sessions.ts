/**
 * Sessions whose bars a run uses: regular trading alone; `extended`: pre-market and post-market, or the auctions of Hong Kong, too; `all`: the
 * overnight session as well.
 */
export const TRADING_SESSIONS = ['regular', 'extended', 'all'] as const;
export type TradingSessions = (typeof TRADING_SESSIONS)[number];

/** The session of a bar that is none of regular trading. */
export type OtherSession = 'pre' | 'post' | 'overnight' | 'opening-auction' | 'closing-auction';
