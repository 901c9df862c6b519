import { z } from 'zod';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { once } from '../../model/once.ts';
import type { PluginFacts } from '../../plugins/plugin-facts.ts';
import type { ParamDeclarations } from '../../strategy/params.ts';
import type { StrategyEvent } from '../../strategy/strategy-event.ts';
import { HOOKS, type StrategyFacts } from '../../strategy/strategy-facts.ts';
import { type Timers, timersProblem } from '../../strategy/timers.ts';

const PARAMS_MAX = 200;
const TEXT_CHARS_MAX = 2_000;

const text = once(() => z.string().max(TEXT_CHARS_MAX));

const declaration = once(() => {
  /** Accepts infinite bounds as well. */
  const figure = z.custom<number>((value) => typeof value === 'number', 'want a number');
  const bounds = { min: figure, max: figure, default: figure, doc: text().optional() };
  return z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('int'), ...bounds }),
    z.object({ kind: z.literal('number'), ...bounds, unit: text().optional() }),
    z.object({ kind: z.literal('ratio'), ...bounds }),
    z.object({ kind: z.literal('boolean'), default: z.boolean(), doc: text().optional() }),
    z.object({
      kind: z.literal('choice'),
      choices: z.array(text()).max(1_000),
      default: text(),
      doc: text().optional(),
    }),
  ]);
});

const common = once(() => ({
  name: text(),
  doc: text().optional(),
  params: z
    .record(text(), declaration())
    .refine((params) => Object.keys(params).length <= PARAMS_MAX, `want at most ${PARAMS_MAX}`),
}));

const facts = once(() =>
  z.object({
    ...common(),
    timers: z
      .custom<Timers>(
        (value) => typeof value === 'object' && value !== null && timersProblem({ ...value }) === undefined,
      )
      .optional(),
    listensTo: z.array(z.string()).max(100),
  }),
);

const otherFacts = once(() =>
  z.object({
    ...common(),
    secrets: z
      .record(text(), z.union([text(), z.object({ doc: text(), optional: z.literal(true) })]))
      .refine((secrets) => Object.keys(secrets).length <= PARAMS_MAX, `want at most ${PARAMS_MAX}`)
      .optional(),
    hooks: z.array(text()).max(100),
  }),
);

export type FactsReading<F> =
  | { readonly kind: 'ok'; readonly facts: F }
  | { readonly kind: 'odd'; readonly what: string };

/** Reads the metadata of a risk rule, fill model or notifier from a thread that runs untrusted code. */
export function readPluginFacts(value: unknown): FactsReading<PluginFacts> {
  const read = otherFacts().safeParse(value);
  if (!read.success) return oddIn(read.error);
  const { doc, secrets, name, params, hooks } = read.data;
  return {
    kind: 'ok',
    facts: {
      name,
      hooks,
      params: params as ParamDeclarations,
      ...omitUndefined({ doc, secrets }),
    },
  };
}

function oddIn({ issues: [issue] }: z.ZodError): FactsReading<never> {
  const path = issue?.path.map(String).join('.') ?? '';
  return { kind: 'odd', what: `declares odd ${path === '' ? 'facts' : `"${path}"`}: ${issue?.message}` };
}

/** Reads the metadata of a strategy from a thread that runs untrusted code. */
export function readFacts(value: unknown): FactsReading<StrategyFacts> {
  const read = facts().safeParse(value);
  if (!read.success) return oddIn(read.error);
  const { doc, timers, name, params, listensTo } = read.data;
  const kinds = Object.keys(HOOKS) as StrategyEvent['kind'][];
  return {
    kind: 'ok',
    facts: {
      name,
      params: params as ParamDeclarations,
      listensTo: new Set(kinds.filter((kind) => listensTo.includes(kind))),
      ...omitUndefined({ doc, timers: timers && structuredClone(timers) }),
    },
  };
}
