import { z } from 'zod';
import { once } from '../../model/once.ts';
import { NOTIFIER_EVENTS, type NotifierEvent, USUAL_EVENTS } from '../../plugins/define-notifier.ts';
import { says } from './fields.ts';

/** Maximum number of risk rules, and of notifiers, in one config. */
export const USES_MAX = 20;

/** Value of a parameter in a YAML. */
export const paramValue = once(() =>
  says('a number, a text, true or false', (error) =>
    z.union([z.number(), z.boolean(), z.string().max(200)], { error }),
  ),
);

/** A plugin in a YAML, by name, package and name, or file. */
export function pluginUse(noun: string, example: string) {
  return z.strictObject(useShape(noun, example), `a map with "use", the name of a ${noun}`);
}

/** The keys of every use of a plugin. */
export function useShape(noun: string, example: string) {
  return {
    use: says(`the name of a ${noun}, such as "${example}" or "sluice-plugin-x/${example}"`, (error) =>
      z
        .string({ error })
        .min(1, { error })
        .max(1_024, { error })
        .describe(`Name or file of a ${noun}, or package and name`),
    ),
    params: says('a map of parameters', (error) =>
      z
        .record(z.string(), paramValue(), { error })
        .optional()
        .describe(`Parameters of the ${noun}; one left out has its default`),
    ),
  };
}

/** A plugin of a config, as written. */
export type WrittenUse = z.output<ReturnType<typeof pluginUse>>;

const VARIABLE = /^\$\{([A-Z][A-Z0-9_]{0,99})\}$/;

const EXAMPLE = ['$', '{SLUICE_HOOK_URL}'].join('');

/** A secret in a YAML: the environment variable that holds it, never its value. */
const secret = once(() =>
  says(`a variable of the environment, such as "${EXAMPLE}", never the secret itself`, (error) =>
    z
      .string({ error })
      .regex(VARIABLE, { error })
      .transform((text) => VARIABLE.exec(text)?.[1] ?? ''),
  ),
);

const EVENTS = Object.keys(NOTIFIER_EVENTS) as [NotifierEvent, ...NotifierEvent[]];

/** What a notifier receives. */
const notifierEvents = once(() =>
  says(`a list of events (${EVENTS.join(', ')})`, (error) =>
    z
      .array(
        says(`one of ${EVENTS.join(', ')}`, (each) => z.enum(EVENTS, { error: each })),
        { error },
      )
      .min(1, { error })
      .max(EVENTS.length, { error })
      .optional()
      .describe(
        `What it receives: alarms; fills, with the profit of an exit; denials, grouped by rule; gate (paused, killed, resumed); days (figures of each day); runs (start and end). Default: ${USUAL_EVENTS.join(', ')}`,
      ),
  ),
);

/** A notifier in a YAML. */
export const notifierUse = once(() =>
  z.strictObject(
    {
      ...useShape('notifier', 'team-chat'),
      secrets: says('a map of secrets to variables of the environment', (error) =>
        z
          .record(z.string(), secret(), { error })
          .optional()
          .describe(`Secrets of the notifier: each the name of a variable, as in "${EXAMPLE}"`),
      ),
      events: notifierEvents(),
    },
    'a map with "use", the name of a notifier',
  ),
);
