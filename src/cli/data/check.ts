import { resolve } from 'node:path';
import { createSystemClock } from '../../app/clock/system-clock.ts';
import { checkStore, type FileCheck, type Finding } from '../../market-data/check-store.ts';
import { safeSymbol, symbolsIn } from '../../market-data/data-folder.ts';
import { writeStamp } from '../../market-data/stamp.ts';
import type { Period } from '../../model/period.ts';
import { plural } from '../../model/plural.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';

/** The parsed flags of `sluice data check`. */
export interface CheckFlags {
  readonly dir: string;
  readonly period?: Period;
  readonly gap?: number;
  readonly json?: boolean;
}

/** Checks series one after the other and prints the findings; exit code 1 if there are errors. */
export function checkData(
  symbols: readonly string[],
  { dir: folder, period, gap, json }: CheckFlags,
  { terminal, project, exit }: CommandContext,
): void {
  const dir = resolve(project, folder);
  const wanted = symbols.length > 0 ? symbols.map((text) => safeSymbol(text, dir)) : symbolsIn(dir);
  const total = { files: 0, errors: 0, warnings: 0 };
  const checks: FileCheck[] = [];
  const now = createSystemClock().now();
  for (const check of checkStore({ dir, symbols: wanted, period, gapMinutes: gap, now })) {
    total.files++;
    total.errors += check.errors;
    total.warnings += check.warnings;
    if (json === true) checks.push(check);
    else terminal.out(checkText(check));
  }
  if (json === true) terminal.out(`${JSON.stringify({ ...total, checks: checks.map(jsonOf) })}\n`);
  else
    terminal.out(
      `${plural(total.files, 'file')}, ${plural(total.errors, 'error')}, ${plural(total.warnings, 'warning')}\n`,
    );
  if (total.errors > 0) exit(EXIT.failedCheck);
}

function checkText(check: FileCheck): string {
  const verdict = check.errors + check.warnings === 0 ? 'nothing found' : summary(check);
  const lines = check.findings.map(
    (finding) => `${place(check, finding)}: ${finding.severity}: ${finding.kind}: ${finding.message}`,
  );
  return `${[`${check.file}: ${plural(check.rows, 'row')}, ${verdict}`, ...lines].join('\n')}\n`;
}

/** Counts by kind; a note for those that are not all listed. */
function summary({ counts, findings }: FileCheck): string {
  const listed = (kind: string): number => findings.filter((finding) => finding.kind === kind).length;
  return Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}${count > listed(kind) ? ` (${listed(kind)} listed)` : ''}`)
    .join(', ');
}

function place({ file }: FileCheck, { line }: Finding): string {
  return line === undefined ? file : `${file}:${line}`;
}

function jsonOf(check: FileCheck) {
  return {
    ...check,
    findings: check.findings.map((finding) => ({
      ...finding,
      time: finding.time === undefined ? undefined : writeStamp(finding.time),
    })),
  };
}
