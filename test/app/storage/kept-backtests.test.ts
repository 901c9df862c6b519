import {
  existsSync,
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
import { KEPT_MAX, keepFinished, REMOVABLE_FILE } from '#src/app/storage/kept-backtests.ts';
import type { ReportedPage } from '#src/app/storage/run-source.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runPage } from '#src/reports/run-page.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { bars } from '../../simulation/world.ts';

const idle = defineStrategy({ name: 'idle', params: {}, onBar: () => undefined });
const PAGE = runPage(
  runBacktest(setupOf(idle, [bars('AAPL.US', '1d', [['2024-03-04T00:00:00-05:00', 10, 10, 10, 10, 1_000]])])),
  [],
  { yaml: '', yamlSha256: '', strategySha256: '', sluice: '', node: '' },
);

let project: string;
let parent: string;
let reported: ReportedPage;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-kept-'));
  parent = join(project, '.sluice/backtests');
  const strategyFile = join(project, 'idle.ts');
  writeFileSync(strategyFile, 'a strategy');
  writeFileSync(join(project, 'idle.yaml'), 'strategy: idle\n');
  reported = {
    page: PAGE,
    config: { path: '../of another project.yaml', broker: undefined },
    strategyFile,
    memberFiles: [],
  };
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const keep = (options: readonly string[] = []) =>
  keepFinished({ reported, path: 'idle.yaml', options }, project);

/** A record that was kept so many minutes ago. */
function earlier(name: string, minutes: number, files: readonly string[]): void {
  mkdirSync(join(parent, name), { recursive: true });
  for (const file of files) {
    writeFileSync(join(parent, name, file), '{}');
    const at = Date.now() / 1_000 - minutes * 60;
    utimesSync(join(parent, name, file), at, at);
  }
}

describe('a backtest that is kept', () => {
  it('has its page, the config that the command named, and the options that changed it', () => {
    const kept = keep(['--param fast=5']);
    const folder = 'folder' in kept ? join(project, kept.folder) : '';
    expect(readdirSync(folder).toSorted()).toEqual([REMOVABLE_FILE, 'run.json']);
    const page = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
    expect(page.report).toEqual(JSON.parse(JSON.stringify(PAGE.report)));
    expect(page.source).toMatchObject({ yaml: 'strategy: idle\n', options: ['--param fast=5'] });
  });

  it('takes the place of the oldest one, and of those alone that were kept unasked', () => {
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

  it('has its own folder where several are kept in one second', () => {
    const kept = Array.from({ length: 5 }, () => keep());
    expect(new Set(kept.map((each) => ('folder' in each ? each.folder : ''))).size).toBe(5);
  });

  it('is missing with a warning where its folder cannot be made', () => {
    writeFileSync(join(project, '.sluice'), 'a file in its place');
    expect(keep()).toEqual({
      warning: expect.stringMatching(
        /^This backtest is not kept for "sluice compare" and the dashboard: E(?:EXIST|NOTDIR)/,
      ),
    });
  });

  it('leaves nothing behind where its config is gone by then', () => {
    rmSync(join(project, 'idle.yaml'));
    expect(keep()).toEqual({ warning: expect.stringContaining('ENOENT') });
    expect(existsSync(parent)).toBe(false);
  });
});
