import { EXIT } from '../exit-codes.ts';

/** Does some work in which plugins are asked; where one of them ends the process, that is told, and is no success. */
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
