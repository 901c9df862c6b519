import type { Decimal } from '../model/decimal.ts';
import { plural } from '../model/plural.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Millis } from '../model/time.ts';
import type { Estimate } from './estimate.ts';

/** Width of printed text in columns. */
export const TEXT_COLUMNS = 80;

/** Formats an amount with its currency, rounded to the cent: `104,213.55 USD`. */
export function moneyText(amount: number | Decimal, currency: string): string {
  return `${grouped(amount.toFixed(2))} ${currency}`;
}

/** Formats a gain or a loss with its sign and currency: `+150.00 USD`. */
export function gainText(amount: number | Decimal, currency: string): string {
  const text = moneyText(amount, currency);
  return Number(amount.toFixed(2)) > 0 ? `+${text}` : text;
}

/** Formats an amount without its currency: `104,213.55`; a dash if it is not known. */
export function equityFigure(amount: number): string {
  return Number.isFinite(amount) ? grouped(amount.toFixed(2)) : '-';
}

/** Formats a price in seven digits and at least two decimals, so that a column of prices is aligned. */
export function priceText(text: string): string {
  const rounded = String(Number(Number(text).toPrecision(7)));
  const [, decimals = ''] = rounded.split('.');
  return decimals.length < 2 ? Number(rounded).toFixed(2) : rounded;
}

/** A whole number with groups of three: `12,345`. */
export function countText(count: number): string {
  return grouped(count.toFixed(0));
}

/** Formats a share as percent: `12.34%`; `signed` adds a plus to gains. */
export function percentText(share: number, options: { readonly signed?: boolean } = {}): string {
  const text = withoutMinusZero((share * 100).toFixed(2));
  return `${options.signed === true && Number(text) > 0 ? '+' : ''}${grouped(text)}%`;
}

/** A ratio with two decimals: `1.37`. */
export function ratioText(ratio: number): string {
  return withoutMinusZero(ratio.toFixed(2));
}

/** Formats an estimate, or a dash with the reason. */
export function estimateText(value: Estimate, format: (value: number) => string): string {
  return value.kind === 'value' ? format(value.value) : `- (${value.reason})`;
}

/** Formats a time to the minute in UTC: `2025-09-01 01:30`. */
export function minuteText(at: Millis): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Formats a time to the millisecond in UTC: `2025-09-01 01:30:00.000`. */
export function stampText(at: Millis): string {
  return new Date(at).toISOString().slice(0, 23).replace('T', ' ');
}

/** Formats a duration in its largest fitting unit: `12 days`, `5 hours`, `3 minutes`. */
export function spanText(ms: number): string {
  const [count, unit] =
    ms >= DAY_MS ? [ms / DAY_MS, 'day'] : ms >= HOUR_MS ? [ms / HOUR_MS, 'hour'] : [ms / MINUTE_MS, 'minute'];
  const whole = Math.round(count);
  return plural(countText(whole), unit);
}

/** Wraps text into lines of at most `columns`; each after the first starts with `indent` spaces. */
export function wrapped(text: string, columns: number = TEXT_COLUMNS, indent = 0): string {
  const lead = ' '.repeat(indent);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    const room = lines.length === 0 ? columns : columns - indent;
    if (longer.length > room && line !== '') {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  lines.push(line);
  return lines.join(`\n${lead}`);
}

/** Puts text to the right of `head`, wrapped to 80 columns; `cells` is the width of a head with escape sequences. */
export function beside(head: string, text: string, cells = head.length): string {
  return `${head}${wrapped(text, TEXT_COLUMNS - cells).replaceAll('\n', `\n${' '.repeat(cells)}`)}`;
}

function grouped(figure: string): string {
  const [whole = '', fraction] = withoutMinusZero(figure).split('.');
  const groups = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

function withoutMinusZero(figure: string): string {
  return /^-0(\.0*)?$/.test(figure) ? figure.slice(1) : figure;
}
