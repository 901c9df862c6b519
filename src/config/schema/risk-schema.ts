import { z } from 'zod';
import { Decimal } from '../../model/decimal.ts';
import { once } from '../../model/once.ts';
import {
  LIMITS,
  type LimitDeclaration,
  type LimitName,
  type LimitUnit,
  type RiskLimits,
} from '../../risk/limits.ts';
import { valueAt } from '../yaml/tree-value.ts';
import { ABSENT, says, symbolField, withUnit } from './fields.ts';
import { pluginUse, USES_MAX } from './plugin-use.ts';
import { amount, durationText, durationUpTo, percentage, perMinute, shareCount } from './units.ts';

type RiskShape = { readonly [K in LimitName]: z.ZodOptional<z.ZodType<RiskLimits[K]>> };

/** The sessions that `maxSession` accepts. */
const SESSIONS = ['rth-only', 'any-time', 'overnight'] as const;

/** Schema for each unit. */
function fieldOf({ unit, max }: LimitDeclaration): z.ZodType {
  switch (unit) {
    case 'money':
      return withUnit(amount);
    case 'share':
      return withUnit(percentage(max));
    case 'quantity':
      return withUnit(shareCount);
    case 'rate':
      return withUnit(perMinute(max));
    case 'duration':
      return withUnit(durationUpTo(durationText(max)));
    case 'count':
      return says(`a whole number from 1 to ${max}`, (error) =>
        z.int({ error }).min(1, { error }).max(max, { error }),
      );
    case 'flag':
      return says('true or false', (error) => z.boolean({ error }));
    case 'sessions':
      return z.enum(SESSIONS);
    case 'symbols':
      return says(`a list of at most ${max} symbols`, (error) =>
        z.array(symbolField(), { error }).max(max, { error }),
      );
  }
}

/** Formats a default as in a YAML; amounts are in the account's currency. */
export function defaultText(declared: LimitDeclaration): string {
  const { unit, default: value } = declared;
  switch (unit) {
    case 'money':
      return `${value} of the account's currency`;
    case 'share':
      return `${new Decimal(String(value)).times(100)}%`;
    case 'quantity':
      return `${value} shares`;
    case 'rate':
      return `${value}/min`;
    case 'duration':
      return durationText(Number(value));
    case 'symbols':
      return '[]';
    case 'count':
    case 'flag':
    case 'sessions':
      return String(value);
  }
}

/** Custom rules, which run after all limits. */
const rules = once(() =>
  says(`a list of at most ${USES_MAX} risk rules, such as "[{ use: quiet-open }]"`, (error) =>
    z
      .array(pluginUse('risk rule', 'quiet-open'), { error })
      .max(USES_MAX, { error })
      .optional()
      .describe('Risk rules of your own or of packages; they can only deny more'),
  ),
);

/** The `risk` section: one key per declared limit, and custom rules. */
export const riskSchema = once(() => riskOf(() => true));

/** The same schema, built only for the keys that a section contains. */
export function riskFor(written: unknown) {
  return riskOf((name) => valueAt(written, [name]) !== undefined);
}

function riskOf(isWritten: (name: string) => boolean) {
  return z
    .strictObject(
      { ...riskShape(isWritten), rules: isWritten('rules') ? rules() : ABSENT },
      'a map of limits',
    )
    .describe('What the operator allows, beneath every strategy; a limit left out has its strict default');
}

/** The schema of one limit. */
export function limitField<K extends LimitName>(name: K): RiskShape[K] {
  return riskShape((each) => each === name)[name];
}

function riskShape(isWritten: (name: string) => boolean): RiskShape {
  const declared: readonly (readonly [string, LimitDeclaration<LimitUnit>])[] = Object.entries(LIMITS);
  const entries = declared.map(([name, limit]) => [name, isWritten(name) ? limitOf(limit) : ABSENT]);
  return Object.fromEntries(entries) as RiskShape;
}

function limitOf(limit: LimitDeclaration): z.ZodType {
  return fieldOf(limit)
    .optional()
    .describe(`${capital(limit.compares)}; default ${defaultText(limit)}`);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
