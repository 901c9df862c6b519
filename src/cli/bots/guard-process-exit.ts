import { EXIT } from '../exit-codes.ts';

/** Runs work that calls plugins; if one of them ends the process, that is reported as a failure. */
export function guardProcessExit<T>(work: () => T): T {
  const ended = (): void => {
    process.stderr.write(
      'The process was ended before the run was over: a plugin called process.exit; return from the hook, or throw\n',
    );
    process.exitCode = EXIT.strategy;
  };
  process.once('exit', ended);
  try {
    return work();
  } finally {
    process.off('exit', ended);
  }
}
