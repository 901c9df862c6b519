/** Exit codes of the process. */
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

/** Exit codes by the stable codes of our errors. */
const BY_NAME: Readonly<Record<string, ExitCode>> = {
  UsageError: EXIT.usage,
  ConfigChangeError: EXIT.usage,
  ResearchError: EXIT.usage,
  ConfigError: EXIT.config,
  DataError: EXIT.config,
  EnvironmentError: EXIT.config,
  RunFileError: EXIT.config,
  BenchmarkError: EXIT.config,
  BrokerError: EXIT.broker,
  WireError: EXIT.broker,
  VenueError: EXIT.broker,
  VenueProcessError: EXIT.broker,
  AdminError: EXIT.broker,
  CatalogueError: EXIT.broker,
  QueueError: EXIT.broker,
  CatalogueStoreError: EXIT.config,
  StartError: EXIT.broker,
  StrategyError: EXIT.strategy,
  WorkerStartError: EXIT.strategy,
  FillModelError: EXIT.strategy,
  JournalError: EXIT.journal,
  LeaseError: EXIT.journal,
};

/** Advice for failed operations of the file system; other codes are defects of ours. */
const DISK_PROBLEMS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only; mount it for writing, or run Sluice in another folder',
  EACCES: 'this user may not; check the owner and the rights of the path',
  EPERM: 'this user may not; check the owner and the rights of the path',
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the quota of this user is used up; free some space',
  EIO: 'the disk reports a failure; check it before anything else',
  EMFILE: 'this process has as many files open as it may; raise "ulimit -n"',
  ENFILE: 'the system has as many files open as it may',
  ELOOP: 'a symbolic link is in its place; remove it',
};

/** Describes an operation that the file system refused; undefined for any other error. */
export function diskProblem(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  if (error.code === 'ERR_SQLITE_ERROR')
    return `Cannot use a database of this project: ${error.message}; "sluice journal verify" checks the journal`;
  if (!('syscall' in error)) return undefined;
  const { code, syscall } = error;
  const advice = DISK_PROBLEMS[String(code)];
  if (advice === undefined || !('path' in error)) return undefined;
  return `Cannot ${String(syscall)} "${String(error.path)}": ${advice} (${String(code)})`;
}

/** The exit code of one of our errors; undefined for anything else, which is a defect. */
export function exitCodeOf(error: unknown): ExitCode | undefined {
  return error instanceof Error ? BY_NAME[error.name] : undefined;
}
