import type { BarReading, SignalReadings, SignalValues } from '../../ports/strategy-host.ts';
import type { RawSignal } from '../../signals/signal.ts';

/**
 * Reads the signal readings of bars from a thread that runs untrusted code, into copies that share nothing with it; undefined for a
 * value that is not a reading.
 */
export function readReadings({ readings }: Readonly<Record<string, unknown>>): SignalReadings | undefined {
  if (!Array.isArray(readings)) return undefined;
  const read: BarReading[] = [];
  for (const each of readings) {
    const reading = barReading(each);
    if (reading === undefined) return undefined;
    read.push(reading);
  }
  return { kind: 'readings', readings: read };
}

function barReading(value: unknown): BarReading | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { decides, raised } = value as Readonly<Record<string, unknown>>;
  if (typeof decides !== 'boolean' || !Array.isArray(raised) || !raised.every(isRaised)) return undefined;
  return { decides, raised };
}

function isRaised(value: unknown): value is RawSignal {
  if (typeof value !== 'object' || value === null) return false;
  const { name, direction, strength, values } = value as Readonly<Record<string, unknown>>;
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
