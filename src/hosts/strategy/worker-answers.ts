import type { Bar } from '../../model/bar.ts';
import type { BarReading, SignalReadings, StrategyFailure } from '../../ports/strategy-host.ts';
import type { ThreadAnswer, ThreadQuestion } from './worker-messages.ts';

/** Whether an answer is one to what was asked. */
export function fits(question: ThreadQuestion, answer: ThreadAnswer): boolean {
  if (answer.kind === 'failed') return true;
  if (question.kind === 'event') return answer.kind === 'drafts';
  if (question.kind === 'nodes' || question.kind === 'series') return answer.kind === question.kind;
  return answer.kind === 'readings' && answer.readings.length === question.bars.length;
}

/** The readings of bars of a strategy without signals. */
export function quietReadings(bars: readonly Bar[]): SignalReadings {
  return { kind: 'readings', readings: bars.map(() => NOTHING_SAID) };
}

/** Never given: an answer that does not fit its question is a fault before it gets here. */
export const ODD_ANSWER: StrategyFailure = {
  kind: 'failed',
  message: 'The answer does not fit its question',
  stack: '',
};

const NOTHING_SAID: BarReading = { decides: true, raised: [] };
