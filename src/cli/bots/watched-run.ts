import { every } from '../../app/clock/every.ts';
import { withDotEnv } from '../../app/credentials/dot-env.ts';
import { type AnyRun, spanOf } from '../../app/load/load-run.ts';
import type { LogFormat, LogLevel } from '../../app/logs/log-levels.ts';
import { REDUCED_GUARANTEES } from '../../app/run/only-documented.ts';
import type { Progress } from '../../app/run/run-options.ts';
import { runPaper } from '../../app/run/run-paper.ts';
import type { Watching } from '../../app/run/watch-run.ts';
import { isReplay } from '../../config/data-of.ts';
import type { DetailedRecord } from '../../events/run-record.ts';
import { printable } from '../../model/printable.ts';
import { alarmLine } from '../output/alarm-line.ts';
import { lineView } from '../output/line-view.ts';
import type { Terminal } from '../output/terminal.ts';
import type { View, ViewUpdate } from '../output/view.ts';
import { reportSlowStop } from './interruption.ts';
import { canShowScreen, runScreen } from './run-screen.ts';

/** Refresh interval of the live view, machine milliseconds. */
const REFRESH_MS = 100;

/** What is logged, and where. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Undefined if nothing is logged to standard error. */
  readonly stderr: LogFormat | undefined;
  readonly file: string | undefined;
}

/** Runs a config on paper: with the screen of `sluice watch` on a terminal, otherwise with lines. */
export async function watchedPaperRun(
  loaded: AnyRun,
  {
    terminal,
    project,
    interrupted,
    interrupt,
    live = false,
    hasView = canShowScreen(terminal),
    log,
    dashboard,
    reload,
  }: {
    readonly terminal: Terminal;
    readonly project: string;
    readonly interrupted: AbortSignal;
    /** Ends the run in an orderly way. */
    readonly interrupt: () => void;
    readonly live?: boolean;
    /** Whether the run shows the screen; default: if the terminal can. Nothing is logged to standard error then. */
    readonly hasView?: boolean;
    readonly log?: LogOptions;
    /** Login link of the dashboard of the run. */
    readonly dashboard?: string | undefined;
    /** Reads the config again and applies its changes while the bot runs. Absent: the config is not read again. */
    readonly reload?: Watching['reload'] | undefined;
  },
): Promise<DetailedRecord> {
  const { config, setup, strategyFile, memberFiles, ruleFiles, notifiers } = loaded;
  const isJson = log?.stderr === 'json';
  const lines = isJson
    ? SILENT
    : lineView(terminal.view, { ...spanOf(loaded), isEndless: !isReplay(config) });
  const screen = hasView
    ? runScreen({ terminal, project, lines, dashboard, interrupted, interrupt })
    : undefined;
  const view = screen ?? lines;
  const symbols = setup.securities.map((security) => security.symbol);
  const names = setup.members?.map(({ name }) => name) ?? [setup.strategy.name];
  const label = `${names.join(' + ')} on ${symbols.join(', ')}`;
  const update = (progress: Progress): ViewUpdate => ({
    ...progress,
    currency: setup.currency,
    label,
  });
  let stop: () => void = () => undefined;
  const endReport = reportSlowStop(interrupted, (text) => view.say(text));
  try {
    if (config.onlyDocumented === true) view.say(`${REDUCED_GUARANTEES.join('\n')}\n`);
    return await runPaper({
      config,
      setup,
      strategyFile,
      memberFiles,
      ruleFiles,
      notifiers,
      project,
      interrupted,
      live,
      ...(log === undefined || (log.stderr === undefined && log.file === undefined)
        ? {}
        : {
            log: {
              level: log.level,
              file: log.file,
              ...(log.stderr === undefined
                ? {}
                : {
                    stderr: { format: log.stderr, write: isJson ? terminal.err : (text) => view.say(text) },
                  }),
            },
          }),
      ...(reload === undefined ? {} : { watching: { loaded, reload, print: (text) => view.say(text) } }),
      environment: withDotEnv(process.env, project),
      onFault: (message) => view.say(`${message}\n`),
      onAlarm: (alarm) => view.say(alarmLine(alarm)),
      onQuotePackages: (lines) => view.say(`${lines.map((line) => printable(line, 200)).join('\n')}\n`),
      onStart: (progress, folder) => {
        screen?.open(folder);
        stop = refresh(view, () => update(progress()));
      },
    });
  } finally {
    endReport();
    await screen?.close();
    stop();
  }
}

/** No view, for a standard error with JSON lines only. */
const SILENT: View = { show: () => undefined, say: () => undefined, end: () => undefined };

function refresh(view: View, read: () => ViewUpdate): () => void {
  const stop = every(REFRESH_MS, () => view.show(read()));
  return () => {
    stop();
    view.end(read());
  };
}
