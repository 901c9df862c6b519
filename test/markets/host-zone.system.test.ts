import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MAIN } from '../fixtures/built-package.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const SCRIPT = `
const { sessionsOf, dayOf } = await import(process.argv[1]);
const { addDays } = await import(process.argv[2]);
let text = '';
for (let day = '2025-01-01'; day < '2026-01-15'; day = addDays(day, 1)) {
  for (const market of ['HK', 'US', 'FX']) {
    for (const session of sessionsOf(market, day)) text += market + dayOf(market, session.open) + session.open + ';';
  }
}
process.stdout.write(text);
`;

function sessionsIn(zone: string): string {
  const sessions = new URL('../../src/markets/sessions.ts', import.meta.url).href;
  const time = new URL('../../src/model/time.ts', import.meta.url).href;
  const args = ['--input-type=module', '--eval', SCRIPT, sessions, time];
  return execFileSync(process.execPath, args, { env: { ...process.env, TZ: zone }, encoding: 'utf8' });
}

describe('the time zone of the host', () => {
  it('has no effect on sessions and days (F-F07, I-10)', () => {
    const here = sessionsIn('UTC');
    expect(here.length).toBeGreaterThan(10_000);
    for (const zone of ['America/New_York', 'Asia/Hong_Kong', 'Pacific/Kiritimati'])
      expect(sessionsIn(zone)).toBe(here);
  });

  it('has no effect on what a backtest trades and reports, within the day (F-F07, I-10)', () => {
    const reportIn = (zone: string) =>
      execFileSync(process.execPath, [MAIN, 'backtest', 'config/hk-intraday.yaml', '--json'], {
        cwd: ROOT,
        env: { ...process.env, TZ: zone },
        encoding: 'utf8',
      });
    const here = reportIn('Asia/Hong_Kong');
    expect(JSON.parse(here).trades).not.toEqual([]);
    for (const zone of ['America/New_York', 'Pacific/Kiritimati']) expect(reportIn(zone)).toBe(here);
  });
});
