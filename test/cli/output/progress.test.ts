import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { importData } from '#src/cli/data/import.ts';
import { boundedAlarms } from '#src/cli/output/alarm-line.ts';
import { openProgress } from '#src/cli/output/progress.ts';
import type { Terminal } from '#src/cli/output/terminal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import { screenOf } from '../a-screen.ts';

const SAVED_CURSOR = new RegExp(`${String.fromCharCode(27)}[78]`, 'g');

/** A progress bar on a terminal or none, with a machine clock that is set by hand. */
function opened(isTTY: boolean) {
  const written: string[] = [];
  const time = { now: 0 };
  const sink = { isTTY, colour: false, write: (more: string) => void written.push(more) };
  const progress = openProgress('Download 700.HK', sink, { now: () => time.now });
  const wait = (ms: number): void => {
    time.now += ms;
  };
  return { progress, text: () => written.join(''), wait };
}

describe('a progress bar', () => {
  it('shows how much is done, and disappears at the end', () => {
    const { progress, text, wait } = opened(true);
    wait(1_000);
    progress.at(0.25, '1,000 bars');
    expect(text()).toContain(`Download 700.HK  ${'█'.repeat(7)}${'░'.repeat(21)} 25%  1,000 bars`);
    progress.end();
    expect(screenOf(text().replaceAll(SAVED_CURSOR, ''))).toEqual(['']);
    const atEnd = text();
    progress.end();
    expect(text()).toBe(atEnd);
  });

  it('does not appear for quick work, nor anywhere but on a terminal', () => {
    const quick = opened(true);
    quick.wait(299);
    quick.progress.at(0.5);
    quick.progress.end();
    expect(quick.text()).toBe('');
    const piped = opened(false);
    piped.wait(10_000);
    piped.progress.at(0.5, 'half');
    piped.progress.end();
    expect(piped.text()).toBe('');
  });

  it('moves below lines that stay', () => {
    const { progress, text, wait } = opened(true);
    wait(1_000);
    progress.at(0.5);
    progress.say('a warning\n');
    progress.at(0.75);
    progress.end();
    expect(screenOf(text().replaceAll(SAVED_CURSOR, ''))).toEqual(['a warning', '']);
  });

  it('keeps its share between 0 and 1', () => {
    const { progress, text, wait } = opened(true);
    wait(1_000);
    progress.at(-1);
    progress.at(7);
    expect(text()).toContain(' 0%');
    progress.end();
    expect(text()).not.toMatch(/-\d|\d{3,}0%/);
  });
});

describe('sluice data import', () => {
  it('shows how much of a file has been read, on a terminal', async () => {
    const project = mkdtempSync(join(tmpdir(), 'sluice-import-bar-'));
    onTestFinished(() => rmSync(project, { recursive: true, force: true }));
    const rows = Array.from(
      { length: 20_000 },
      (_, minute) => `${1_704_153_600 + minute * 60},10,12,9,11,100`,
    );
    writeFileSync(join(project, 'bars.csv'), `time,open,high,low,close,volume\n${rows.join('\n')}\n`);
    // Hours pass between the start of the work and the first piece of the file, which makes it long on any machine.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let seen = '';
    const terminal: Terminal = {
      out: () => {},
      err: () => {},
      view: {
        isTTY: true,
        colour: false,
        write: (text) => {
          seen += text;
        },
      },
      colour: false,
    };
    const flags = {
      symbol: securitySymbol('AAPL.US'),
      period: '1m',
      dir: 'data',
      as: 'bars',
      volume: true,
    } as const;
    const facts = { name: 'Apple', kind: 'stock', currency: 'USD', lot: 1, source: 'a test' } as const;
    const work = importData(
      join(project, 'bars.csv'),
      { ...flags, ...facts, onBadRow: 'stop' },
      { terminal, project, exit: () => {}, over: () => {} },
    );
    vi.advanceTimersByTime(3_600_000);
    await work;
    expect(seen).toMatch(/Import bars\.csv {2}[█░]{28} \d+%/);
    expect(screenOf(seen.replaceAll(SAVED_CURSOR, ''))).toEqual(['']);
  });
});

describe('alarms of a run in virtual time', () => {
  it('are printed one by one, the first 20 of them, and counted beyond', () => {
    const lines: string[] = [];
    const alarms = boundedAlarms((line) => lines.push(line));
    for (let count = 0; count < 25; count += 1) {
      alarms.raise({
        code: 'order-left-out',
        message: 'no size',
        at: millis(Date.parse('2004-12-02T14:30:00Z')),
      });
    }
    alarms.end();
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe('ALARM order-left-out: 2004-12-02 14:30 UTC: no size\n');
    expect(lines.at(-1)).toBe('5 more alarms\n');
  });
});
