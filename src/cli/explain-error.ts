import { withProjectPaths } from '../app/storage/inside-project.ts';
import { printableLines } from '../model/printable.ts';
import { diskProblem, EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import type { Terminal } from './output/terminal.ts';

/** Prints an error that ended a command and returns its exit code. */
export async function explain(
  error: unknown,
  { terminal, project }: { readonly terminal: Terminal; readonly project: string },
): Promise<ExitCode> {
  const code = exitCodeOf(error);
  if (code !== undefined && error instanceof Error) {
    // A message may quote text of a file, a venue or an author.
    terminal.err(`${printableLines(withProjectPaths(error.message, project))}\n`);
    return code;
  }
  const problem = diskProblem(error);
  if (problem !== undefined) {
    terminal.err(`${withProjectPaths(problem, project)}\n`);
    return EXIT.journal;
  }
  const { atSource } = await import('./output/source-lines.ts');
  const text = error instanceof Error ? atSource(error.stack ?? error.message) : String(error);
  terminal.err(`Unexpected error, please report it:\n${printableLines(text)}\n`);
  return EXIT.failedCheck;
}
