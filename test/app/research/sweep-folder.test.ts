import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SweepFolder } from '#src/app/research/sweep-folder.ts';
import type { TrialOutcome } from '#src/research/trial.ts';

it('a sweep that resumes keeps trials whose strategy failed, and runs those again that met a limit', () => {
  const project = mkdtempSync(join(tmpdir(), 'sluice-sweep-folder-'));
  try {
    const known = new Map<number, TrialOutcome>();
    const open = () =>
      new SweepFolder(join(project, 'sweep'), project, {
        ...{ count: 3, isFresh: false },
        onKnown: (trial, outcome) => known.set(trial, outcome),
      });
    const first = open();
    first.add(0, { kind: 'failed', message: '"onBar" threw' });
    first.add(1, { kind: 'failed', message: '"onBar" did not return within 1 s', isLimited: true });
    first.add(2, { kind: 'failed', message: 'the process of the trial ran out of memory', isLimited: true });
    first.close();
    const second = open();
    expect([...known.keys()]).toEqual([0]);
    second.add(1, { kind: 'failed', message: '"onBar" threw later' });
    second.close();
    open().close();
    expect([...known.values()].map(({ kind, ...rest }) => [kind, rest])).toEqual([
      ['failed', { message: '"onBar" threw' }],
      ['failed', { message: '"onBar" threw later' }],
    ]);
  } finally {
    rmSync(project, { recursive: true });
  }
});
