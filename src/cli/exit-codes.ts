/** What the process says to whoever started it. */
export const EXIT = {
  ok: 0,
  failedCheck: 1,
  usage: 2,
  config: 3,
  broker: 4,
  halted: 5,
  strategy: 6,
  journal: 7,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Stable codes of our own errors, by what they mean for the exit. */
const BY_NAME: Readonly<Record<string, ExitCode>> = {
  UsageError: EXIT.usage,
  ConfigChangeError: EXIT.usage,
  ConfigError: EXIT.config,
  DataError: EXIT.config,
  EnvironmentError: EXIT.config,
  RunFileError: EXIT.config,
  BrokerError: EXIT.broker,
  WireError: EXIT.broker,
  VenueError: EXIT.broker,
  VenueProcessError: EXIT.broker,
  AdminError: EXIT.broker,
  CatalogueError: EXIT.broker,
  CatalogueStoreError: EXIT.config,
  StartError: EXIT.broker,
  StrategyError: EXIT.strategy,
  WorkerStartError: EXIT.strategy,
  FillModelError: EXIT.strategy,
  JournalError: EXIT.journal,
  LeaseError: EXIT.journal,
};

/** The exit code of an error of ours; undefined for anything else, which is a defect. */
export function exitCodeOf(error: unknown): ExitCode | undefined {
  return error instanceof Error ? BY_NAME[error.name] : undefined;
}
