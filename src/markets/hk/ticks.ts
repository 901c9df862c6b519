import { calendarDay } from '../../model/time.ts';
import type { DatedLadder, MarketTicks } from '../market-record.ts';
import { CENTS, tickLadderOf, undatedLadder } from '../tick-ladders.ts';

const OLD = tickLadderOf(
  ['0', '0.001'],
  ['0.25', '0.005'],
  ['0.5', '0.01'],
  ['10', '0.02'],
  ['20', '0.05'],
  ['100', '0.1'],
  ['200', '0.2'],
  ['500', '0.5'],
  ['1000', '1'],
  ['2000', '2'],
  ['5000', '5'],
);

const PHASE_1 = tickLadderOf(
  ['0', '0.001'],
  ['0.25', '0.005'],
  ['0.5', '0.01'],
  ['20', '0.02'],
  ['50', '0.05'],
  ['100', '0.1'],
  ['200', '0.2'],
  ['500', '0.5'],
  ['1000', '1'],
  ['2000', '2'],
  ['5000', '5'],
);

const PHASE_2 = tickLadderOf(
  ['0', '0.001'],
  ['0.25', '0.005'],
  ['10', '0.01'],
  ['20', '0.02'],
  ['50', '0.05'],
  ['100', '0.1'],
  ['200', '0.2'],
  ['500', '0.5'],
  ['1000', '1'],
  ['2000', '2'],
  ['5000', '5'],
);

const SOURCE = 'hkex.com.hk, "Reduction of minimum spreads"; docs/venue.md, "The market"';

/**
 * Shares and REITs, newest first. Phase 2 was announced for about the middle of 2026 and is not confirmed. Until then
 * phase 1 stays in force; its prices are also valid in phase 2.
 */
const SHARES: readonly DatedLadder[] = [
  { name: 'phase 2', from: calendarDay('2026-07-01'), confirmed: false, source: SOURCE, ladder: PHASE_2 },
  { name: 'phase 1', from: calendarDay('2025-08-04'), confirmed: true, source: SOURCE, ladder: PHASE_1 },
  undatedLadder('before', SOURCE, OLD),
];

const STRUCTURED = [undatedLadder('structured products', SOURCE, OLD)];

/**
 * Exchange traded products.
 * @see docs/venue.md, "The market" (medium confidence)
 */
const FUNDS = [
  undatedLadder(
    'exchange traded products',
    SOURCE,
    tickLadderOf(
      ['0', '0.001'],
      ['1', '0.002'],
      ['5', '0.005'],
      ['10', '0.01'],
      ['20', '0.02'],
      ['100', '0.05'],
      ['200', '0.1'],
      ['500', '0.2'],
      ['1000', '0.5'],
      ['2000', '1'],
    ),
  ),
];

export const HK_TICKS: MarketTicks = {
  stock: SHARES,
  reit: SHARES,
  warrant: STRUCTURED,
  cbbc: STRUCTURED,
  etf: FUNDS,
  index: CENTS,
  option: CENTS,
};
