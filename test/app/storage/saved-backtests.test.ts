import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEPT_MAX, REMOVABLE_FILE, saveFinishedBacktest } from '#src/app/storage/saved-backtests.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runPage } from '#src/reports/run-page.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { bars } from '../../simulation/world.ts';

const idle = defineStrategy({ name: 'idle', params: {}, onBar: () => undefined });
const PAGE = runPage(
  runBacktest(setupOf(idle, [bars('AAPL.US', '1d', [['2024-03-04T00:00:00-05:00', 10, 10, 10, 10, 1_000]])])),
  [],
  { yaml: 'strategy: idle\n', yamlSha256: '', strategySha256: '', sluice: '', node: '' },
);

let project: string;
let parent: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-kept-'));
  parent = join(project, '.sluice/backtests');
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** A backtest whose strategy was last saved a minute before it began. */
function keep(options: readonly string[] = [], startedAt = Date.now()) {
  const { source: _, ...page } = PAGE;
  const strategy = join(project, 'idle.ts');
  const saved = Date.now() / 1_000 - 60;
  writeFileSync(strategy, "import './helper.ts';\n");
  writeFileSync(join(project, 'helper.ts'), '');
  utimesSync(strategy, saved, saved);
  utimesSync(join(project, 'helper.ts'), saved, saved);
  const files = { text: 'strategy: idle\n', account: undefined, codeFiles: [strategy] };
  return saveFinishedBacktest({ reported: { page, files }, startedAt, path: 'idle.yaml', options }, project);
}

/** A record that was stored this number of minutes ago. */
function earlier(name: string, minutes: number, files: readonly string[]): void {
  mkdirSync(join(parent, name), { recursive: true });
  for (const file of files) {
    writeFileSync(join(parent, name, file), '{}');
    const at = Date.now() / 1_000 - minutes * 60;
    utimesSync(join(parent, name, file), at, at);
  }
}

describe('a stored backtest', () => {
  it('has its page, the config that the command named, and the options that changed it', () => {
    const kept = keep(['--param fast=5']);
    const folder = 'folder' in kept ? join(project, kept.folder) : '';
    expect(readdirSync(folder).toSorted()).toEqual([REMOVABLE_FILE, 'run.json']);
    const page = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
    expect(page.report).toEqual(JSON.parse(JSON.stringify(PAGE.report)));
    expect(page.source).toMatchObject({ yaml: 'strategy: idle\n', options: ['--param fast=5'] });
  });

  it('replaces the oldest one of those that were stored by default', () => {
    for (let at = 1; at <= KEPT_MAX; at += 1) earlier(`old-${at}`, at, [REMOVABLE_FILE, 'run.json']);
    earlier('asked', 900, ['run.json']);
    earlier('with-notes', 900, [REMOVABLE_FILE, 'run.json', 'notes.md']);
    earlier('cut-off', 900, [REMOVABLE_FILE, 'run.json.part']);
    const kept = keep();
    const names = readdirSync(parent);
    expect(names).toContain('folder' in kept ? kept.folder.split('/').at(-1) : '');
    expect(names).toEqual(expect.arrayContaining(['old-1', `old-${KEPT_MAX - 1}`, 'asked', 'with-notes']));
    expect(names).not.toContain(`old-${KEPT_MAX}`);
    expect(names).not.toContain('cut-off');
    expect(readdirSync(join(parent, 'with-notes'))).toHaveLength(3);
  });

  it('has its own folder if several are stored in one second', () => {
    const kept = Array.from({ length: 5 }, () => keep());
    expect(new Set(kept.map((each) => ('folder' in each ? each.folder : ''))).size).toBe(5);
  });

  it('is missing with a warning if its folder cannot be created', () => {
    writeFileSync(join(project, '.sluice'), 'a file in its place');
    expect(keep()).toEqual({
      warning: expect.stringMatching(
        /^This backtest is not kept for "sluice compare" and the dashboard: E(?:EXIST|NOTDIR)/,
      ),
    });
  });

  it('is missing if code was saved while it ran, including code that the strategy imports', () => {
    expect(keep([], Date.now() - 3_600_000)).toEqual({
      warning: expect.stringMatching(/\.ts" was saved while it ran, so its figures may be of other code$/),
    });
  });

  it('is kept although all other records seem newer, as after the clock was set back', () => {
    for (let at = 1; at <= KEPT_MAX; at += 1) earlier(`later-${at}`, -at, [REMOVABLE_FILE, 'run.json']);
    const kept = keep();
    const name = 'folder' in kept ? (kept.folder.split('/').at(-1) ?? '') : '';
    expect(readdirSync(parent)).toContain(name);
    expect(readdirSync(parent)).toHaveLength(KEPT_MAX);
  });
});
