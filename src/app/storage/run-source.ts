import { createHash } from 'node:crypto';
import { packageVersion } from '../../config/plugins/package-root.ts';
import type { RunPage, RunSource } from '../../reports/run-page.ts';
import { maskedAccount } from '../../wire/account-number.ts';
import type { AnyRun } from '../load/load-run.ts';
import { codeHash } from './content-hash.ts';

/** File in a run's folder with the data of its report. */
export const RUN_FILE = 'run.json';

/** Files of a run: its config with the files that it extends, and the files of its plugins. */
export interface SourceFiles {
  readonly text: string;
  readonly account: string | undefined;
  readonly codeFiles: readonly string[];
}

/** The page of a backtest from a process that reads no files, and the files of its source. */
export interface ReportedPage {
  readonly page: Omit<RunPage, 'source'>;
  readonly files: SourceFiles;
}

/** The whole page; reads the code now. */
export function pageFrom({ page, files }: ReportedPage): RunPage {
  return { ...page, source: sourceOf(files) };
}

/** Source of a run: its config as read, and a hash of its code as it is now, with everything that it imports. */
export function sourceOf({ text, account, codeFiles }: SourceFiles): RunSource {
  return {
    yaml: withoutNumber(text, account),
    yamlSha256: createHash('sha256').update(text).digest('hex'),
    strategySha256: codeHash(codeFiles),
    sluice: packageVersion(),
    node: process.versions.node,
  };
}

/** Files that a loaded run was read from. */
export function sourceFiles({
  config,
  text,
  codeFiles,
}: Pick<AnyRun, 'config' | 'text' | 'codeFiles'>): SourceFiles {
  return { text, account: config.broker?.account, codeFiles };
}

/** A config for other readers: an account's number is reduced to its last digits. */
function withoutNumber(yaml: string, account: string | undefined): string {
  if (account === undefined || maskedAccount(account) === account) return yaml;
  return yaml.replaceAll(
    new RegExp(`(account["']?\\s*:\\s*["']?)${account}\\b`, 'g'),
    `$1${maskedAccount(account)}`,
  );
}
