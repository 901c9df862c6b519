import type { CommandRegistration } from './command-context.ts';

/** Groups of commands on the help page, in order. */
export type CommandGroup = keyof typeof COMMAND_GROUPS;

export const COMMAND_GROUPS = {
  begin: 'Get started',
  past: 'Backtests and paper trading',
  running: 'Running bots',
  analysis: 'Results and analysis',
  data: 'Price data and a local test venue',
  broker: 'Broker account (needs addresses and credentials)',
} as const;

/** A file of commands: the names that it adds, their place in the help, and how to load it. */
export interface CommandFile {
  readonly names: readonly string[];
  readonly group: CommandGroup;
  readonly load: () => Promise<CommandRegistration>;
}

/**
 * All commands in the order of the help page. A command line loads only the file of its command, to keep starts fast.
 */
export const COMMAND_FILES: readonly CommandFile[] = [
  { names: ['init'], group: 'begin', load: async () => (await import('./commands/init.ts')).initCommand },
  { names: ['start'], group: 'begin', load: async () => (await import('./commands/start.ts')).startCommand },
  { names: ['check'], group: 'begin', load: async () => (await import('./commands/check.ts')).checkCommand },
  {
    names: ['schema'],
    group: 'begin',
    load: async () => (await import('./commands/schema.ts')).schemaCommand,
  },
  {
    names: ['explain'],
    group: 'begin',
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  {
    names: ['doctor'],
    group: 'begin',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    names: ['notify'],
    group: 'begin',
    load: async () => (await import('./commands/notify.ts')).notifyCommand,
  },
  {
    names: ['backtest'],
    group: 'past',
    load: async () => (await import('./commands/backtest.ts')).backtestCommand,
  },
  { names: ['run'], group: 'past', load: async () => (await import('./commands/run.ts')).runCommand },
  {
    names: ['parity'],
    group: 'past',
    load: async () => (await import('./commands/parity.ts')).parityCommand,
  },
  {
    names: ['sweep'],
    group: 'past',
    load: async () => (await import('./commands/sweep.ts')).sweepCommand,
  },
  {
    names: ['worker'],
    group: 'past',
    load: async () => (await import('./commands/worker.ts')).workerCommand,
  },
  {
    names: ['walk-forward'],
    group: 'past',
    load: async () => (await import('./commands/walk-forward.ts')).walkForwardCommand,
  },
  {
    names: ['cross-validate'],
    group: 'past',
    load: async () => (await import('./commands/cross-validate.ts')).crossValidateCommand,
  },
  {
    names: ['monte-carlo'],
    group: 'past',
    load: async () => (await import('./commands/monte-carlo.ts')).monteCarloCommand,
  },
  { names: ['luck'], group: 'past', load: async () => (await import('./commands/luck.ts')).luckCommand },
  { names: ['test'], group: 'past', load: async () => (await import('./commands/test.ts')).testCommand },
  {
    names: ['status', 'watch'],
    group: 'running',
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  { names: ['ui'], group: 'running', load: async () => (await import('./commands/ui.ts')).uiCommand },
  { names: ['kill'], group: 'running', load: async () => (await import('./commands/kill.ts')).killCommand },
  {
    names: ['resume', 'pause', 'halt'],
    group: 'running',
    load: async () => (await import('./commands/resume.ts')).resumeCommand,
  },
  {
    names: ['settle'],
    group: 'running',
    load: async () => (await import('./commands/settle.ts')).settleCommand,
  },
  {
    names: ['tearsheet'],
    group: 'analysis',
    load: async () => (await import('./commands/tearsheet.ts')).tearsheetCommand,
  },
  {
    names: ['report'],
    group: 'analysis',
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  {
    names: ['compare'],
    group: 'analysis',
    load: async () => (await import('./commands/compare.ts')).compareCommand,
  },
  {
    names: ['journal'],
    group: 'analysis',
    load: async () => (await import('./commands/journal.ts')).journalCommand,
  },
  { names: ['why'], group: 'analysis', load: async () => (await import('./commands/why.ts')).whyCommand },
  { names: ['venue'], group: 'data', load: async () => (await import('./commands/venue.ts')).venueCommand },
  { names: ['data'], group: 'data', load: async () => (await import('./commands/data.ts')).dataCommand },
  {
    names: ['account'],
    group: 'broker',
    load: async () => (await import('./commands/account.ts')).accountCommand,
  },
  {
    names: ['positions'],
    group: 'broker',
    load: async () => (await import('./commands/positions.ts')).positionsCommand,
  },
  {
    names: ['orders'],
    group: 'broker',
    load: async () => (await import('./commands/orders.ts')).ordersCommand,
  },
  { names: ['order'], group: 'broker', load: async () => (await import('./commands/order.ts')).orderCommand },
  {
    names: ['estimate'],
    group: 'broker',
    load: async () => (await import('./commands/estimate.ts')).estimateCommand,
  },
  {
    names: ['margin-ratio'],
    group: 'broker',
    load: async () => (await import('./commands/margin-ratio.ts')).marginRatioCommand,
  },
  { names: ['quote'], group: 'broker', load: async () => (await import('./commands/quote.ts')).quoteCommand },
  { names: ['depth'], group: 'broker', load: async () => (await import('./commands/depth.ts')).depthCommand },
  {
    names: ['candles'],
    group: 'broker',
    load: async () => (await import('./commands/candles.ts')).candlesCommand,
  },
  {
    names: ['static'],
    group: 'broker',
    load: async () => (await import('./commands/static.ts')).staticCommand,
  },
  {
    names: ['capital-flow'],
    group: 'broker',
    load: async () => (await import('./commands/capital-flow.ts')).capitalFlowCommand,
  },
  {
    names: ['securities'],
    group: 'broker',
    load: async () => (await import('./commands/securities.ts')).securitiesCommand,
  },
  {
    names: ['watchlist'],
    group: 'broker',
    load: async () => (await import('./commands/watchlist.ts')).watchlistCommand,
  },
  { names: ['token'], group: 'broker', load: async () => (await import('./commands/token.ts')).tokenCommand },
  { names: ['ping'], group: 'broker', load: async () => (await import('./commands/ping.ts')).pingCommand },
  {
    names: ['catalogue'],
    group: 'broker',
    load: async () => (await import('./commands/catalogue.ts')).catalogueCommand,
  },
];
