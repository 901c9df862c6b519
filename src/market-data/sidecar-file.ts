import { lstatSync, readFileSync } from 'node:fs';
import { DataError, type DataErrorCode, quoted } from './data-error.ts';

/** What a small file next to the bars is, how it has to begin, and how large it may be. */
export interface SidecarFileRules {
  /** In words that complete "Cannot read ...". */
  readonly holds: string;
  /** The columns that come first; others may follow. */
  readonly header: string;
  readonly bytesMax: number;
}

/** The content of such a file. */
export interface SidecarFile {
  readonly header: string;
  /** The lines below the header; the first is line 2. */
  readonly lines: readonly string[];
}

/** What is wrong with it, at a line where there is one. */
export type SidecarFault = (code: DataErrorCode, what: string, line?: number) => DataError;

/** Makes the errors of one side file. */
export function sidecarFaults(file: string, { holds }: Pick<SidecarFileRules, 'holds'>): SidecarFault {
  return (code, what, line) =>
    new DataError({
      code,
      file,
      line,
      problem: `Cannot read ${holds}: ${what}`,
      advice: line === undefined ? 'check the path and the file' : 'correct the line',
    });
}

/** Reads one; undefined when there is none. Throws DataError for a link, a file that is too large, and another header. */
export function readSidecarFile(file: string, rules: SidecarFileRules): SidecarFile | undefined {
  const fault = sidecarFaults(file, rules);
  const { header: wanted, bytesMax } = rules;
  const entry = lstatSync(file, { throwIfNoEntry: false });
  if (entry === undefined) return undefined;
  if (!entry.isFile()) throw fault('unsafe-name', 'the path is a link or no regular file');
  if (entry.size > bytesMax) throw fault('file-too-large', `it has more than ${bytesMax} bytes`);
  const [header = '', ...lines] = readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  if (header !== wanted && !header.startsWith(`${wanted},`))
    throw fault('bad-header', `the header is ${quoted(header)}, want "${wanted}"`, 1);
  return { header, lines };
}
