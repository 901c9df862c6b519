import { writeFileSync } from 'node:fs';
import { tradingDaysBetween } from '../markets/calendar.ts';
import { sessionsOf } from '../markets/sessions.ts';
import { decimal } from '../model/decimal.ts';
import type { Security } from '../model/security.ts';
import { securitySymbol } from '../model/symbol.ts';
import { type CalendarDay, calendarDay, MINUTE_MS, type Millis } from '../model/time.ts';
import { writeBars } from './csv-text.ts';
import { writeSecurity } from './security-file.ts';
import { type SyntheticRecipe, syntheticBars } from './synthetic.ts';

/* Regenerates `backtest-data/DEMO.HK`, byte for byte: `node src/market-data/generate-demo.ts`. */

const SYMBOL = securitySymbol('DEMO.HK');
const SEED = 20250901;

const DEMO_SECURITY: Security = {
  symbol: SYMBOL,
  names: { en: 'Generated Demo', zhCn: '演示（生成数据）', zhHk: '示範（生成數據）' },
  kind: 'stock',
  board: 'HKEquity',
  currency: 'HKD',
  lotSize: 500,
  margin: { initial: decimal('0.35'), maintenance: decimal('0.30'), forced: decimal('0.25') },
  tradable: true,
  origin: {
    kind: 'generated',
    seed: SEED,
    method: 'src/market-data/synthetic.ts: mean-reverting walk with drifts, clustered moves, overnight gaps',
  },
};

/** Recipe of `DEMO.HK/1m.csv`: 20 days of minute bars around 65 HKD, with a tick of 0.05. */
export function demoRecipe(): SyntheticRecipe {
  const days = tradingDaysBetween('HK', calendarDay('2025-09-01'), calendarDay('2025-09-26'));
  return {
    symbol: SYMBOL,
    period: '1m',
    seed: SEED,
    days: days.map(regularMinutes),
    levelTicks: 1300,
    ticksPerUnit: 20,
    moveTicks: 1.1,
    gapTicks: 9,
    lotSize: DEMO_SECURITY.lotSize,
    quietLots: 24,
  };
}

export function demoFiles(): { readonly bars: string; readonly security: string } {
  return { bars: writeBars(syntheticBars(demoRecipe())), security: writeSecurity(DEMO_SECURITY) };
}

function regularMinutes(day: CalendarDay): readonly Millis[] {
  const minutes: Millis[] = [];
  for (const session of sessionsOf('HK', day)) {
    if (session.kind !== 'regular') continue;
    for (let at = session.open; at < session.close; at = (at + MINUTE_MS) as Millis) minutes.push(at);
  }
  return minutes;
}

if (import.meta.main) {
  const folder = new URL('../../backtest-data/DEMO.HK/', import.meta.url);
  const { bars, security } = demoFiles();
  writeFileSync(new URL('1m.csv', folder), bars);
  writeFileSync(new URL('security.json', folder), security);
}
