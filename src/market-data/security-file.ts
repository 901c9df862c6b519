import { z } from 'zod';
import { parseDecimal } from '../model/decimal.ts';
import { isCurrency } from '../model/money.ts';
import { once } from '../model/once.ts';
import { plural } from '../model/plural.ts';
import { SECURITY_KINDS, type Security } from '../model/security.ts';
import { parseSymbol, type SecuritySymbol } from '../model/symbol.ts';
import { DataError, quoted } from './data-error.ts';

export const MAX_SECURITY_BYTES = 64 * 1024;

const NOT_PRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => !NOT_PRINTABLE.test(value), 'want text without control or invisible characters');

const ratio = once(() =>
  z.string().transform((value, context) => {
    const parsed = parseDecimal(value);
    if (parsed?.gt(0) && parsed.lte(1)) return parsed;
    context.addIssue({
      code: 'custom',
      message: 'want a decimal text above 0 and at most 1, such as "0.35"',
    });
    return z.NEVER;
  }),
);

const marginSchema = once(() =>
  z
    .strictObject({ initial: ratio(), maintenance: ratio(), forced: ratio() })
    .refine((margin) => margin.initial.gte(margin.maintenance) && margin.maintenance.gte(margin.forced), {
      message: 'want initial >= maintenance >= forced',
    }),
);

const companySchema = once(() => {
  const shares = z.int().positive().exactOptional();
  const figure = z
    .string()
    .refine((text) => parseDecimal(text) !== undefined, 'want a decimal text, such as "6.42"')
    .exactOptional();
  return z.strictObject({
    totalShares: shares,
    circulatingShares: shares,
    hkShares: shares,
    eps: figure,
    epsTtm: figure,
    bps: figure,
    dividendYield: figure,
  });
});

const originSchema = once(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('real'), source: text(500), license: text(500) }),
    z.strictObject({
      kind: z.literal('generated'),
      seed: z.int().nonnegative().exactOptional(),
      method: text(500),
    }),
    z.strictObject({ kind: z.literal('unknown'), source: text(500) }),
  ]),
);

const symbolSchema = once(() =>
  z.string().transform((value, context) => {
    const symbol = parseSymbol(value);
    if (symbol !== undefined) return symbol;
    context.addIssue({ code: 'custom', message: 'want <code>.<market> in capitals, such as "700.HK"' });
    return z.NEVER;
  }),
);

/** Schema of `security.json`: the facts of `Security`, with margin factors as decimal strings. */
const securitySchema = once(() =>
  z.strictObject({
    symbol: symbolSchema(),
    names: z.strictObject({ en: text(200), zhCn: text(200), zhHk: text(200) }),
    kind: z.enum(SECURITY_KINDS),
    board: text(40),
    currency: z.string().refine(isCurrency, 'want three capital letters, such as "HKD"'),
    lotSize: z
      .number()
      .min(1e-8)
      .max(1_000_000)
      .refine((lot) => lot < 1 || Number.isInteger(lot), {
        error: ({ input }) =>
          `saw ${String(input)}, want a whole number of shares, or a fraction of one such as 0.01`,
      }),
    margin: marginSchema(),
    tradable: z.boolean(),
    company: companySchema().exactOptional(),
    origin: originSchema(),
  }),
);

/**
 * Parses the text of a `security.json` for `symbol`; `file` is the name shown in errors. Throws DataError
 * (`bad-security`) with the path of each wrong value, its value and what was expected.
 */
export function parseSecurity(json: string, symbol: SecuritySymbol, file: string): Security {
  if (json.length > MAX_SECURITY_BYTES) {
    throw badSecurity(
      file,
      `more than ${MAX_SECURITY_BYTES} characters`,
      'keep only the facts of the security',
    );
  }
  const read = readJson(json, file);
  const result = securitySchema().safeParse(read, { error: inWords });
  if (!result.success) {
    const problems = result.error.issues.map((issue) => {
      const path = issue.path.map(String).join('.') || 'the whole file';
      return `${path}: ${issue.message}`;
    });
    const other = symbolIn(read);
    if (parseSymbol(other ?? '') !== undefined && other !== symbol)
      problems.unshift(otherSymbol(`${other}`, symbol));
    throw badSecurity(file, problems.join('; '), 'correct these values');
  }
  if (result.data.symbol !== symbol) {
    const found = otherSymbol(result.data.symbol, symbol);
    throw badSecurity(file, found, 'rename the folder or correct the symbol', result.data.symbol);
  }
  return result.data;
}

function otherSymbol(found: string, want: SecuritySymbol): string {
  return `symbol: saw ${quoted(found)}, want ${quoted(want)} like the folder`;
}

function symbolIn(read: unknown): string | undefined {
  const symbol = typeof read === 'object' && read !== null && 'symbol' in read ? read.symbol : undefined;
  return typeof symbol === 'string' ? symbol : undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text in quotes',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
};

/** Formats an issue for which the schema has no message. */
function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  const found = foundText(issue.input);
  switch (issue.code) {
    case 'invalid_type':
      return `${found}, want ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `${found}, want one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return `${issue.input === undefined ? found : 'saw another kind'}, want "real", "generated" or "unknown"`;
    case 'too_small':
      return `${found}, want at least ${issue.origin === 'string' ? plural(Number(issue.minimum), 'character') : issue.minimum}`;
    case 'too_big':
      return `${found}, want at most ${issue.origin === 'string' ? plural(Number(issue.maximum), 'character') : issue.maximum}`;
    case 'unrecognized_keys':
      return `has ${issue.keys.map(quoted).join(', ')}: unknown key`;
    default:
      return undefined;
  }
}

function foundText(input: unknown): string {
  if (input === undefined) return 'is missing';
  if (typeof input === 'string') return `saw ${quoted(input)}`;
  if (Array.isArray(input)) return 'saw a list';
  return typeof input === 'object' && input !== null ? 'saw an object' : `saw ${String(input)}`;
}

/** Formats a security as the text of its `security.json`; parsing it returns the same facts. */
export function writeSecurity(security: Security): string {
  return `${JSON.stringify(security, null, 2)}\n`;
}

function readJson(json: string, file: string): unknown {
  try {
    return JSON.parse(json.replace(/^\ufeff/, ''));
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : String(cause);
    throw badSecurity(file, found, 'write it as JSON', undefined, cause);
  }
}

function badSecurity(
  file: string,
  found: string,
  advice: string,
  value?: string,
  cause?: unknown,
): DataError {
  return new DataError({
    code: 'bad-security',
    problem: `Cannot read the facts of a security: ${found}`,
    advice,
    file,
    value,
    cause,
  });
}
