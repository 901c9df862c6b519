import { Composer, type Document, isMap, isScalar, isSeq, LineCounter, type Node, type Scalar } from 'yaml';
import {
  type ConfigPath,
  type ConfigProblem,
  type ConfigProblemCode,
  nameWithin,
  type Place,
  pathText,
  shown,
  titleOf,
} from './config-problem.ts';
import { syntaxOf } from './yaml-limits.ts';

/** A config file as it was read. */
export interface ConfigSource {
  readonly path: string;
  readonly text: string;
}

/** A YAML as plain data, and where each part of it stands. */
export interface YamlTree {
  /** Objects without prototype, arrays, strings, numbers, booleans and null; undefined when the YAML is unusable. */
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
  /** Where the key of a path stands; of a list entry, the entry. Climbs to the nearest parent that is there. */
  keyPlace(path: ConfigPath): Place;
  /** Where the value of a path stands; climbs like `keyPlace`. */
  valuePlace(path: ConfigPath): Place;
}

const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const DIGITS_MAX = 15;
/** Where the environment may be named: a secret of a notifier. */
function isSecret([first, at, section, ...name]: ConfigPath): boolean {
  return first === 'notify' && typeof at === 'number' && section === 'secrets' && name.length === 1;
}

const SPELLED_OUT =
  'the value itself: secrets alone come from the environment or .env (SLUICE_APP_KEY and others), and never stand in a YAML';

/**
 * Reads a YAML 1.2 text (core schema) with everything dangerous off: aliases, anchors, merge keys, tags, directives,
 * duplicate and prototype keys, deep nesting, large files. Numbers are plain decimals of at most 15 digits.
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

/** Texts that were read last: one is asked for whom it extends, for names, and whether it is right. */
const RECENT: (ConfigSource & { readonly tree: YamlTree })[] = [];
/** As many as a chain of `extends` may have. */
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
      const [offset] = pos;
      const { seen, wanted } = inOurWords(code, message, text.slice(offset));
      this.#refuse('bad-yaml', seen, wanted, offset);
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
      const seen = `"${nameWithin(path)}" is ${shown(value)}`;
      this.#refuse('bad-value', seen, SPELLED_OUT, offset, path, value);
      return null;
    }
    if (typeof value === 'string' && value.includes('\0')) {
      const seen = `"${nameWithin(path)}" is ${shown(value)}`;
      this.#refuse('unsafe-yaml', seen, 'text without the character NUL', offset, path);
      return null;
    }
    if (typeof value !== 'number')
      return typeof value === 'string' || typeof value === 'boolean' ? value : null;
    const written = node.source ?? String(value);
    if (PLAIN_NUMBER.test(written) && written.replace(/[-.]/g, '').length <= DIGITS_MAX) return value;
    const wanted = `a plain decimal number of at most ${DIGITS_MAX} digits, such as "20000" or "0.25"`;
    this.#refuse('bad-value', `"${nameWithin(path)}" is ${shown(written)}`, wanted, offset, path, written);
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
    return { seen: `there is a tag (${shown(node.tag)})`, wanted: 'values without tags' };
  return undefined;
}

/** The parser's mistakes that people make, in words that say what to do; `rest` is the text from the mistake on. */
const WORDS: Readonly<Record<string, (rest: string) => { readonly seen: string; readonly wanted: string }>> =
  {
    TAB_AS_INDENT: () => ({ seen: 'a line is indented with a tab', wanted: 'spaces' }),
    DUPLICATE_KEY: (rest) => ({ seen: `${keyAt(rest)} is there twice`, wanted: 'each key once' }),
  };

function keyAt(rest: string): string {
  const key = /^["']?([^\s"':,}]+)/.exec(rest)?.[1];
  return key === undefined ? 'a key' : shown(key);
}

function inOurWords(
  code: string,
  message: string,
  rest: string,
): { readonly seen: string; readonly wanted: string } {
  const seen = message.charAt(0).toLowerCase() + message.slice(1);
  return WORDS[code]?.(rest) ?? { seen, wanted: 'YAML' };
}
