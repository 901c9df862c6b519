import { defineIndicator, type Series, type SignalInputs, trueRange } from '@sluice-trading/sluice';

const wilder = defineIndicator({
  name: 'seededWilder',
  start: () => {
    const n = 14;
    let count = 0;
    let average = 0;
    return (range) => {
      count += 1;
      if (count < n) {
        average += range / n;
        return Number.NaN;
      }
      average = count === n ? average + range / n : (average * (n - 1) + range) / n;
      return average;
    };
  },
});

/**
 * "Wilder ATR(14), seeded with the mean of the first 14 true ranges that have a previous close". Our indicator waits
 * until its value no longer depends on the seed; these rules do not.
 */
export function seededAtr(bars: SignalInputs['bars']): Series {
  return wilder([trueRange(bars)]);
}
