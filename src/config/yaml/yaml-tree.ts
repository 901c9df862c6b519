import { Composer, type Document, isMap, isScalar, isSeq, LineCounter, type Node, type Scalar } from 'yaml';
import { plural } from '../../model/plural.ts';
import {
  type ConfigPath,
  type ConfigProblem,
  type ConfigProblemCode,
  nameWithin,
  type Place,
  pathText,
  quotedValue,
  titleOf,
} from '../config-problem.ts';
import { syntaxOf } from './yaml-limits.ts';

/** A config file as read. */
export interface ConfigSource {
  readonly path: string;
  readonly text: string;
}

/** A YAML as plain data, with the place of each part. */
export interface YamlTree {
  /** Objects without prototype, arrays, strings, numbers, booleans and null; undefined if the YAML cannot be used. */
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
  /** The place of a path's key, or of a list entry. Falls back to the nearest existing parent. */
  keyPlace(path: ConfigPath): Place;
  /** The place of a path's value; falls back like `keyPlace`. */
  valuePlace(path: ConfigPath): Place;
}

const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const DIGITS_MAX = 15;
/** True for a place at which the environment may be named: a secret of a notifier. */
function isSecret([first, at, section, ...name]: ConfigPath): boolean {
  return first === 'notify' && typeof at === 'number' && section === 'secrets' && name.length === 1;
}

const SPELLED_OUT =
  'the value itself: secrets alone come from the environment or .env (SLUICE_APP_KEY and others), and never stand in a YAML';

/**
 * Reads a YAML 1.2 text (core schema) without aliases, anchors, merge keys, tags, directives, duplicate and prototype
 * keys, deep nesting and large files. Numbers are plain decimals of at most 15 digits.
 */
export function readYaml(source: ConfigSource): YamlTree {
  const known = RECENT.find(({ path, text }) => path === source.path && text === source.text);
  if (known !== undefined) return known.tree;
  const reader = new TreeReader(source);
  const tree = { ...reader.places(), value: reader.read(), problems: reader.problems };
  RECENT.unshift({ path: source.path, text: source.text, tree });
  if (RECENT.length > RECENT_MAX) RECENT.pop();
  return tree;
}

/** Recently read texts: each is parsed for what it extends, for names, and for problems. */
const RECENT: (ConfigSource & { readonly tree: YamlTree })[] = [];
/** As many as the longest chain of `extends`. */
const RECENT_MAX = 8;

class TreeReader {
  readonly problems: ConfigProblem[] = [];
  readonly #source: ConfigSource;
  readonly #lines = new LineCounter();
  readonly #keys = new Map<string, Place>();
  readonly #values = new Map<string, Place>();

  constructor(source: ConfigSource) {
    this.#source = source;
  }

