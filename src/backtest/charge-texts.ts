import type { ChargeRow } from '../markets/charge-row.ts';
import { COMMISSION_SOURCE } from '../markets/charge-schedules.ts';
import type { ChargeSchedule } from '../markets/charges.ts';

/** What orders are charged, as sentences: the schedule, and each commission of the configuration in figures. */
export function chargeTexts({ name, rows }: ChargeSchedule): readonly string[] {
  if (rows.length === 0) return ['No charges'];
  const own = rows.filter(({ source }) => source === COMMISSION_SOURCE);
  const others = rows.length > own.length;
  return [
    ...(others
      ? [`Charges by the "${name}" schedule, dated; the broker's own fees in it are estimates`]
      : ['No charges but the commission']),
    ...own.map((row) => `Commission${row.market === undefined ? '' : ` in ${row.market}`}: ${rowText(row)}`),
  ];
}

function rowText({ basis, minimum, maximum, maximumRatio, rounding }: ChargeRow): string {
  const bounds = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(maximumRatio === undefined ? [] : [`at most ${maximumRatio.times(100)}% of what is traded`]),
  ];
  return [
    `${basisText(basis)} of each order and day`,
    ...bounds,
    rounding === 'exact' ? 'not rounded' : 'to the cent; no tiers by volume',
  ].join(', ');
}

function basisText(basis: ChargeRow['basis']): string {
  switch (basis.kind) {
    case 'percent':
      return `${basis.rate.times(100)}%`;
    case 'per-share':
      return `${basis.perShare} a share`;
    case 'per-order':
      return `${basis.amount}`;
  }
}
