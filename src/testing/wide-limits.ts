import { Decimal } from '../model/decimal.ts';
import { HOUR_MS } from '../model/time.ts';
import { defaultLimits, type RiskLimits } from '../risk/limits.ts';

/** Limits that no reasonable strategy reaches; selling more than is held stays forbidden. */
export function wideLimits(currency: string): RiskLimits {
  const [wide, most] = [new Decimal(100), new Decimal(1_000_000_000)];
  return {
    ...defaultLimits(currency),
    maxOrderNotional: { amount: most, currency },
    maxOrderQuantity: most,
    maxPositionWeight: wide,
    maxPositionQuantity: most,
    maxGrossExposure: wide,
    maxNetExposure: wide,
    maxOpenOrders: 1_000,
    maxOrderRate: 1_000,
    maxRepeats: 1_000,
    priceCollar: wide,
    maxQuoteJump: wide,
    marginHeadroom: new Decimal(0),
    maxDailyLoss: wide,
    maxDrawdown: wide,
    maxUnattendedFills: 10_000,
    maxBreaches: 1_000,
    maxQuoteAge: HOUR_MS,
  };
}