  read(): unknown {
    const { text } = this.#source;
    if (text.startsWith('\uFEFF')) {
      this.#refuse('bad-yaml', 'the file begins with a byte order mark', 'UTF-8 text without one', 0);
      return undefined;
    }
    const lone = /\r(?!\n)/.exec(text);
    if (lone !== null) {
      this.#lines.addNewLine(0);
      for (const { index } of text.slice(0, lone.index).matchAll(/\n/g)) this.#lines.addNewLine(index + 1);
      this.#refuse('bad-yaml', 'a line ends with CR alone', 'LF or CRLF', lone.index);
      return undefined;
    }
    const syntax = syntaxOf(text, this.#lines.addNewLine);
    if (syntax.kind === 'broken') {
      const { seen, wanted, offset } = syntax.limit;
      if (this.#lines.lineStarts.length === 0) this.#lines.addNewLine(0);
      this.#refuse('too-large', seen, wanted, offset);
      return undefined;
    }
    const composer = new Composer({ prettyErrors: false, version: '1.2', schema: 'core', merge: false });
    const [document, second] = composer.compose(syntax.tokens, true, text.length);
    if (document === undefined) throw new Error('Even an empty YAML is a document');
    for (const { code, message, pos } of document.errors) {
      const fault = describeSyntaxError(code, message, text, pos[0]);
      const isKnown = this.problems.some(({ message }) => message.includes(fault.seen));
      if (!isKnown) this.#refuse('bad-yaml', fault.seen, fault.wanted, fault.offset);
    }
    if (second !== undefined)
      this.#refuse('bad-yaml', 'a second document begins with "---"', 'one document', second.range[0]);
    if (this.problems.length > 0 || this.#hasDirective(document)) return undefined;
    if (document.contents === null) {
      this.#refuse('missing', 'the file is empty', 'a strategy YAML with at least "strategy"', 0);
      return undefined;
    }
    if (!isMap(document.contents)) {
      const seen = `the file is ${isSeq(document.contents) ? 'a list' : 'one value'}`;
      this.#refuse('bad-yaml', seen, 'settings, such as "strategy: sma-cross"', 0);
      return undefined;
    }
    return this.#plain(document.contents, []);
  }

  places(): Pick<YamlTree, 'keyPlace' | 'valuePlace'> {
    return {
      keyPlace: (path) => climb(path, this.#keys),
      valuePlace: (path) => climb(path, this.#values),
    };
  }

  #hasDirective(document: Document.Parsed): boolean {
    if (document.directives.yaml.explicit !== true && Object.keys(document.directives.tags).length <= 1)
      return false;
    this.#refuse('unsafe-yaml', 'the file has a "%" directive', 'YAML 1.2 without directives', 0);
    return true;
  }

  #plain(node: Node | null, path: ConfigPath): unknown {
    if (node === null) return null;
    const offset = node.range?.[0] ?? 0;
    this.#values.set(pathText(path), this.#place(offset));
    const unsafe = unsafeFeature(node);
    if (unsafe !== undefined) {
      this.#refuse('unsafe-yaml', unsafe.seen, unsafe.wanted, offset, path);
      return null;
    }
    if (isMap<Node, Node | null>(node)) return this.#map(node.items, path);
    if (isSeq<Node>(node)) {
      return node.items.map((item, index) => {
        const at = [...path, index];
        this.#keys.set(pathText(at), this.#place(item.range?.[0] ?? offset));
        return this.#plain(item, at);
      });
    }
    return isScalar(node) ? this.#scalar(node, path, offset) : null;
  }

  #map(items: readonly { readonly key: Node; readonly value: Node | null }[], path: ConfigPath): unknown {
    const map: Record<string, unknown> = Object.create(null);
    for (const { key, value } of items) {
      const offset = key.range?.[0] ?? 0;
      const name = isScalar(key) && unsafeFeature(key) === undefined ? keyText(key) : undefined;
      if (name === undefined) {
        this.#refuse('unsafe-yaml', 'a key is no plain text', 'keys that are names', offset, path);
      } else if (UNSAFE_KEYS.has(name) || name === '<<') {
        const wanted = name === '<<' ? 'keys written out, merging is off' : 'the name of a setting';
        this.#refuse('unsafe-yaml', `"${name}" is used as a key`, wanted, offset, [...path, name]);
      } else {
        const at = [...path, name];
        this.#keys.set(pathText(at), this.#place(offset));
        this.#values.set(pathText(at), this.#place(offset));
        map[name] = this.#plain(value, at);
      }
    }
    return map;
  }

  #scalar(node: Scalar, path: ConfigPath, offset: number): unknown {
    const { value } = node;
    if (typeof value === 'string' && value.includes('${') && !isSecret(path)) {
      const seen = `"${nameWithin(path)}" is ${quotedValue(value)}`;
      this.#refuse('bad-value', seen, SPELLED_OUT, offset, path, value);
      return null;
    }
    if (typeof value === 'string' && value.includes('\0')) {
      const seen = `"${nameWithin(path)}" is ${quotedValue(value)}`;
      this.#refuse('unsafe-yaml', seen, 'text without the character NUL', offset, path);
      return null;
    }
    if (typeof value !== 'number')
      return typeof value === 'string' || typeof value === 'boolean' ? value : null;
    const written = node.source ?? String(value);
    if (PLAIN_NUMBER.test(written) && written.replace(/[-.]/g, '').length <= DIGITS_MAX) return value;
    const wanted = `a plain decimal number of at most ${DIGITS_MAX} digits, such as "20000" or "0.25"`;
    this.#refuse(
      'bad-value',
      `"${nameWithin(path)}" is ${quotedValue(written)}`,
      wanted,
      offset,
      path,
      written,
    );
    return null;
  }

  #place(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  #refuse(
    code: ConfigProblemCode,
    seen: string,
    wanted: string,
    offset: number,
    path: ConfigPath = [],
    value?: string,
  ): void {
    this.problems.push({
      code,
      file: this.#source.path,
      ...this.#place(offset),
      path: pathText(path),
      value,
      wanted,
      nearest: undefined,
      message: `Cannot read ${code === 'bad-value' ? titleOf(path) : 'config'}: ${seen}, want ${wanted}`,
    });
  }
}

