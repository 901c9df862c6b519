import { z } from 'zod';
import { type Decimal, parseDecimal } from '../../model/decimal.ts';
import { isCurrency } from '../../model/money.ts';
import { type OrderId, orderId, type Side } from '../../model/order.ts';
import { parseSymbol, type SecuritySymbol } from '../../model/symbol.ts';
import { type CalendarDay, type Millis, millis, parseDay, SECOND_MS } from '../../model/time.ts';

/**
 * Field schemas of a client's parameters. They are strict: they check the meaning, and a refusal states the
 * parameter, what was expected and what was found. null and "" count as absent.
 */

/** Parameters on the wire: query texts, or plain values of a JSON body. */
export type WireParameters = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

const raw = z
  .union([z.string(), z.number(), z.boolean()], { error: 'want a single value' })
  .transform((value) => String(value));

function parsed<T>(want: string, read: (text: string) => T | undefined) {
  return parsedText(`want ${want}`, read);
}

/** Makes a parameter optional: absent, null and "" are undefined. */
export function optional<Schema extends z.ZodType<unknown, unknown>>(schema: Schema) {
  return z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional());
}

/** Makes a parameter required: a refusal is "is missing" instead of a wrong form. */
export function required<Schema extends z.ZodType>(schema: Schema) {
  return z
    .unknown()
    .refine((value) => value !== undefined && value !== null && value !== '', {
      error: 'is missing',
      abort: true,
    })
    .pipe(schema);
}

export const symbol = parsed<SecuritySymbol>('<code>.<market> such as "700.HK"', parseSymbol);
export const id = parsed<OrderId>('an order id', (text) =>
  /^[0-9A-Za-z-]{1,64}$/.test(text) ? orderId(text) : undefined,
);
export const amount = parsed<Decimal>('a decimal number', parseDecimal);
export const positive = parsed<Decimal>('a decimal number above 0', (text) => {
  const value = parseDecimal(text);
  return value?.gt(0) === true ? value : undefined;
});
export const day = parsed<CalendarDay>('a day as YYYY-MM-DD', parseDay);
export const compactDay = parsed<CalendarDay>('a day as YYYYMMDD', (text) =>
  /^\d{8}$/.test(text)
    ? parseDay(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`)
    : parseDay(text),
);
export const instant = parsed<Millis>('Unix seconds', (text) =>
  /^\d{1,11}$/.test(text) ? millis(Number(text) * SECOND_MS) : undefined,
);
export const currency = parsed<string>('a currency such as "HKD"', (text) =>
  isCurrency(text) ? text : undefined,
);
export const flag = parsed<boolean>('"true" or "false"', (text) =>
  text === 'true' ? true : text === 'false' ? false : undefined,
);
export const side = parsed<Side>('"Buy" or "Sell"', (text) =>
  text === 'Buy' ? 'buy' : text === 'Sell' ? 'sell' : undefined,
);

/** An integer within a range, both ends inclusive. */
export function integer(from: number, to: number) {
  return parsed<number>(`a whole number from ${from} to ${to}`, (text) => {
    const value = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= from && value <= to ? value : undefined;
  });
}

/** A text of at most `max` characters; a number or boolean in a JSON body is refused. */
export function text(max: number) {
  return z.string({ error: 'want a text' }).refine((text) => text.length <= max, {
    error: ({ input }) => `want at most ${max} characters, saw "${String(input).slice(0, 60)}"`,
  });
}

/** The same for an id, which may be a number. */
export function idText(max: number) {
  return parsed<string>(`at most ${max} characters`, (text) => (text.length <= max ? text : undefined));
}

/** A list in a JSON body; absent and null mean an empty list. */
export function list<Item extends z.ZodType<unknown, unknown>>(item: Item, max: number) {
  return z
    .array(item, { error: 'want a list' })
    .max(max, `want at most ${max} values`)
    .nullish()
    .transform((values) => values ?? []);
}

/**
 * A word of the wire; `refusal` is the text before an unknown value, `why` explains known values that are refused.
 */
export function parsedText<T>(
  refusal: string,
  read: (text: string) => T | undefined,
  why: (text: string) => string | undefined = () => undefined,
) {
  const tail = (text: string): string => {
    const reason = why(text);
    return reason === undefined ? `, saw "${text.slice(0, 60)}"` : `: ${reason}`;
  };
  return raw.transform((text, context): T => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: `${refusal}${tail(text)}` });
    return z.NEVER;
  });
}

export function oneOf<const Words extends readonly string[]>(choices: Words) {
  return parsed<Words[number]>(choices.map((each) => `"${each}"`).join(', '), (text) =>
    (choices as readonly string[]).includes(text) ? text : undefined,
  );
}

/** A repeated parameter; one value is a list of one, none an empty list. */
export function repeated<Item extends z.ZodType<unknown, unknown>>(item: Item, max: number) {
  const items = z.array(item).max(max, `want at most ${max} values`).optional();
  return z
    .preprocess((value) => (value === null ? undefined : asList(value)), items)
    .transform((values) => values ?? []);
}

function asList(value: unknown): unknown {
  return value === undefined || Array.isArray(value) ? value : [value];
}

/** Formats an instant as Unix seconds; undefined remains undefined. */
export function secondsText(at: Millis | undefined): string | undefined {
  return at === undefined ? undefined : String(Math.floor(at / SECOND_MS));
}

/** Formats a decimal in full, without an exponent; undefined remains undefined. */
export function decimalText(value: Decimal | undefined): string | undefined {
  return value?.toFixed();
}

/** Returns a copy without the keys whose value is undefined. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** Makes keys that may be undefined optional. */
export type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };
