import { describe, expect, it } from 'vitest';
import { LIMITS } from '#src/risk/limits.ts';
import { RULES } from '#src/risk/rules.ts';
import { STRATEGY_LIMITS } from '#src/risk/strategy-limits.ts';
import type { Row, World } from './bound-row.ts';
import { ACCOUNT_ROWS, FLOW_ROWS, ORDER_ROWS } from './bound-rows.ts';
import { FACT_ROWS, RESERVED_ROWS } from './bound-rows-facts.ts';
import { OWN_ROWS } from './bound-rows-own.ts';
import { type BoundedRig, boundedRig, limitsIn } from './bounded.ts';

const ROWS = [...ACCOUNT_ROWS, ...FLOW_ROWS, ...ORDER_ROWS, ...FACT_ROWS, ...RESERVED_ROWS];

/** Rules that a single order at a limit cannot show, with the tests that cover them. */
const ELSEWHERE = {
  'estimate-fits': 'test/risk/facts-rules.test.ts: the gate itself always asks for the very order',
  'repeated-breach': 'test/risk/bound-days.test.ts: it moves the gate and denies no order by itself',
} as const;

const named = (rows: readonly Row[]) =>
  rows.map((row) => [`${row.rule}${row.limit === undefined ? '' : ` (${row.limit})`}`, row] as const);

/** The rig of a row, with its limits from YAML. */
function rigFor({ limit, also, world }: Row, part: World | undefined, whose: 'account' | 'own'): BoundedRig {
  const limits = { ...(limit === undefined ? {} : limitsIn(limit)), ...(also ? limitsIn(also) : {}) };
  // The account decides first whether more may be sold than is held, also in rows about the strategy's own part.
  const rig = boundedRig(whose === 'own' ? { own: limits, limits: { allowShort: true } } : { limits });
  world?.(rig);
  part?.(rig);
  return rig;
}

function holds(row: Row, whose: 'account' | 'own'): void {
  const [order, part] = row.at;
  const live = rigFor(row, part, whose);
  const after = rigFor(row, part, whose).restarted();
  for (const rig of [live, after]) expect(rig.judge(order)).toMatchObject({ kind: 'approved' });
}

function denies(row: Row, whose: 'account' | 'own'): void {
  const [order, part] = row.beyond;
  const live = rigFor(row, part, whose);
  const after = rigFor(row, part, whose).restarted();
  for (const rig of [live, after]) {
    const before = rig.state.gate.standing;
    const verdict = rig.judge(order);
    expect(verdict).toMatchObject({ kind: 'denied', rule: row.rule });
    expect(verdict.kind === 'denied' && verdict.reason).toContain(row.says);
    if (row.moves === undefined) expect(rig.state.gate.standing).toEqual(before);
    else expect(rig.state.gate.standing).toMatchObject({ state: row.moves, rule: row.rule });
  }
}

describe('a limit of the account', () => {
  it.each(named(ROWS))('passes an order that reaches it, also after a crash: %s (I-15)', (_name, row) =>
    holds(row, 'account'),
  );

  it.each(named(ROWS))(
    'denies one step beyond, with the number, also after a crash: %s (I-15)',
    (_name, row) => denies(row, 'account'),
  );
});

describe('a limit of a strategy', () => {
  it.each(named(OWN_ROWS))('passes an order that reaches it, also after a crash: %s (I-15)', (_name, row) =>
    holds(row, 'own'),
  );

  it.each(named(OWN_ROWS))(
    'denies one step beyond, with the number, also after a crash: %s (I-15)',
    (_name, row) => denies(row, 'own'),
  );
});

describe('the table of bounds', () => {
  it('lists exactly the existing rules', () => {
    const limits = Object.values(LIMITS).map(({ rule }) => rule);
    const own = STRATEGY_LIMITS.map((name) => `own-${LIMITS[name].rule}`);
    const all = new Set([...RULES.map(({ name }) => name), ...limits, ...own, 'call-budget']);
    const held = new Set([...[...ROWS, ...OWN_ROWS].map(({ rule }) => rule), ...Object.keys(ELSEWHERE)]);
    expect([...held].sort()).toEqual([...all].sort());
  });

  it('has a row for every limit that a YAML may set', () => {
    const set = ROWS.flatMap(({ limit }) => (limit === undefined ? [] : Object.keys(limitsIn(limit))));
    const moved = ['maxBreaches', 'breachWindow'];
    expect([...new Set([...set, ...moved])].sort()).toEqual(Object.keys(LIMITS).sort());
  });
});