function climb(path: ConfigPath, places: ReadonlyMap<string, Place>): Place {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(pathText(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return { line: 1, column: 1 };
}

function keyText(key: Scalar): string | undefined {
  if (key.value === null) return undefined;
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

function unsafeFeature(node: Node): { readonly seen: string; readonly wanted: string } | undefined {
  if ('source' in node && !isScalar(node)) {
    return { seen: 'there is an alias ("*name")', wanted: 'values written out, aliases are off' };
  }
  if ('anchor' in node && node.anchor !== undefined) {
    return { seen: 'there is an anchor ("&name")', wanted: 'values written out, anchors are off' };
  }
  if (node.tag !== undefined)
    return { seen: `there is a tag (${quotedValue(node.tag)})`, wanted: 'values without tags' };
  return undefined;
}

/** A syntax error: what was found, what was expected, and the offset at which to correct it. */
interface SyntaxFault {
  readonly seen: string;
  readonly wanted: string;
  readonly offset: number;
}

/** Errors of the parser that follow from a line with the wrong indentation. */
const INDENT_CODES: ReadonlySet<string> = new Set([
  'BAD_INDENT',
  'BLOCK_AS_IMPLICIT_KEY',
  'MULTILINE_IMPLICIT_KEY',
  'UNEXPECTED_TOKEN',
]);

function describeSyntaxError(code: string, message: string, text: string, offset: number): SyntaxFault {
  if (code === 'TAB_AS_INDENT') return { seen: 'a line is indented with a tab', wanted: 'spaces', offset };
  if (code === 'DUPLICATE_KEY')
    return { seen: `${keyAt(text.slice(offset))} is there twice`, wanted: 'each key once', offset };
  const quote = /closing (["'])quote/.exec(message)?.[1];
  if (quote !== undefined)
    return {
      seen: `the ${quote} is not closed`,
      wanted: `${quote} at the end of the text`,
      offset: text.lastIndexOf(quote),
    };
  const indented = INDENT_CODES.has(code) ? wronglyIndented(text, offset) : undefined;
  if (indented !== undefined) return indented;
  const open = code === 'MISSING_CHAR' || code === 'BAD_INDENT' ? unclosedBracket(text, offset) : undefined;
  if (open !== undefined) return open;
  return { seen: message.charAt(0).toLowerCase() + message.slice(1), wanted: 'YAML', offset };
}

function keyAt(rest: string): string {
  const key = /^["']?([^\s"':,}]+)/.exec(rest)?.[1];
  return key === undefined ? 'a key' : quotedValue(key);
}

interface Line {
  readonly number: number;
  readonly offset: number;
  readonly indent: number;
  readonly text: string;
}

/** The lines with content, without comments and blank lines. */
function contentLines(text: string): readonly Line[] {
  let offset = 0;
  return text.split('\n').flatMap((line, index) => {
    const at = offset;
    offset += line.length + 1;
    const indent = line.length - line.trimStart().length;
    const isContent = line.trim() !== '' && !line.trimStart().startsWith('#');
    return isContent ? [{ number: index + 1, offset: at, indent, text: line.trim() }] : [];
  });
}

/**
 * Returns the line whose indentation matches no other: it is deeper than a line before it that already has a value,
 * or it matches no open level. Undefined if the error near `offset` has another cause.
 */
function wronglyIndented(text: string, offset: number): SyntaxFault | undefined {
  const lines = contentLines(text);
  const at = lines.findLastIndex((line) => line.offset <= offset);
  // The parser reports the value before the wrong line, the line itself, or the line after it.
  for (const index of [at + 1, at, at - 1]) {
    const [line, before] = [lines[index], lines[index - 1]];
    if (line === undefined || before === undefined || !/^(?:-|\S.*?:)(?:\s|$)/.test(line.text)) continue;
    const opensBlock = /(?::|-|[|>][-+]?)$/.test(before.text.replace(/\s+#.*$/, ''));
    const isTooDeep = line.indent > before.indent && !opensBlock && !before.text.startsWith('- ');
    const levels = lines.slice(0, index).map(({ indent }) => indent);
    const isBetweenLevels = line.indent < before.indent && !levels.includes(line.indent);
    if (!isTooDeep && !isBetweenLevels) continue;
    const outer = Math.max(0, ...levels.filter((level) => level < line.indent));
    const choice = isTooDeep ? '' : ` or ${outer}`;
    return {
      seen: `line ${line.number} is indented by ${spaces(line.indent)}`,
      wanted: `${spaces(before.indent)} as in line ${before.number}${choice}`,
      offset: line.offset + line.indent,
    };
  }
  return undefined;
}

function spaces(count: number): string {
  return plural(count, 'space');
}

/** The last bracket before `offset` that is not closed; undefined if all are. */
function unclosedBracket(text: string, offset: number): SyntaxFault | undefined {
  const open: number[] = [];
  const bare = text
    .slice(0, offset)
    .replace(/"[^"\n]*"|'[^'\n]*'|(?<=^|\s)#.*$/gm, (part) => ' '.repeat(part.length));
  for (const { 0: bracket, index } of bare.matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') open.push(index);
    else open.pop();
  }
  const last = open.at(-1);
  if (last === undefined) return undefined;
  return {
    seen: `the "${text[last]}" is not closed`,
    wanted: `"${text[last] === '[' ? ']' : '}'}" after its last entry`,
    offset: last,
  };
}
