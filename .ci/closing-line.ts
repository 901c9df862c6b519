/**
 * Reads vitest's JSON reports, lists the tests that failed or passed only in a second attempt, and prints the sums as
 * one line, `N passed, N failed, N skipped`. Exits with 1 if a report is missing, or if a test was skipped although
 * CI=true.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Fields of the report that this script reads. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    /** Why the file could not be loaded; empty otherwise. */
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      /** One per failed attempt, even if a later one passed. */
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** One test of the report, with its file. */
interface TestResult {
  readonly status: string;
  readonly name: string;
  readonly failures: readonly string[];
}

/** Printed lines per failure at the end of a long run. */
const LINES_MAX = 12;

function resultsOf({ testResults }: Report): readonly TestResult[] {
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

/** False for stack frames of the test runner. */
function isOurs(line: string): boolean {
  return line.trim() !== '' && !/node_modules|<anonymous>/.test(line);
}

function list(title: string, tests: readonly TestResult[]): void {
  if (tests.length === 0) return;
  process.stderr.write(`\n${title}\n`);
  for (const { name, failures } of tests) {
    process.stderr.write(`  ${name}\n`);
    const lines = failures.flatMap((failure) => failure.split('\n').filter(isOurs).slice(0, LINES_MAX));
    for (const line of lines) process.stderr.write(`    ${line}\n`);
  }
}

const reports = process.argv.slice(2).flatMap((path): readonly Report[] => {
  if (existsSync(path)) return [JSON.parse(readFileSync(path, 'utf8'))];
  process.stderr.write(`Cannot read a report of tests: no file at "${path}", those tests did not end\n`);
  process.exitCode = 1;
  return [];
});
const tests = reports.flatMap(resultsOf);
const sum = (of: (report: Report) => number): number => reports.reduce((all, report) => all + of(report), 0);
const skipped = sum(({ numPendingTests, numTodoTests }) => numPendingTests + numTodoTests);
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
    'Skipped, which CI does not allow:',
    tests.filter(({ status }) => !['passed', 'failed'].includes(status)),
  );
  process.exitCode = 1;
}
process.stdout.write(
  `${sum((each) => each.numPassedTests)} passed, ${sum((each) => each.numFailedTests)} failed, ${skipped} skipped\n`,
);
