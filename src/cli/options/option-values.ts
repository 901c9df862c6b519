import { InvalidArgumentError } from 'commander';
import { type Decimal, parseDecimal } from '../../model/decimal.ts';
import { ORDER_TYPES, type OrderType, removedOrderType } from '../../model/order.ts';
import { isPeriod, PERIODS, type Period } from '../../model/period.ts';
import { parseSymbol, type SecuritySymbol, suggestSymbol } from '../../model/symbol.ts';
import { type CalendarDay, parseDay, suggestDays } from '../../model/time.ts';

/** Parses an order type; a retired one has its own message. */
export function orderType(text: string): OrderType {
  const known = ORDER_TYPES.find((each) => each === text);
  if (known !== undefined) return known;
  const removed = removedOrderType(text);
  throw new InvalidArgumentError(
    `${removed === undefined ? '' : `${removed}. `}Allowed choices are ${ORDER_TYPES.join(', ')}.`,
  );
}

/** Parses a number above zero. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError('Want a number above 0.');
  return value;
}

/** Parses a whole number above zero. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1) throw new InvalidArgumentError('Want a whole number above 0.');
  return value;
}

const SEED_MAX = 4_294_967_295;

/** Parses a random seed. */
export function seedNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,10}$/.test(text) || value > SEED_MAX)
    throw new InvalidArgumentError(`Want a whole number from 0 to ${SEED_MAX}.`);
  return value;
}

const PORT_MAX = 65_535;

/** Parses a TCP port; 0 selects a free one. */
export function portNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > PORT_MAX)
    throw new InvalidArgumentError(`Want a port from 0 to ${PORT_MAX}.`);
  return value;
}

/** Parses a day. */
export function day(text: string): CalendarDay {
  const value = parseDay(text);
  if (value === undefined) {
    const days = suggestDays(text);
    throw new InvalidArgumentError(
      days.length === 0 ? 'Want a day such as 2024-01-31.' : `Write ${days.join(' or ')}.`,
    );
  }
  return value;
}

/** Parses a bar period. */
export function period(text: string): Period {
  if (!isPeriod(text)) throw new InvalidArgumentError(`Want one of ${PERIODS.join(', ')}.`);
  return text;
}

/** Collects a symbol of a repeatable option. */
export function symbols(text: string, before: readonly SecuritySymbol[] = []): readonly SecuritySymbol[] {
  const symbol = parseSymbol(text);
  if (symbol === undefined) {
    const suggestion = suggestSymbol(text);
    throw new InvalidArgumentError(
      suggestion === undefined ? 'Want a symbol such as 700.HK.' : `Did you mean ${suggestion}?`,
    );
  }
  return [...before, symbol];
}

const PARAM = /^((?:[a-z][a-z0-9-]*\.)?[A-Za-z_][A-Za-z0-9_]*)=(.+)$/;

/**
 * Collects `NAME=VALUE` of a repeatable option (`trend.NAME=VALUE` for one of several strategies): a number, true,
 * false, or a text such as `25%`.
 */
export function params(
  text: string,
  before: Readonly<Record<string, number | boolean | string>> = {},
): Readonly<Record<string, number | boolean | string>> {
  const [, name, value] = PARAM.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError(
      'Want NAME=VALUE such as fast=10 or weight=25%, for one of several strategies trend.fast=10.',
    );
  }
  const plain = /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  return { ...before, [name]: value === 'true' || value === 'false' ? value === 'true' : plain };
}

const PAIR = /^([A-Z]{3,6})=(.+)$/;

/** Collects `NAME=FIGURE` of a repeatable option, such as `USD=100000` or `USDHKD=7.80`. */
export function figures(
  text: string,
  before: Readonly<Record<string, Decimal>> = {},
): Readonly<Record<string, Decimal>> {
  const [, name, figure] = PAIR.exec(text) ?? [];
  const value = figure === undefined ? undefined : parseDecimal(figure);
  if (name === undefined || value === undefined || value.isNegative()) {
    throw new InvalidArgumentError('Want NAME=FIGURE such as USD=100000.');
  }
  return { ...before, [name]: value };
}

const PAIR_FILE = /^([A-Z]{6})=(.{1,300})$/;

/** Collects `USDHKD=FILE` of a repeatable option. */
export function pairFiles(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, pair, file] = PAIR_FILE.exec(text) ?? [];
  if (pair !== undefined && file !== undefined) return { ...before, [pair]: file };
  throw new InvalidArgumentError('Want PAIR=FILE such as USDHKD=rates/USDHKD.csv.');
}

/** Collects a text of a repeatable option. */
export function texts(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
