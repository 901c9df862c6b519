import type { BarReading, SignalReadings, SignalValues } from '../../ports/strategy-host.ts';
import type { RawSignal } from '../../signals/signal.ts';
import { fieldsOf } from '../workers/read-fields.ts';

/**
 * Reads the signal readings of `count` bars from a thread that runs untrusted code, into copies that share nothing with it;
 * undefined for a value that is not that.
 */
export function readReadings(
  { readings }: Readonly<Record<string, unknown>>,
  count: number,
): SignalReadings | undefined {
  if (!Array.isArray(readings) || readings.length !== count) return undefined;
  const read: BarReading[] = [];
  for (const each of readings) {
    const { decides, raised } = fieldsOf(each);
    if (typeof decides !== 'boolean' || !Array.isArray(raised) || !raised.every(isRaised)) return undefined;
    read.push({ decides, raised });
  }
  return { kind: 'readings', readings: read };
}

function isRaised(value: unknown): value is RawSignal {
  const { name, direction, strength, values } = fieldsOf(value);
  return (
    typeof name === 'string' &&
    (direction === 'up' || direction === 'down') &&
    typeof strength === 'number' &&
    isFigures(values)
  );
}

function isFigures(value: unknown): value is SignalValues {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((figure) => typeof figure === 'number')
  );
}
