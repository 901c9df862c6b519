import type { Decimal } from '../../model/decimal.ts';
import type { MarginModel } from '../models.ts';
import type { SimulationRules } from '../rules.ts';
import { applicableInterest, hasAnyRate, type InterestModel, type YearlyRates } from './interest.ts';

/** Returns the cost of a loan as text: "at 6% a year on settled cash below zero". */
export function lendingText({ debit }: InterestModel): string {
  return hasAnyRate(debit) ? `at ${ratesText(debit)} on settled cash below zero` : 'without interest';
}

/** Returns what cash earns and how days are counted, as one sentence; empty if no rate applies to the account. */
export function interestTexts(
  { interest }: Pick<SimulationRules, 'interest'>,
  { margin, short = false }: { readonly margin: Pick<MarginModel, 'kind'>; readonly short?: boolean },
): readonly string[] {
  const applied = applicableInterest(interest, { margin, short });
  if (applied === undefined) return [];
  const { credit, rebate, dayCount } = applied;
  const earned = hasAnyRate(credit) ? `settled cash earns ${ratesText(credit)}` : 'cash earns nothing';
  const behind = hasAnyRate(rebate) ? `earns ${ratesText(rebate)}` : 'earns nothing';
  const shorts = short ? `, and the collateral of short positions ${behind} and pays no loan` : '';
  const days =
    dayCount === 'market' ? '360 or 365 days a year, as the currency counts' : `${dayCount} days a year`;
  return [
    `Interest is booked for every calendar day at midnight, to the cent, over ${days}; ${earned}${shorts}; the rates are estimates and never change`,
  ];
}

/** Formats rates: "6% a year, HKD 5%". */
export function ratesText({ usual, by }: YearlyRates): string {
  const named = Object.entries(by).map(([name, rate]) => `${name} ${percent(rate)}`);
  return [`${percent(usual)} a year`, ...named].join(', ');
}

function percent(rate: Decimal): string {
  return `${rate.times(100)}%`;
}
