import { createNotifierHost, type NotifierHost } from '../../hosts/notifier/notifier-thread.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Alarm, DayNotice } from '../../model/notice.ts';
import { marketOf } from '../../model/symbol.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { Clock } from '../../ports/clock.ts';
import { EnvironmentError } from '../broker/environment-error.ts';
import { every } from '../clock/every.ts';
import type { NotifierPlan } from '../load/load-run.ts';
import type { PaperOptions, Progress } from '../run/run-options.ts';
import { rateAlarms } from './alarm-rate.ts';
import { lastCompletedDay } from './last-completed-day.ts';
import { redaction } from './redaction.ts';
import { openRunLog, type RunLog } from './run-log.ts';

/** Sends alarms and day summaries to the notifiers of a config, and to the log. */
export interface Notices extends Alarms {
  /** The log of the run; undefined if none is kept. */
  readonly log: RunLog | undefined;
  /** Removes the secrets of the broker and of notifiers from a text. */
  readonly redact: (text: string) => string;
  /** Checks periodically from now on whether a trading day has ended. */
  watchDays(progress: () => Progress): void;
  /** Sends the summary of the last day, waits for pending notices, and ends the notifiers. */
  close(): Promise<void>;
}

/** Interval of the check whether a day has ended, in machine milliseconds. */
const LOOK_MS = 1_000;

/** Variables whose names mark them as secrets. */
const SECRET_NAME = /(?:KEY|SECRET|TOKEN|PASSWORD)/;

/**
 * Opens the notifiers of a bot. A failure of a notifier is logged once and sent to the others. Throws
 * EnvironmentError if a secret is missing.
 */
export function openNotices(options: PaperOptions, machine: Clock): Notices {
  const { notifiers = [], environment = {} } = options;
  const files = notifiers.map((plan) => ({ ...plan, name: plan.use, secrets: secretsOf(plan, environment) }));
  const known = Object.entries(environment).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== undefined ? [value] : [],
  );
  const redact = redaction([...known, ...files.flatMap(({ secrets }) => Object.values(secrets))]);
  const log =
    options.log &&
    openRunLog({
      ...options.log,
      now: machine.now,
      redact,
      onFault: (message) => raise({ code: 'log-file', message, at: machine.now(), facts: {} }),
    });
  const hosts: { readonly name: string; readonly host: NotifierHost }[] = [];

  function raise(alarm: Alarm, exceptTo?: string): void {
    const clean = { ...alarm, message: redact(alarm.message), facts: cleanFacts(alarm.facts, redact) };
    options.onAlarm?.(clean);
    log?.alarm(clean);
    for (const { name, host } of hosts) if (name !== exceptTo) host.deliver({ kind: 'alarm', alarm: clean });
  }

  const rated = rateAlarms((alarm) => raise(alarm), machine);
  for (const { name, file, params, secrets } of files) {
    const onNews = (message: string): void =>
      raise({ code: 'notifier', message, at: machine.now(), facts: {} }, name);
    hosts.push({
      name,
      host: createNotifierHost({
        notifier: { name, file, params, secrets },
        clock: machine,
        onNews,
        isolation: options.config.isolation,
      }),
    });
  }

  const days =
    hosts.length === 0 && log === undefined
      ? undefined
      : dayTeller(options, (day) => {
          log?.day(day);
          for (const { host } of hosts) host.deliver({ kind: 'day', day });
        });
  return {
    log,
    redact,
    raise: rated.raise,
    watchDays: (progress) => days?.watch(progress),
    close: async () => {
      rated.end();
      days?.end();
      await Promise.all(hosts.map(({ host }) => host.close()));
      await log?.close();
    },
  };
}

function secretsOf(
  { use, secrets }: NotifierPlan,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(secrets).map(([name, variable]) => {
    const value = environment[variable];
    if (value !== undefined && value !== '') return [name, value] as const;
    throw new EnvironmentError(
      `Cannot open notifier "${use}": its secret "${name}" is to be in ${variable}, which is not set in the environment or .env`,
    );
  });
  return Object.fromEntries(entries);
}

function cleanFacts(facts: Alarm['facts'], redact: (text: string) => string): Alarm['facts'] {
  return Object.fromEntries(Object.entries(facts).map(([name, text]) => [name, redact(text)]));
}

/** Reports each trading day when it is over in all markets of the bot. */
function dayTeller(
  { setup }: Pick<PaperOptions, 'setup'>,
  notify: (day: DayNotice) => void,
): { watch(progress: () => Progress): void; end(): void } {
  const markets = [...new Set(setup.securities.map(({ symbol }) => marketOf(symbol)))];
  let look: () => void = () => undefined;
  let stop: () => void = () => undefined;

  function watch(progress: () => Progress): void {
    let { flow: before, marketTime } = progress();
    let reportedDay = lastCompletedDay(markets, marketTime);
    look = () => {
      const { flow, marketTime: at, equity, gate } = progress();
      const day = lastCompletedDay(markets, at);
      if (day === undefined || (reportedDay !== undefined && day <= reportedDay)) return;
      const since = (count: 'fills' | 'orders' | 'denied'): number => flow[count] - before[count];
      notify({
        day,
        at,
        strategy: setup.strategy.name,
        currency: setup.currency,
        gate,
        equity: new Decimal(equity).toDecimalPlaces(2),
        fills: since('fills'),
        orders: since('orders'),
        denied: since('denied'),
      });
      before = flow;
      reportedDay = day;
    };
    stop = every(LOOK_MS, () => look());
  }

  return {
    watch,
    end: () => {
      stop();
      look();
    },
  };
}
