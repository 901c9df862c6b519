import type { CommandRegistration } from './program.ts';

/** A file of commands: the names it adds to the program, and how to load it. */
export interface CommandFile {
  readonly names: readonly string[];
  readonly load: () => Promise<CommandRegistration>;
}

/** All commands in the order of the help page. A command line that names one loads no other: a start costs what it loads. */
export const COMMAND_FILES: readonly CommandFile[] = [
  { names: ['init'], load: async () => (await import('./commands/init.ts')).initCommand },
  { names: ['start'], load: async () => (await import('./commands/start.ts')).startCommand },
  { names: ['backtest'], load: async () => (await import('./commands/backtest.ts')).backtestCommand },
  { names: ['run'], load: async () => (await import('./commands/run.ts')).runCommand },
  { names: ['parity'], load: async () => (await import('./commands/parity.ts')).parityCommand },
  { names: ['check'], load: async () => (await import('./commands/check.ts')).checkCommand },
  { names: ['status'], load: async () => (await import('./commands/status.ts')).statusCommand },
  { names: ['kill'], load: async () => (await import('./commands/kill.ts')).killCommand },
  { names: ['resume', 'halt'], load: async () => (await import('./commands/resume.ts')).resumeCommand },
  { names: ['settle'], load: async () => (await import('./commands/settle.ts')).settleCommand },
  { names: ['report'], load: async () => (await import('./commands/report.ts')).reportCommand },
  { names: ['compare'], load: async () => (await import('./commands/compare.ts')).compareCommand },
  { names: ['test'], load: async () => (await import('./commands/test.ts')).testCommand },
  { names: ['schema'], load: async () => (await import('./commands/schema.ts')).schemaCommand },
  { names: ['explain'], load: async () => (await import('./commands/explain.ts')).explainCommand },
  { names: ['doctor'], load: async () => (await import('./commands/doctor.ts')).doctorCommand },
  { names: ['venue'], load: async () => (await import('./commands/venue.ts')).venueCommand },
  { names: ['journal'], load: async () => (await import('./commands/journal.ts')).journalCommand },
  { names: ['why'], load: async () => (await import('./commands/why.ts')).whyCommand },
  { names: ['data'], load: async () => (await import('./commands/data.ts')).dataCommand },
  { names: ['account'], load: async () => (await import('./commands/account.ts')).accountCommand },
  { names: ['positions'], load: async () => (await import('./commands/positions.ts')).positionsCommand },
  { names: ['orders'], load: async () => (await import('./commands/orders.ts')).ordersCommand },
  { names: ['order'], load: async () => (await import('./commands/order.ts')).orderCommand },
  { names: ['estimate'], load: async () => (await import('./commands/estimate.ts')).estimateCommand },
  {
    names: ['margin-ratio'],
    load: async () => (await import('./commands/margin-ratio.ts')).marginRatioCommand,
  },
  { names: ['quote'], load: async () => (await import('./commands/quote.ts')).quoteCommand },
  { names: ['depth'], load: async () => (await import('./commands/depth.ts')).depthCommand },
  { names: ['candles'], load: async () => (await import('./commands/candles.ts')).candlesCommand },
  { names: ['static'], load: async () => (await import('./commands/static.ts')).staticCommand },
  {
    names: ['capital-flow'],
    load: async () => (await import('./commands/capital-flow.ts')).capitalFlowCommand,
  },
  { names: ['securities'], load: async () => (await import('./commands/securities.ts')).securitiesCommand },
  { names: ['watchlist'], load: async () => (await import('./commands/watchlist.ts')).watchlistCommand },
  { names: ['token'], load: async () => (await import('./commands/token.ts')).tokenCommand },
  { names: ['ping'], load: async () => (await import('./commands/ping.ts')).pingCommand },
  { names: ['catalogue'], load: async () => (await import('./commands/catalogue.ts')).catalogueCommand },
];
