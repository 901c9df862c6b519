import { lstatSync, readFileSync } from 'node:fs';
import { DataError, type DataErrorCode, quoted } from './data-error.ts';

export interface SidecarFileRules {
  /** Content, completing the message "Cannot read ...". */
  readonly holds: string;
  readonly header: string;
  /** A second header that is also accepted. */
  readonly otherHeader?: string;
  readonly bytesMax: number;
}

export interface SidecarFile {
  readonly header: string;
  /** Lines after the header; the first is line 2. */
  readonly lines: readonly string[];
}

export type SidecarFault = (code: DataErrorCode, what: string, line?: number, advice?: string) => DataError;

export function sidecarFaults(file: string, { holds }: Pick<SidecarFileRules, 'holds'>): SidecarFault {
  return (
    code,
    what,
    line,
    advice = line === undefined ? 'check the path and the file' : 'correct the line',
  ) =>
    new DataError({
      code,
      file,
      line,
      problem: `Cannot read ${holds}: ${what}`,
      advice,
    });
}

/**
 * Reads a sidecar file; returns undefined if it does not exist. Throws DataError for a link, a file that is too
 * large, or another header.
 */
export function readSidecarFile(file: string, rules: SidecarFileRules): SidecarFile | undefined {
  const fault = sidecarFaults(file, rules);
  const { header: wanted, otherHeader, bytesMax } = rules;
  const entry = lstatSync(file, { throwIfNoEntry: false });
  if (entry === undefined) return undefined;
  if (!entry.isFile()) throw fault('unsafe-name', 'the path is a link or not a regular file');
  if (entry.size > bytesMax) throw fault('file-too-large', `it has more than ${bytesMax} bytes`);
  const [header = '', ...lines] = readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  const isOf = (names: string | undefined): boolean =>
    names !== undefined && (header === names || header.startsWith(`${names},`));
  if (!isOf(wanted) && !isOf(otherHeader)) {
    const other = otherHeader === undefined ? '' : ` or "${otherHeader}"`;
    throw fault('bad-header', `the header is ${quoted(header)}, want "${wanted}"${other}`, 1);
  }
  return { header, lines };
}
