import { createHash } from 'node:crypto';
import { packageVersion } from '../../config/plugins/package-root.ts';
import type { RunPage, RunSource } from '../../reports/run-page.ts';
import { shownAccount } from '../../wire/account-number.ts';
import type { AnyRun } from '../load/load-run.ts';
import { codeHash } from './content-hash.ts';

/** Name of the file, in a run's folder, that holds what a report draws. */
export const RUN_FILE = 'run.json';

/** What a run was read from: its config with what that extends, and the files of its plugins. */
export interface SourceFiles {
  readonly text: string;
  readonly account: string | undefined;
  readonly codeFiles: readonly string[];
}

/** The page of a backtest from a process that reads no files, and what its source is made of. */
export interface ReportedPage {
  readonly page: Omit<RunPage, 'source'>;
  readonly files: SourceFiles;
}

/** The whole page; the code is read now. */
export function pageFrom({ page, files }: ReportedPage): RunPage {
  return { ...page, source: sourceOf(files) };
}

/** Where a run comes from: its config as it was read, and a hash of its code as it is now, with everything that it imports. */
export function sourceOf({ text, account, codeFiles }: SourceFiles): RunSource {
  return {
    yaml: withoutNumber(text, account),
    yamlSha256: createHash('sha256').update(text).digest('hex'),
    strategySha256: codeHash(codeFiles),
    sluice: packageVersion(),
    node: process.versions.node,
  };
}

/** What a loaded run was read from. */
export function sourceFiles({
  config,
  text,
  codeFiles,
}: Pick<AnyRun, 'config' | 'text' | 'codeFiles'>): SourceFiles {
  return { text, account: config.broker?.account, codeFiles };
}

/** A config as others may read it: an account's number, where it is named, by its last digits. */
function withoutNumber(yaml: string, account: string | undefined): string {
  if (account === undefined || shownAccount(account) === account) return yaml;
  return yaml.replaceAll(
    new RegExp(`(account["']?\\s*:\\s*["']?)${account}\\b`, 'g'),
    `$1${shownAccount(account)}`,
  );
}
