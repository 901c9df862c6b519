import { runName } from '../../backtest/setup.ts';
import type { BotState } from '../../events/bot-state.ts';
import type { SluiceEvent } from '../../events/event.ts';
import { createNotifierHost, type NotifierHost } from '../../hosts/notifier/notifier-thread.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Alarm, DayNotice, Notice } from '../../model/notice.ts';
import { marketOf } from '../../model/symbol.ts';
import { NOTICE_HOOKS, NOTIFIER_EVENTS } from '../../plugins/define-notifier.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { Clock } from '../../ports/clock.ts';
import { every } from '../clock/every.ts';
import type { NotifierPlan } from '../load/load-run.ts';
import type { PaperOptions, Progress } from '../run/run-options.ts';
import { limitAlarmRate } from './alarm-rate.ts';
import { createEventNotices } from './event-notices.ts';
import { lastCompletedDay, nextTradingDay } from './last-completed-day.ts';
import { notifierFile, notifierName, notifyingBot, redactionOf } from './notifier-files.ts';
import { openRunLog, type RunLog } from './run-log.ts';

/** Sends alarms, events and day summaries to the notifiers of a config, and to the log. */
export interface Notices extends Alarms {
  /** The log of the run; undefined if none is kept. */
  readonly log: RunLog | undefined;
  /** The newest alarm of each code and symbol, the newest first. */
  readonly alarms: () => readonly Alarm[];
  /** Removes the secrets of the broker and of notifiers from a text. */
  readonly redact: (text: string) => string;
  /** Logs an event that was folded into `state`, and sends the notices that it leads to. */
  event(event: SluiceEvent, state: BotState): void;
  /** Checks periodically from now on whether a trading day has ended. */
  watchDays(progress: () => Progress): void;
  /** Sends the summary of the last day and the end of the run, waits for pending notices, and ends the notifiers. */
  close(): Promise<void>;
}

/** Interval of the check whether a day has ended, for the log, in machine milliseconds. */
const LOG_MS = 1_000;
/** The same for notifiers: a replay, whose days are short, must not send more messages than a chat accepts. */
const SEND_MS = 10_000;
/** Maximum number of alarms that are kept for the status; the oldest is dropped first. */
const ALARMS_MAX = 50;

/**
 * Opens the notifiers of a bot. A failure of a notifier is logged once and sent to the others. Throws
 * EnvironmentError if a secret is missing.
 */
export function openNotices(options: PaperOptions, machine: Clock): Notices {
  const { notifiers = [], environment = {} } = options;
  const bot = notifyingBot(options.config, runName(options.setup));
  const files = notifiers.map((plan, at) => ({
    plan,
    file: notifierFile(plan, notifierName(notifiers, at), { environment, bot }),
  }));
  const redact = redactionOf(
    environment,
    files.map(({ file }) => file),
  );
  const log =
    options.log &&
    openRunLog({
      ...options.log,
      now: machine.now,
      redact,
      onFault: (message) => raise({ code: 'log-file', message, at: machine.now(), facts: {} }),
    });
  const newest = new Map<string, Alarm>();
  const hosts: { readonly plan: NotifierPlan; readonly host: NotifierHost }[] = [];

  function send(notice: Notice, exceptTo?: NotifierPlan): void {
    for (const { plan, host } of hosts)
      if (plan !== exceptTo && wants(plan, notice.kind)) host.deliver(notice);
  }

  function raise(alarm: Alarm, exceptTo?: NotifierPlan): void {
    const clean = { ...alarm, message: redact(alarm.message), facts: cleanFacts(alarm.facts, redact) };
    options.onAlarm?.(clean);
    const { symbol = '', symbols = symbol } = clean.facts;
    const key = `${clean.code} ${symbols}`;
    newest.delete(key);
    newest.set(key, clean);
    const [oldest] = newest.size > ALARMS_MAX ? newest.keys() : [];
    if (oldest !== undefined) newest.delete(oldest);
    log?.alarm(clean);
    send({ kind: 'alarm', notice: clean }, exceptTo);
  }

  const rated = limitAlarmRate((alarm) => raise(alarm), machine);
  for (const { plan, file } of files) {
    const onNews = (message: string): void =>
      raise({ code: 'notifier', message, at: machine.now(), facts: {} }, plan);
    hosts.push({
      plan,
      host: createNotifierHost({
        notifier: file,
        clock: machine,
        redact,
        onStateChange: onNews,
        isolation: options.config.isolation,
      }),
    });
  }

  const days = [
    ...(log === undefined ? [] : [dayReports(options, LOG_MS, log.day)]),
    ...(hosts.length === 0
      ? []
      : [dayReports(options, SEND_MS, (day) => send({ kind: 'day', notice: day }))]),
  ];
  const symbols = options.setup.securities.map(({ symbol }) => symbol);
  const events =
    hosts.length === 0 ? undefined : createEventNotices({ clock: machine, symbols, send, redact });
  return {
    log,
    redact,
    alarms: () => [...newest.values()].toReversed(),
    raise: rated.raise,
    event: (event, state) => {
      log?.event(event);
      events?.event(event, state);
    },
    watchDays: (progress) => {
      for (const each of days) each.watch(progress);
    },
    close: async () => {
      events?.flush();
      rated.end();
      for (const each of days) each.end();
      events?.close();
      await Promise.all(hosts.map(({ host }) => host.close()));
      await log?.close();
    },
  };
}

/** True if a notifier has a hook for a kind of notice, and its config selects it. */
function wants({ events, hooks }: NotifierPlan, kind: Notice['kind']): boolean {
  const isSelected = events.some((event) => NOTIFIER_EVENTS[event].some((selected) => selected === kind));
  return isSelected && hooks.includes(NOTICE_HOOKS[kind]);
}

function cleanFacts(facts: Alarm['facts'], redact: (text: string) => string): Alarm['facts'] {
  return Object.fromEntries(Object.entries(facts).map(([name, text]) => [name, redact(text)]));
}

/** Reports each trading day when it is over in all markets of the bot; several at once if they end in one interval. */
function dayReports(
  { setup }: Pick<PaperOptions, 'setup'>,
  intervalMs: number,
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
      const first = reportedDay === undefined ? day : nextTradingDay(markets, reportedDay);
      const since = (count: 'fills' | 'orders' | 'denied'): number => flow[count] - before[count];
      notify({
        day,
        ...(first < day ? { from: first } : {}),
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
    stop = every(intervalMs, () => look());
  }

  return {
    watch,
    end: () => {
      stop();
      look();
    },
  };
}
