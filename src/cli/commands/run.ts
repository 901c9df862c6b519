import { dirname, join } from 'node:path';
import { Option } from 'commander';
import { withDotEnv } from '../../app/credentials/dot-env.ts';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../../app/logs/log-levels.ts';
import type { PagedRun } from '../../app/storage/run-page.ts';
import type { BotConfig, PaperClock } from '../../config/bot-config.ts';
import type { RunRecord } from '../../events/run-record.ts';
import type { Security } from '../../model/security.ts';
import { interruptible } from '../bots/interruption.ts';
import type { LogOptions } from '../bots/watched-run.ts';
import type { CommandContext, CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { params, positiveNumber } from '../options/option-values.ts';
import { ONLY_DOCUMENTED, withParams } from '../options/with-params.ts';
import { printReport } from '../output/print-report.ts';
import { UsageError } from '../usage-error.ts';

interface RunOptions {
  readonly json?: boolean;
  readonly explain?: boolean;
  readonly param?: Readonly<Record<string, number | boolean | string>>;
  readonly speed?: number;
  readonly live?: boolean;
  readonly watch?: boolean;
  readonly ui?: boolean;
  readonly onlyDocumented?: boolean;
  readonly logLevel?: LogLevel;
  readonly logFormat?: LogFormat;
  readonly logFile?: string;
}

const NEVER_WATCHED =
  'Cannot watch files while real money is traded: "--watch" works on paper only, leave it out; a live bot reads its config when it starts';

const SEVERAL_NOT_WATCHED =
  'Cannot watch the files of several strategies: "--watch" follows the files of one; leave it out, and restart the bot after a change';

/** `sluice run CONFIG`: trades on paper, by default on an embedded venue, or live. */
export const runCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('run')
    .description(
      'run a strategy YAML on paper (signed HTTP and real sockets against an embedded venue), or with --live for real money; on a terminal with the view of "sluice watch", where q leaves the view and Ctrl-C ends the bot',
    )
    .argument('<config>', 'path of the strategy YAML')
    .option(
      '--param <name=value>',
      'value of a parameter, instead of the one in the YAML; may be repeated',
      params,
    )
    .option(
      '--speed <times>',
      'let the venue run so many times as fast as the wall, instead of stepped',
      positiveNumber,
    )
    .option(
      '--live',
      'trade real money: the config has to say "mode: live" and name account and addresses, too',
    )
    .option(
      '--watch',
      'on paper, take up parameters, limits, execution and strategy code whenever they are saved',
    )
    .option(
      '--ui',
      'print the login link of a dashboard, which runs in a separate process and ends with the run',
    )
    .option('--only-documented', ONLY_DOCUMENTED)
    .addOption(
      new Option(
        '--log-level <level>',
        'what is logged: each fill, order, denial and change of the gate from info on, every step from debug on (default: info; to stderr off a terminal where time is real); given, lines replace the view',
      ).choices([...LOG_LEVELS]),
    )
    .addOption(
      new Option(
        '--log-format <format>',
        'lines of text, or JSON and nothing else, on stderr (default: plain); given, lines replace the view',
      ).choices([...LOG_FORMATS]),
    )
    .option('--log-file <path>', 'log JSON lines to this file, too; ten files of 10 MB are kept')
    .option(
      '--explain',
      'add all figures, where the profit came from, definitions and assumptions at the end',
    )
    .option('--json', 'print the report as JSON')
    .action(async (path: string, options: RunOptions) => {
      const { loadPaperRun } = await import('../../app/load/load-run.ts');
      const { watchedPaperRun } = await import('../bots/watched-run.ts');
      const { canShowScreen } = await import('../bots/run-screen.ts');
      const live = options.live === true;
      if (live && options.watch === true) throw new UsageError(NEVER_WATCHED);
      const change = await withParams(options.param, options.onlyDocumented);
      const load = async () => {
        const read = await loadPaperRun(path, project, change, (config) =>
          securitiesOf(config, live, { terminal, project }),
        );
        return { ...read, config: { ...read.config, paper: clockOf(options, read.config.paper) } };
      };
      const loaded = await load();
      const { config } = loaded;
      const { endingCalendars, fastClockText } = await import('../../app/load/check-config.ts');
      const { createSystemClock } = await import('../../app/clock/system-clock.ts');
      for (const text of [...endingCalendars(config, createSystemClock().now()), fastClockText(config)])
        if (text !== undefined) terminal.err(`Warning: ${text}\n`);
      if (config.mode === 'live' && options.watch === true) throw new UsageError(NEVER_WATCHED);
      if (config.members.length > 0 && options.watch === true) throw new UsageError(SEVERAL_NOT_WATCHED);
      const dashboard =
        options.ui === true
          ? await (await import('../../app/dashboard/dashboard-process.ts')).spawnDashboard(project)
          : undefined;
      if (dashboard !== undefined) terminal.err(`Dashboard  ${dashboard.login}\n`);
      // Decided once: a run shows the view, or prints lines and a log.
      const hasView = !isLogAsked(options) && canShowScreen(terminal);
      const record = await interruptible(async (interrupted, interrupt) => {
        const run = await watchedPaperRun(loaded, {
          terminal,
          project,
          interrupted,
          interrupt,
          live,
          dashboard: dashboard?.login,
          hasView,
          log: logOf(options, config, hasView),
          reload: options.watch === true ? load : undefined,
        });
        const { gate, left } = run;
        if (left !== undefined && left.live > 0) terminal.err(leftText(left));
        if (gate?.state === 'halted' || gate?.state === 'killed') {
          const { gateText } = await import('../../reports/status.ts');
          terminal.err(`${gateText(gate)}: "sluice resume --reason ..." once the cause is gone\n`);
          exit(EXIT.halted);
        } else if ((left?.inDoubt ?? 0) > 0) exit(EXIT.failedCheck);
        else if (interrupted.aborted) exit(EXIT.interrupted);
        return run;
      }).finally(() => dashboard?.stop());
      const { strategySeries } = await import('../../app/load/strategy-series.ts');
      const { priceHistories } = await import('../../app/load/price-histories.ts');
      const series = await strategySeries(loaded);
      // The page uses the config of the start; for a bot without a file, that of its process.
      const isComputed = loaded.setup.history.length > 0;
      const changed = options.watch === true ? [MAY_HAVE_CHANGED] : [];
      const missing = isComputed ? [...series.missing, ...changed] : [];
      const paged = { ...loaded, warmup: series.warmup, series: { ...series, missing } };
      await saveRun(paged, record, project);
      await printReport(record, {
        terminal,
        json: options.json === true,
        explained: options.explain === true,
        histories: () => priceHistories(paged),
      });
    });
};

