import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** A fenced block of a page. */
export interface Snippet {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Text of the comment directly above, as in `<!-- snippet: shown, takes minutes -->`; '' for none. */
  readonly mark: string;
  /** The reason after the mark; '' for none. */
  readonly reason: string;
}

/** A command of a shell block, with continued lines joined. */
export interface ShellCommand {
  readonly page: string;
  readonly line: number;
  readonly words: readonly string[];
}

/** Every page whose snippets are tested. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'create-sluice/README.md',
];

/** Every fenced block of README and docs. */
export function snippets(): readonly Snippet[] {
  return PAGES.flatMap((page) => snippetsIn(page, pageText(page)));
}

export const pageText = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

export function snippetsIn(page: string, text: string): readonly Snippet[] {
  const found: Snippet[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const language = /^```(\w*)$/.exec(lines[at] ?? '')?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    const [, mark = '', reason = ''] = /^<!-- snippet: (\w+)(?:, (.+))? -->$/.exec(lines[at - 1] ?? '') ?? [];
    found.push({ page, line: at + 2, language, text: lines.slice(at + 1, end).join('\n'), mark, reason });
    at = end;
  }
  return found;
}

/** The commands of a shell block, split as a shell does: quotes, comments, `&&`, continued lines. */
export function commandsOf({ page, line, text }: Snippet): readonly ShellCommand[] {
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  const finish = (at: number): void => {
    if (words.length > 0) commands.push({ page, line: at, words });
    words = [];
  };
  // A quote may span several lines; a comment ends with its line.
  const token = /'([^']*)'|"([^"]*)"|(\\\n)|(#[^\n]*)|(&&|\n)|([^\s'"#]+)/g;
  for (const match of text.matchAll(token)) {
    const [, single, double, continued, comment, end, word] = match;
    if (continued !== undefined || comment !== undefined) continue;
    if (end === undefined) words.push(single ?? double ?? word ?? '');
    else finish(line + text.slice(0, match.index).split('\n').length - 1);
  }
  finish(line + text.split('\n').length - 1);
  return commands;
}
