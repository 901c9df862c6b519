import { FillModelError, type FillQuestion, type OwnFills } from '../simulation/own-fills.ts';
import type { ParamDeclarations, ParamValues } from '../strategy/params.ts';
import { userStackFrame } from '../strategy/user-stack-frame.ts';
import type { FillModelPlugin } from './define-fill-model.ts';

/** Calls a fill model with its parameters and accepts only results within bounds. */
export function guardedFills(
  name: string,
  model: FillModelPlugin,
  params: ParamValues<ParamDeclarations>,
): OwnFills {
  const own = Object.freeze({ params: Object.freeze({ ...params }) });
  const guarded = FILL_HOOKS.flatMap((hook) => {
    const callHook = model[hook]?.bind(model);
    if (callHook === undefined) return [];
    return [
      [
        hook,
        (question: FillQuestion) =>
          fillFigure(
            name,
            hook,
            answered(name, hook, () => callHook(Object.freeze({ ...question }), own)),
          ),
      ] as const,
    ];
  });
  return { ...fillModelFacts(name, model, params), ...Object.fromEntries(guarded) };
}

/** The functions of a fill model. */
export const FILL_HOOKS = ['slippage', 'room'] as const;
export type FillHook = (typeof FILL_HOOKS)[number];

const BOUNDS: Readonly<Record<FillHook, { readonly most: number; readonly wanted: string }>> = {
  slippage: { most: 1, wanted: 'a share of the price from 0 to 1' },
  room: { most: Number.POSITIVE_INFINITY, wanted: 'a number of shares, 0 or more' },
};

/** Checks the result of a fill model's function against its bounds. Throws FillModelError for anything else. */
export function fillFigure(name: string, hook: FillHook, answer: unknown): number {
  const { most, wanted } = BOUNDS[hook];
  if (typeof answer === 'number' && answer >= 0 && answer <= most) return answer;
  throw new FillModelError(`Fill model "${name}" answered ${described(answer)} in ${hook}, want ${wanted}`);
}

/** Name, parameters and description of a fill model, without its functions. */
export function fillModelFacts(
  name: string,
  { doc = '' }: { readonly doc?: string },
  params: ParamValues<ParamDeclarations>,
): Pick<OwnFills, 'label' | 'doc'> {
  const assignments = Object.entries(params).map(([param, value]) => `${param} = ${String(value)}`);
  return { label: assignments.length === 0 ? `"${name}"` : `"${name}" (${assignments.join(', ')})`, doc };
}

function answered(name: string, hook: string, callHook: () => unknown): unknown {
  try {
    return callHook();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new FillModelError(`Fill model "${name}" threw in ${hook}: ${message}${userStackFrame(cause)}`, {
      cause,
    });
  }
}

const CHARS_MAX = 60;

function described(answer: unknown): string {
  if (typeof answer === 'number' || answer === undefined || answer === null) return String(answer);
  return typeof answer === 'string' ? `the text "${answer.slice(0, CHARS_MAX)}"` : `a ${typeof answer}`;
}
