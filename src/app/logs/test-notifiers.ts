import { ConfigError } from '../../config/config-error.ts';
import type { NotifierFile } from '../../hosts/notifier/notifier-messages.ts';
import { createNotifierHost } from '../../hosts/notifier/notifier-thread.ts';
import type { Isolation } from '../../plugins/isolation.ts';
import { EnvironmentError } from '../broker/environment-error.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { checkConfig } from '../load/check-config.ts';
import { notifierFile, notifierName, notifyingBot, redactionOf } from './notifier-files.ts';

/** Whether a test notice arrived through one notifier. */
export interface TestedNotifier {
  /** Name as the config has it, with its place among several of one name. */
  readonly name: string;
  /** Why the notice did not arrive; undefined if it did. */
  readonly failure: string | undefined;
}

const MESSAGE = 'This is a test. A notice of this bot arrives here.';

/**
 * Sends an alarm of code `test` through each notifier of a config, one after the other. Throws ConfigError for an
 * invalid config.
 */
export async function testNotifiers(
  path: string,
  project: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly TestedNotifier[]> {
  const loaded = await checkConfig(path, project);
  if (loaded.kind === 'problems') throw new ConfigError(loaded.problems);
  const { config, strategy, members, plugins } = loaded;
  const names = members.length === 0 ? [strategy.name] : members.map((member) => member.name);
  const bot = notifyingBot(config, names.join(' + '));
  const plans = config.notify.map((used) => {
    const { file, facts } = plugins.get('notifier', used.use);
    return { ...used, file, hooks: facts.hooks };
  });
  const tested: TestedNotifier[] = [];
  for (const [at, plan] of plans.entries()) {
    const name = notifierName(plans, at);
    if (!plan.hooks.includes('onAlarm')) {
      tested.push({ name, failure: 'it has no "onAlarm", which a test notice needs' });
      continue;
    }
    try {
      const file = notifierFile(plan, name, { environment, bot });
      const redact = redactionOf(environment, [file]);
      tested.push({ name, failure: await failureOf(file, config.isolation, redact) });
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error;
      tested.push({ name, failure: error.message });
    }
  }
  return tested;
}

/** Delivers the test notice; returns why it failed. */
async function failureOf(
  notifier: NotifierFile,
  isolation: Isolation,
  redact: (text: string) => string,
): Promise<string | undefined> {
  const clock = createSystemClock();
  const delivered = Promise.withResolvers<string | undefined>();
  const host = createNotifierHost({
    ...{ notifier, clock, isolation, redact },
    onStateChange: delivered.resolve,
    onDelivered: () => delivered.resolve(undefined),
  });
  host.deliver({ kind: 'alarm', notice: { code: 'test', message: MESSAGE, at: clock.now(), facts: {} } });
  try {
    return await delivered.promise;
  } finally {
    await host.close();
  }
}
