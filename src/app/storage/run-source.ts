import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BotConfig } from '../../config/bot-config.ts';
import { packageVersion } from '../../config/plugins/package-root.ts';
import type { RunPage, RunSource } from '../../reports/run-page.ts';
import { shownAccount } from '../../wire/account-number.ts';

/** Name of the file, in a run's folder, that holds what a report draws. */
export const RUN_FILE = 'run.json';

/** The page of a backtest from a process that reads no files, and what its source is read with. */
export interface ReportedPage {
  readonly page: Omit<RunPage, 'source'>;
  readonly config: Pick<BotConfig, 'path' | 'broker'>;
  readonly strategyFile: string;
  readonly memberFiles: readonly string[];
}

/** The whole page; the files of its source are read now. */
export function pageFrom({ page, ...run }: ReportedPage, project: string): RunPage {
  return { ...page, source: sourceOf(run, project) };
}

/** Where a run came from: its config as it is now, and hashes of the files of its strategies. */
export function sourceOf(
  { config, strategyFile, memberFiles }: Omit<ReportedPage, 'page'>,
  project: string,
): RunSource {
  const yaml = readFileSync(resolve(project, config.path), 'utf8');
  return {
    yaml: withoutNumber(yaml, config.broker?.account),
    yamlSha256: sha256(yaml),
    strategySha256: codeSha256(memberFiles.length === 0 ? [strategyFile] : memberFiles),
    sluice: packageVersion(),
    node: process.versions.node,
  };
}

/** A config as others may read it: an account's number, where it is named, by its last digits. */
function withoutNumber(yaml: string, account: string | undefined): string {
  if (account === undefined || shownAccount(account) === account) return yaml;
  return yaml.replaceAll(
    new RegExp(`(account["']?\\s*:\\s*["']?)${account}\\b`, 'g'),
    `$1${shownAccount(account)}`,
  );
}

/** Of one file its own; of several that of their hashes, one a line, in the config's order. */
function codeSha256(files: readonly string[]): string {
  const [first = '', ...others] = files.map((file) => sha256(readFileSync(file)));
  return others.length === 0 ? first : sha256([first, ...others].join('\n'));
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
