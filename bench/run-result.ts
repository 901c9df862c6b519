import type { RunRecord } from '../src/events/run-record.ts';
import { performanceOf } from '../src/reports/performance.ts';
import type { Gate } from './benchmark.ts';

/** What every engine must agree on before its speed means anything. */
export interface RunResult {
  readonly fills: number;
  readonly finalEquity: number;
  readonly maxDrawdown: number;
}

/** Largest relative difference of equity and drawdown. */
const TOLERANCE = 1e-9;

/** What a finished run came to, with its statistics computed. */
export function resultOf(record: RunRecord): RunResult {
  const { finalEquity, maxDrawdown } = performanceOf(record);
  return { fills: record.flow.fills, finalEquity, maxDrawdown: maxDrawdown.share };
}

/** Equal trades and equity, or the figure does not count. */
export function sameResult(ours: RunResult, yardstick: RunResult): readonly Gate[] {
  return [
    {
      what: 'as many fills, and more than none',
      holds: yardstick.fills > 0 && ours.fills === yardstick.fills,
      saw: `${ours.fills} and ${yardstick.fills}`,
    },
    near('final equity', ours.finalEquity, yardstick.finalEquity),
    near('maximum drawdown', ours.maxDrawdown, yardstick.maxDrawdown),
  ];
}

function near(what: string, ours: number, yardstick: number): Gate {
  const difference = Math.abs(ours - yardstick) / Math.abs(yardstick);
  return {
    what: `${what} within ${TOLERANCE} of it`,
    holds: difference <= TOLERANCE,
    saw: `${ours} and ${yardstick}`,
  };
}
