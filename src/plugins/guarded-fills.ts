import { FillModelError, type FillQuestion, type OwnFills } from '../simulation/own-fills.ts';
import type { ParamDeclarations, ParamValues } from '../strategy/params.ts';
import { placeIn } from '../strategy/place-in.ts';
import type { FillModelPlugin } from './define-fill-model.ts';

/** A fill model with its parameters, asked so that nothing but a figure within its bounds comes out. */
export function guardedFills(
  name: string,
  model: FillModelPlugin,
  params: ParamValues<ParamDeclarations>,
): OwnFills {
  const { slippage, room } = model;
  const own = Object.freeze({ params: Object.freeze({ ...params }) });
  const asked = (
    hook: 'slippage' | 'room',
    ask: (question: FillQuestion) => unknown,
    { most, wanted }: { readonly most: number; readonly wanted: string },
  ) => {
    return (question: FillQuestion): number => {
      const said = answered(name, hook, () => ask(Object.freeze({ ...question })));
      if (typeof said === 'number' && said >= 0 && said <= most) return said;
      throw new FillModelError(`Fill model "${name}" answered ${described(said)} in ${hook}, want ${wanted}`);
    };
  };
  return {
    ...saidFills(name, model, params),
    ...(slippage === undefined
      ? {}
      : {
          slippage: asked('slippage', (question) => slippage(question, own), {
            ...{ most: 1, wanted: 'a share of the price from 0 to 1' },
          }),
        }),
    ...(room === undefined
      ? {}
      : {
          room: asked('room', (question) => room(question, own), {
            ...{ most: Number.POSITIVE_INFINITY, wanted: 'a number of shares, 0 or more' },
          }),
        }),
  };
}

/** A fill model where it is not asked: its name, its parameters, and what it says of itself. */
export function saidFills(
  name: string,
  { doc = '' }: { readonly doc?: string },
  params: ParamValues<ParamDeclarations>,
): Pick<OwnFills, 'said' | 'doc'> {
  const given = Object.entries(params).map(([param, value]) => `${param} = ${String(value)}`);
  return { said: given.length === 0 ? `"${name}"` : `"${name}" (${given.join(', ')})`, doc };
}

function answered(name: string, hook: string, ask: () => unknown): unknown {
  try {
    return ask();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new FillModelError(`Fill model "${name}" threw in ${hook}: ${message}${placeIn(cause)}`, { cause });
  }
}

const CHARS_MAX = 60;

function described(said: unknown): string {
  if (typeof said === 'number' || said === undefined || said === null) return String(said);
  return typeof said === 'string' ? `the text "${said.slice(0, CHARS_MAX)}"` : `a ${typeof said}`;
}
