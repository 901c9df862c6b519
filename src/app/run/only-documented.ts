import type { BotConfig } from '../../config/bot-config.ts';
import type { StrategyEvent } from '../../strategy/strategy-event.ts';
import { EnvironmentError } from '../broker/environment-error.ts';

/** Limitations of an API with only the documented calls; printed when a bot starts. */
export const REDUCED_GUARANTEES: readonly string[] = [
  'This API has only what the source document describes (--only-documented, broker.onlyDocumented). What that means:',
  '  - Orders cannot be cancelled or replaced. A kill or halt stops new orders; working orders continue until filled or expired.',
  '  - No exits, brackets or order algorithms, no cancelAfter: they need cancels. Rebalances work.',
  "  - Fills are read from each order's own figures (filled quantity and average price), at 1, 2 and 4 s and then every 5 s as calls allow.",
  "    Executions between two reads become one fill; cash can differ from the broker's by the rounding of the average.",
  '  - An order whose answer is lost stays unknown: its symbol opens nothing until you look it up and run "sluice settle".',
  '  - Orders of others on the account are not seen. They show as books that differ.',
  '  - It does not state whose account the credentials open, so "broker.account" is not compared with it, and real money is refused.',
  '  - Prices are the bars of the history command (27), read when they close. No quotes, depth or halts: no "onQuote", and between',
  '    bars an order is judged by the newest minute, so "risk.maxQuoteAge" may have to be 2m.',
];

/** Throws EnvironmentError with all features of a bot that such an API does not support. */
export function assertDocumentedSuffices(
  { path, execution, members }: Pick<BotConfig, 'path' | 'execution' | 'members'>,
  listensTo: readonly ReadonlySet<StrategyEvent['kind']>[],
): void {
  const policies = [execution, ...members.map((member) => member.execution)];
  const problems = [
    ...(policies.some(({ cancelAfterMs }) => cancelAfterMs !== undefined)
      ? ['"execution.cancelAfter" needs a cancel: leave it out; day orders end with their day']
      : []),
    ...(policies.some(({ exclusive }) => exclusive === true)
      ? ['"execution.exclusive" needs a cancel: leave it out']
      : []),
    ...(listensTo.some((kinds) => kinds.has('quote'))
      ? ['the strategy has "onQuote", and no quotes are pushed: use "onBar"']
      : []),
  ];
  if (problems.length === 0) return;
  throw new EnvironmentError(
    `Cannot run "${path}" on an API that has only what the source document describes. Nothing was ordered\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  );
}
