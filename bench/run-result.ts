import type { RunRecord } from '../src/events/run-record.ts';
import { performanceOf } from '../src/reports/performance.ts';
import type { Gate } from './benchmark.ts';

/** The results on which all engines must agree before their speed is compared. */
export interface RunResult {
  readonly fills: number;
  readonly finalEquity: number;
  readonly maxDrawdown: number;
}

/** Maximum relative difference of equity and drawdown. */
const TOLERANCE = 1e-9;

/** The result of a finished run, with its statistics. */
export function resultOf(record: RunRecord): RunResult {
  const { finalEquity, maxDrawdown } = performanceOf(record);
  return { fills: record.flow.fills, finalEquity, maxDrawdown: maxDrawdown.share };
}

/** Throws unless trades and equity are equal. */
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
