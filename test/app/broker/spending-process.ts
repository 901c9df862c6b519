import { of } from 'rxjs';
import { openSharedCallLog } from '#src/app/broker/shared-call-log.ts';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { CALL_BUDGET, createCallBudget } from '#src/execution/call-budget/call-budget.ts';
import { budgeted } from '#src/ports/budgeted.ts';

/**
 * A process that makes calls as fast as the shared call budget permits, from one message of its parent to the next,
 * and answers with their number. Argument: length of the window in milliseconds.
 */
const windowMs = Number(process.argv[2]);
const wall = (): number => Date.now();
const spent = openSharedCallLog({
  environment: process.env,
  account: 'account',
  credentials: 'key',
  now: wall,
  warn: (text) => process.stderr.write(`${text}\n`),
});
// All processes read the same clock, so that their calls can be compared to the millisecond.
const clock = createSystemClock(undefined, { wall, monotonic: wall, uptime: wall });
const budget = createCallBudget(clock, { ...CALL_BUDGET, windowMs, answerWaitMs: 0 }, spent);
let made = 0;
let isOver = false;

function call(): void {
  if (isOver) return;
  budgeted(budget, 'protect', { work: (depart) => depart(of('sent')), refused: 'refused' }).subscribe({
    next: () => {
      made += 1;
    },
    complete: () => setImmediate(call),
  });
}

process.once('message', () => {
  for (let waiting = 0; waiting < 10; waiting += 1) call();
  process.once('message', () => {
    isOver = true;
    process.send?.(made, () => process.exit(0));
  });
});
process.send?.('ready');
