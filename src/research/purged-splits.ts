import { plural } from '../model/plural.ts';
import { ResearchError } from './research-error.ts';

/** A period cut into groups of consecutive days, some of which are tested in each split. */
export interface SplitPlan {
  /** Total number of days. */
  readonly days: number;
  readonly groups: number;
  /** Number of groups that are tested in one split. */
  readonly test: number;
  /** Days before and after each test period that are left out of training. */
  readonly purge: number;
  /** Days after each test period that are left out in addition. */
  readonly embargo: number;
}

/** One choice of tested groups. */
export interface PurgedSplit {
  readonly tested: readonly number[];
  /** 1 for each training day. */
  readonly isTrained: Uint8Array;
}

/** Maximum number of splits of one plan. */
const SPLITS_MAX = 20_000;

/**
 * Returns all splits of combinatorial purged cross-validation, in lexical order of the tested groups. Throws
 * ResearchError for an impossible plan.
 * @see Lopez de Prado, "Advances in Financial Machine Learning", 2018, chapter 12
 */
export function purgedSplits(plan: SplitPlan): readonly PurgedSplit[] {
  assertPlan(plan);
  const { days, groups, test, purge, embargo } = plan;
  const starts = groupStarts(days, groups);
  return combinations(groups, test).map((tested) => {
    const isTested = new Uint8Array(days);
    for (const group of tested) isTested.fill(1, starts[group], starts[group + 1]);
    const isTrained = isTested.map((value) => 1 - value);
    for (let day = 1; day < days; day += 1) {
      if (isTested[day] === isTested[day - 1]) continue;
      if (isTested[day] === 1) isTrained.fill(0, Math.max(0, day - purge), day);
      else isTrained.fill(0, day, Math.min(days, day + purge + embargo));
    }
    return { tested, isTrained };
  });
}

/** First day of each group, and one past the last; the last group contains the remainder. */
export function groupStarts(days: number, groups: number): readonly number[] {
  const length = Math.floor(days / groups);
  return Array.from({ length: groups + 1 }, (_, group) => (group === groups ? days : group * length));
}

/**
 * Paths through the whole period: `paths[path][group]` is the split whose test of that group the path uses. Each test
 * of each split is in exactly one path.
 */
export function pathsOf(splits: readonly PurgedSplit[], groups: number): readonly (readonly number[])[] {
  const bySplit = Array.from({ length: groups }, (_, group) =>
    splits.flatMap(({ tested }, split) => (tested.includes(group) ? [split] : [])),
  );
  return (bySplit[0] ?? []).map((_, path) => bySplit.map((own) => own[path] as number));
}

/** Throws ResearchError for impossible numbers of groups. */
export function assertGroups({ groups, test }: Pick<SplitPlan, 'groups' | 'test'>): void {
  if (groups < 3) no(`found ${plural(groups, 'group')}, want at least 3`);
  if (test < 1 || test >= groups)
    no(`found ${plural(test, 'tested group')} of ${groups}, want from 1 to ${groups - 1}`);
  let count = 1;
  for (let at = 0; at < test; at += 1) count = (count * (groups - at)) / (at + 1);
  if (count > SPLITS_MAX)
    no(`${groups} groups with ${test} tested are ${Math.round(count)} splits, want at most ${SPLITS_MAX}`);
}

function assertPlan({ days, groups, test, purge, embargo }: SplitPlan): void {
  assertGroups({ groups, test });
  const length = Math.floor(days / groups);
  if (purge + embargo >= length - 1)
    no(
      `a group has ${length} days (${days} in ${groups} groups), of which purge and embargo leave out ${purge + embargo}; choose fewer groups or a shorter purge`,
    );
}

function no(found: string): never {
  throw new ResearchError(`Cannot cross-validate: ${found}`);
}

function combinations(count: number, size: number): readonly (readonly number[])[] {
  const found: number[][] = [];
  const chosen: number[] = [];
  const extend = (from: number): void => {
    if (chosen.length === size) {
      found.push([...chosen]);
      return;
    }
    for (let next = from; next <= count - (size - chosen.length); next += 1) {
      chosen.push(next);
      extend(next + 1);
      chosen.pop();
    }
  };
  extend(0);
  return found;
}
