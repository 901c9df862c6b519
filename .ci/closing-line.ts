/**
 * Reads vitest's JSON report, names what failed and what passed only at a second try, and prints the numbers as one line,
 * `N passed, N failed, N skipped`. Ends with 1 when there is no report, or when something was skipped although CI=true.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** What this script reads of the report. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    /** Why the file itself could not run; empty otherwise. */
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      /** One for each try that failed, also where a later one passed. */
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** One test of the report, with the file it stands in. */
interface Told {
  readonly status: string;
  readonly name: string;
  readonly failures: readonly string[];
}

/** Lines of a failure that are worth reading at the end of a long run. */
const LINES_MAX = 12;

function toldBy({ testResults }: Report): readonly Told[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const tests = assertionResults.map(({ status, fullName, failureMessages }) => ({
      status,
      name: `${file}: ${fullName}`,
      failures: failureMessages,
    }));
    return message === '' ? tests : [{ status: 'failed', name: file, failures: [message] }, ...tests];
  });
}

/** Not the way through the runner, which is the same for all. */
function isOurs(line: string): boolean {
  return line.trim() !== '' && !/node_modules|<anonymous>/.test(line);
}

function list(title: string, tests: readonly Told[]): void {
  if (tests.length === 0) return;
  process.stderr.write(`\n${title}\n`);
  for (const { name, failures } of tests) {
    process.stderr.write(`  ${name}\n`);
    const lines = failures.flatMap((failure) => failure.split('\n').filter(isOurs).slice(0, LINES_MAX));
    for (const line of lines) process.stderr.write(`    ${line}\n`);
  }
}

const path = process.argv[2] ?? '';
if (!existsSync(path)) {
  process.stderr.write(`Cannot read the tests' report: there is none at "${path}", the tests did not run\n`);
  process.exit(1);
}
const report: Report = JSON.parse(readFileSync(path, 'utf8'));
const tests = toldBy(report);
const skipped = report.numPendingTests + report.numTodoTests;
list(
  'Passed at the second try only:',
  tests.filter(({ status, failures }) => status === 'passed' && failures.length > 0),
);
list(
  'Failed:',
  tests.filter(({ status }) => status === 'failed'),
);
if (skipped > 0 && process.env['CI'] === 'true') {
  list(
    'In CI nothing may be skipped, but these were:',
    tests.filter(({ status }) => !['passed', 'failed'].includes(status)),
  );
  process.exitCode = 1;
}
process.stdout.write(
  `${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped} skipped\n`,
);
