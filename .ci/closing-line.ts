/**
 * Reads vitest's JSON report and prints its numbers as one line, `N passed, N failed, N skipped`.
 * Ends with 1 when there is no report, or when something was skipped although CI=true.
 */
import { existsSync, readFileSync } from 'node:fs';

/** What this script reads of the report. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function skippedNames(report: Report): readonly string[] {
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => !['passed', 'failed'].includes(status))
      .map(({ fullName }) => `${name}: ${fullName}`),
  );
}

const path = process.argv[2] ?? '';
if (!existsSync(path)) {
  process.stderr.write(`Cannot read the tests' report: there is none at "${path}", the tests did not run\n`);
  process.exit(1);
}
const report: Report = JSON.parse(readFileSync(path, 'utf8'));
const skipped = report.numPendingTests + report.numTodoTests;
process.stdout.write(
  `${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped} skipped\n`,
);
if (skipped > 0 && process.env['CI'] === 'true') {
  process.stderr.write(
    `\nIn CI nothing may be skipped, but these were:\n  ${skippedNames(report).join('\n  ')}\n`,
  );
  process.exitCode = 1;
}