/** Why series of a report may differ from what the strategy saw. */
const MAY_HAVE_CHANGED =
  'where files were changed while it ran, the series are those of the parameters at its start and of the code at its end';

/** True if a flag asks for the log on standard error. */
function isLogAsked({ logLevel, logFormat }: RunOptions): boolean {
  return logLevel !== undefined || logFormat !== undefined;
}

/** Log options from the flags; by default a run in real time logs to stderr if it has no view. */
function logOf(options: RunOptions, config: BotConfig, hasView: boolean): LogOptions {
  const { logLevel, logFormat, logFile } = options;
  const isReal = config.broker !== undefined || config.paper.kind === 'upstream';
  return {
    level: logLevel ?? 'info',
    stderr: isLogAsked(options) || (isReal && !hasView) ? (logFormat ?? 'plain') : undefined,
    file: logFile,
  };
}

/**
 * Reads the securities of a config without `data` from the broker, after the check whether real money is permitted.
 */
async function securitiesOf(
  config: BotConfig,
  live: boolean,
  { terminal, project }: Pick<CommandContext, 'terminal' | 'project'>,
): Promise<readonly Security[]> {
  const { brokerSecurities, brokerSecuritiesText } = await import('../../app/broker/broker-securities.ts');
  const { assertPermitted } = await import('../../app/run/live-checks.ts');
  const isUpstream = config.paper.kind === 'upstream';
  const broker = config.broker ?? (isUpstream ? UPSTREAM : undefined);
  if (broker === undefined) throw new Error(`"${config.path}" passed with neither "data" nor "broker"`);
  const environment = withDotEnv(process.env, project);
  assertPermitted({ config, live, environment });
  const warn = (text: string): void => terminal.err(`${text}\n`);
  const securities = await brokerSecurities({ config, broker, isUpstream, environment, project, warn });
  terminal.err(brokerSecuritiesText(securities));
  return securities;
}

/** Writes the data of a report into the folder of the run's journal. */
async function saveRun(loaded: PagedRun, record: RunRecord, project: string): Promise<void> {
  if (record.journal === undefined) return;
  const { pageOf, saveRunPage } = await import('../../app/storage/run-page.ts');
  const { RUN_FILE } = await import('../../app/storage/run-source.ts');
  saveRunPage(join(project, dirname(record.journal), RUN_FILE), pageOf(loaded, record));
}

/** The real broker whose quotes a paper run uses; its addresses come from the environment only. */
const UPSTREAM = { profile: 'longbridge', http: undefined, quoteWs: undefined, tradeWs: undefined } as const;

function clockOf({ speed }: RunOptions, configured: PaperClock): PaperClock {
  if (speed === undefined) return configured;
  if (configured.kind !== 'upstream') return { kind: 'scaled', speed };
  throw new UsageError(
    'Cannot run a real market faster than it is: leave "--speed" out, or "market: upstream"',
  );
}

/** Orders that remain working at the venue without the bot (F-P02). */
function leftText({ live, inDoubt }: NonNullable<RunRecord['left']>): string {
  const orders = live === 1 ? '1 order remains' : `${live} orders remain`;
  const doubt = inDoubt === 0 ? '' : `; the outcome of ${inDoubt} is unknown`;
  return `${orders} working at the venue${doubt}: the next start recovers them\n`;
}
