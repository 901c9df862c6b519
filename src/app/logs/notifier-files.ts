import { basename, extname } from 'node:path';
import type { BotConfig } from '../../config/bot-config.ts';
import type { NotifierFile } from '../../hosts/notifier/notifier-messages.ts';
import type { NotifyingBot } from '../../model/notice.ts';
import { redaction } from '../../model/redaction.ts';
import { EnvironmentError } from '../broker/environment-error.ts';
import type { NotifierPlan } from '../load/load-run.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Variables whose names mark them as secrets. */
const SECRET_NAME = /(?:KEY|SECRET|TOKEN|PASSWORD)/;

/** The bot of a config as notifiers see it. `strategy` has the names of its strategies. */
export function notifyingBot(
  { path, mode, account }: Pick<BotConfig, 'path' | 'mode' | 'account'>,
  strategy: string,
): NotifyingBot {
  const { currency } = account;
  return { name: basename(path, extname(path)), config: path, strategy, mode, currency };
}

/** Name of a notifier in messages: with its place among those of one name, such as `telegram (2)`. */
export function notifierName(plans: readonly NotifierPlan[], at: number): string {
  const use = plans[at]?.use ?? '';
  const earlier = plans.slice(0, at).filter((plan) => plan.use === use).length;
  return earlier === 0 ? use : `${use} (${earlier + 1})`;
}

/** A notifier with its secrets. Throws EnvironmentError if a secret is missing. */
export function notifierFile(
  plan: NotifierPlan,
  name: string,
  { environment, bot }: { readonly environment: Variables; readonly bot: NotifyingBot },
): NotifierFile {
  const { file, params } = plan;
  return { name, file, params, secrets: secretsOf(plan, environment), bot };
}

/** Removes the secrets of the environment, and those of notifiers, from a text. */
export function redactionOf(
  environment: Variables,
  files: readonly Pick<NotifierFile, 'secrets'>[],
): (text: string) => string {
  const known = Object.entries(environment).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== undefined ? [value] : [],
  );
  return redaction([...known, ...files.flatMap(({ secrets }) => Object.values(secrets))]);
}

function secretsOf({ use, secrets }: NotifierPlan, environment: Variables): Readonly<Record<string, string>> {
  const entries = Object.entries(secrets).map(([name, variable]) => {
    const value = environment[variable];
    if (value !== undefined && value !== '') return [name, value] as const;
    throw new EnvironmentError(
      `Cannot open notifier "${use}": its secret "${name}" must be in ${variable}, which is not set in the environment or .env`,
    );
  });
  return Object.fromEntries(entries);
}
