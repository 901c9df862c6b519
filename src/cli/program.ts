import { Command, CommanderError } from 'commander';
import { packageVersion } from '../config/package-root.ts';
import { accountCommand } from './commands/account.ts';
import { backtestCommand } from './commands/backtest.ts';
import { candlesCommand } from './commands/candles.ts';
import { capitalFlowCommand } from './commands/capital-flow.ts';
import { catalogueCommand } from './commands/catalogue.ts';
import { checkCommand } from './commands/check.ts';
import { compareCommand } from './commands/compare.ts';
import { dataCommand } from './commands/data.ts';
import { depthCommand } from './commands/depth.ts';
import { doctorCommand } from './commands/doctor.ts';
import { estimateCommand } from './commands/estimate.ts';
import { explainCommand } from './commands/explain.ts';
import { initCommand } from './commands/init.ts';
import { journalCommand } from './commands/journal.ts';
import { killCommand } from './commands/kill.ts';
import { marginRatioCommand } from './commands/margin-ratio.ts';
import { orderCommand } from './commands/order.ts';
import { ordersCommand } from './commands/orders.ts';
import { parityCommand } from './commands/parity.ts';
import { pingCommand } from './commands/ping.ts';
import { positionsCommand } from './commands/positions.ts';
import { quoteCommand } from './commands/quote.ts';
import { reportCommand } from './commands/report.ts';
import { resumeCommand } from './commands/resume.ts';
import { runCommand } from './commands/run.ts';
import { schemaCommand } from './commands/schema.ts';
import { securitiesCommand } from './commands/securities.ts';
import { settleCommand } from './commands/settle.ts';
import { startCommand } from './commands/start.ts';
import { staticCommand } from './commands/static.ts';
import { statusCommand } from './commands/status.ts';
import { testCommand } from './commands/test.ts';
import { tokenCommand } from './commands/token.ts';
import { venueCommand } from './commands/venue.ts';
import { watchlistCommand } from './commands/watchlist.ts';
import { whyCommand } from './commands/why.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** What every command gets. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Folder of the user's project: where the command runs. */
  readonly project: string;
  /** Says how the command ended; the last word counts. */
  readonly exit: (code: ExitCode) => void;
}

/** Adds one command to the program. */
export type CommandRegistration = (program: Command, context: CommandContext) => void;

const COMMANDS: readonly CommandRegistration[] = [
  initCommand,
  startCommand,
  backtestCommand,
  runCommand,
  parityCommand,
  checkCommand,
  statusCommand,
  killCommand,
  resumeCommand,
  settleCommand,
  reportCommand,
  compareCommand,
  testCommand,
  schemaCommand,
  explainCommand,
  doctorCommand,
  venueCommand,
  journalCommand,
  whyCommand,
  dataCommand,
  accountCommand,
  positionsCommand,
  ordersCommand,
  orderCommand,
  estimateCommand,
  marginRatioCommand,
  quoteCommand,
  depthCommand,
  candlesCommand,
  staticCommand,
  capitalFlowCommand,
  securitiesCommand,
  watchlistCommand,
  tokenCommand,
  pingCommand,
  catalogueCommand,
];

/** The program with all its commands, run or not. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('sluice')
    .description('Bots that execute stock orders automatically: strategies, a risk gate, signed orders.')
    .version(packageVersion())
    .showSuggestionAfterError()
    .showHelpAfterError('Run "sluice --help" to see the commands')
    .exitOverride();
  for (const register of COMMANDS) register(program, context);
  for (const command of program.commands)
    command.exitOverride().showHelpAfterError(`Run "sluice ${command.name()} --help"`);
  return program;
}

/** Node and the program are always there. */
const NOTHING_TYPED = 2;

/** Runs one command line and returns the exit code. Expected errors are one clear text on stderr; others keep their stack. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const terminal = processTerminal();
  let code: ExitCode = EXIT.ok;
  const context: CommandContext = {
    terminal,
    project: process.cwd(),
    exit: (next) => {
      code = next;
    },
  };
  try {
    if (argv.length <= NOTHING_TYPED) {
      const { whatNext } = await import('./what-next.ts');
      terminal.out(await whatNext(context.project));
      return code;
    }
    await createProgram(context).parseAsync([...argv]);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return explain(error, terminal);
  }
}

function explain(error: unknown, terminal: Terminal): ExitCode {
  const code = exitCodeOf(error);
  if (code !== undefined && error instanceof Error) {
    terminal.err(`${error.message}\n`);
    return code;
  }
  terminal.err(
    `Unexpected error, please report it:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return EXIT.failedCheck;
}
