import { fitsSessions } from '../../markets/trading-sessions.ts';
import { PERIODS } from '../../model/period.ts';
import type { ConfigProblem } from '../config-problem.ts';
import { badValue, type LocatedTree } from '../yaml/located.ts';
import { valueAt } from '../yaml/tree-value.ts';

/**
 * Checks that orders outside regular hours are limit orders, and that sessions other than regular ones have bars of a
 * suitable period and a market with calendar hours and tick matching.
 */
export function sessionProblems(where: LocatedTree): readonly ConfigProblem[] {
  const at: At = (...path) => valueAt(where.tree.value, path);
  return [...heldProblems(where, at), ...outsideProblems(where, at)];
}

type At = (...path: readonly string[]) => unknown;

function outsideProblems(where: LocatedTree, at: At): readonly ConfigProblem[] {
  const outside = at('execution', 'outsideRth');
  if ((outside !== 'any-time' && outside !== 'overnight') || at('execution', 'orderType') === 'LO') return [];
  const wanted = '"rth-only" unless "orderType" is "LO": outside regular hours only limits are traded';
  return [badValue(where, ['execution', 'outsideRth'], outside, wanted, { code: 'conflict' })];
}

function heldProblems(where: LocatedTree, at: At): readonly ConfigProblem[] {
  const sessions = at('sessions');
  if (sessions !== 'extended' && sessions !== 'all') return [];
  const period = PERIODS.find((each) => each === at('period'));
  const problem = (wanted: string): ConfigProblem =>
    badValue(where, ['sessions'], sessions, wanted, { code: 'conflict' });
  return [
    ...(period === undefined || fitsSessions(period)
      ? []
      : [
          problem(
            `"regular", or a "period" of ${PERIODS.filter(fitsSessions).join(', ')}, which every session is made of`,
          ),
        ]),
    ...(at('simulation', 'matching') === 'whole-bars' || at('simulation', 'hours') === 'bars'
      ? [problem('"regular" unless orders meet prints ("matching") in the hours of the calendar ("hours")')]
      : []),
  ];
}
