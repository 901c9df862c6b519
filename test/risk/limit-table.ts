import { defaultText } from '#src/config/schema/risk-schema.ts';
import { LIMITS, type LimitDeclaration, type LimitUnit } from '#src/risk/limits.ts';

/** The name of each unit in the docs, with an example from a config. */
const UNITS: Readonly<Record<LimitUnit, string>> = {
  money: 'amount and currency, `20000 USD`',
  share: 'percent, `30%`',
  quantity: 'shares, `100 shares`',
  count: 'whole number, `5`',
  rate: 'per minute, `10/min`',
  duration: 'length of market time, `3s`',
  flag: '`true` or `false`',
  sessions: '`rth-only`, `any-time` or `overnight`',
  symbols: 'list of symbols, `[700.HK]`',
};

/** The table of all limits in docs/risk.md, generated from their declarations. */
export function limitTable(): string {
  const declared: readonly (readonly [string, LimitDeclaration])[] = Object.entries(LIMITS);
  const rows = declared.map(
    ([name, limit]) =>
      `| \`${name}\` | ${limit.compares} | ${UNITS[limit.unit]} | ${defaultText(limit)} | \`${limit.rule}\` |`,
  );
  return ['| Limit | Compares | Unit | Default | Rule |', '|---|---|---|---|---|', ...rows].join('\n');
}
