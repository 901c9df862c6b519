import { nearestName } from '../model/nearest-name.ts';
import { printable } from '../model/printable.ts';
import { ResearchError } from './research-error.ts';

/** A value in an expression; null is an undefined figure. */
export type ExpressionValue = number | boolean | string | null;

/** Value of each name that an expression can use. */
export type Lookup = (name: string) => ExpressionValue;

/** A parsed expression: its names, and its value; null if a figure in it is undefined. */
export interface Expression {
  readonly text: string;
  readonly names: readonly string[];
  valueOf(lookup: Lookup): ExpressionValue;
}

type Node = (lookup: Lookup) => ExpressionValue;

interface Token {
  readonly kind: 'number' | 'name' | 'text' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

const FUNCTIONS: Readonly<Record<string, (...values: readonly number[]) => number>> = {
  min: Math.min,
  max: Math.max,
  abs: (value = Number.NaN) => Math.abs(value),
  sqrt: (value = Number.NaN) => Math.sqrt(value),
  log: (value = Number.NaN) => Math.log(value),
  exp: (value = Number.NaN) => Math.exp(value),
};

const VARIADIC: ReadonlySet<string> = new Set(['min', 'max']);

const SIGNS = ['<=', '>=', '==', '!=', '&&', '||', '<', '>', '+', '-', '*', '/', '(', ')', ',', '!'] as const;
const WORDS: Readonly<Record<string, string>> = { and: '&&', or: '||', not: '!' };

/** Maximum length of an expression, and maximum nesting. */
const CHARS_MAX = 1_000;
const DEPTH_MAX = 50;

/**
 * Parses an expression over the given names: numbers, texts in single quotes, `+ - * /`, comparisons, `and or not`,
 * and the functions min, max, abs, sqrt, log, exp. It is never run as JavaScript. `what` is its name in errors: "the
 * objective". Throws ResearchError.
 */
export function readExpression(text: string, names: readonly string[], what: string): Expression {
  return new ExpressionReader(text, names, what).read();
}

class ExpressionReader {
  readonly #text: string;
  readonly #names: readonly string[];
  readonly #what: string;
  readonly #tokens: readonly Token[];
  readonly #used = new Set<string>();
  #at = 0;
  #depth = 0;

  constructor(text: string, names: readonly string[], what: string) {
    this.#text = text;
    this.#what = what;
    // A name may contain a dash, or start with another name: "trend-2.fast".
    this.#names = names.toSorted((one, other) => other.length - one.length);
    if (text.length > CHARS_MAX) throw this.#error(`it is longer than ${CHARS_MAX} characters`);
    this.#tokens = this.#split();
  }

  read(): Expression {
    const node = this.#disjunction();
    const { kind, text, at } = this.#next();
    if (kind !== 'end') throw this.#error(`"${printable(text)}" at character ${at + 1} is unexpected`);
    return { text: this.#text, names: [...this.#used], valueOf: (lookup) => node(lookup) };
  }

  #split(): readonly Token[] {
    const tokens: Token[] = [];
    const text = this.#text;
    for (let at = 0; at < text.length; ) {
      const rest = text.slice(at);
      const blank = /^\s+/.exec(rest)?.[0];
      if (blank !== undefined) {
        at += blank.length;
        continue;
      }
      const token = this.#tokenOf(rest, at);
      tokens.push(token);
      at +=
        token.kind === 'text'
          ? token.text.length + 2
          : (/^(?:and|or|not)\b/.exec(rest)?.[0].length ?? token.text.length);
    }
    tokens.push({ kind: 'end', text: '', at: text.length });
    return tokens;
  }

  #tokenOf(rest: string, at: number): Token {
    const number = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i.exec(rest)?.[0];
    if (number !== undefined) return { kind: 'number', text: number, at };
    const quoted = /^'([^']*)'/.exec(rest)?.[1];
    if (quoted !== undefined) return { kind: 'text', text: quoted, at };
    const known = this.#names.find((name) => rest.startsWith(name) && !/^\w/.test(rest.slice(name.length)));
    if (known !== undefined) return { kind: 'name', text: known, at };
    const word = /^[A-Za-z_][\w.]*/.exec(rest)?.[0];
    if (word !== undefined) {
      const sign = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
      return sign === undefined ? { kind: 'name', text: word, at } : { kind: 'sign', text: sign, at };
    }
    const sign = SIGNS.find((each) => rest.startsWith(each));
    if (sign !== undefined) return { kind: 'sign', text: sign, at };
    const seen = rest[0] ?? '';
    const hint = seen === '=' ? ', write "==" to compare' : '';
    throw this.#error(`"${printable(seen)}" at character ${at + 1} is unexpected${hint}`);
  }

  #next(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '', at: this.#text.length };
  }

  #accept(...signs: readonly string[]): string | undefined {
    const { kind, text } = this.#next();
    if (kind !== 'sign' || !signs.includes(text)) return undefined;
    this.#at += 1;
    return text;
  }

  #disjunction(): Node {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw this.#error(`it is nested deeper than ${DEPTH_MAX}`);
    let left = this.#conjunction();
    while (this.#accept('||') !== undefined) {
      const [one, other] = [left, this.#conjunction()];
      left = (lookup) => logical(one(lookup), () => other(lookup), true);
    }
    this.#depth -= 1;
    return left;
  }

  #conjunction(): Node {
    let left = this.#negation();
    while (this.#accept('&&') !== undefined) {
      const [one, other] = [left, this.#negation()];
      left = (lookup) => logical(one(lookup), () => other(lookup), false);
    }
    return left;
  }

  #negation(): Node {
    if (this.#accept('!') === undefined) return this.#comparison();
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw this.#error(`it is nested deeper than ${DEPTH_MAX}`);
    const inner = this.#negation();
    this.#depth -= 1;
    return (lookup) => {
      const value = inner(lookup);
      return value === null ? null : !isTrue(value);
    };
  }

  #comparison(): Node {
    const left = this.#sum();
    const sign = this.#accept('<', '<=', '>', '>=', '==', '!=');
    if (sign === undefined) return left;
    const right = this.#sum();
    if (this.#accept('<', '<=', '>', '>=', '==', '!=') !== undefined)
      throw this.#error('two comparisons in a row: write "a < b and b < c"');
    return (lookup) => compare(left(lookup), right(lookup), sign);
  }

  #sum(): Node {
    let left = this.#product();
    for (let sign = this.#accept('+', '-'); sign !== undefined; sign = this.#accept('+', '-')) {
      const [one, other, by] = [left, this.#product(), sign === '+' ? 1 : -1];
      left = (lookup) => calculate(one(lookup), other(lookup), (a, b) => a + by * b);
    }
    return left;
  }

  #product(): Node {
    let left = this.#signedValue();
    for (let sign = this.#accept('*', '/'); sign !== undefined; sign = this.#accept('*', '/')) {
      const [one, other, divides] = [left, this.#signedValue(), sign === '/'];
      left = (lookup) => calculate(one(lookup), other(lookup), (a, b) => (divides ? a / b : a * b));
    }
    return left;
  }

  #signedValue(): Node {
    if (this.#accept('-') === undefined) return this.#value();
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw this.#error(`it is nested deeper than ${DEPTH_MAX}`);
    const inner = this.#signedValue();
    this.#depth -= 1;
    return (lookup) => calculate(0, inner(lookup), (a, b) => a - b);
  }

  #value(): Node {
    if (this.#accept('(') !== undefined) {
      const inner = this.#disjunction();
      this.#close();
      return inner;
    }
    const { kind, text, at } = this.#next();
    this.#at += 1;
    if (kind === 'number') {
      const value = Number(text);
      return () => value;
    }
    if (kind === 'text') return () => text;
    if (kind === 'name') return this.#nameOrCall(text);
    throw this.#error(
      kind === 'end' ? 'it ends too early' : `"${printable(text)}" at character ${at + 1} is unexpected`,
    );
  }

  #close(): void {
    if (this.#accept(')') === undefined) throw this.#error('a ")" is missing');
  }

  #nameOrCall(name: string): Node {
    if (name === 'true' || name === 'false') return () => name === 'true';
    if (this.#names.includes(name)) {
      this.#used.add(name);
      return (lookup) => lookup(name);
    }
    const call = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (call !== undefined && this.#accept('(') !== undefined) return this.#call(name, call);
    const known = [...this.#names].toSorted();
    const nearest = nearestName(name, known);
    const hint = nearest === undefined ? '' : `, did you mean "${nearest}"?`;
    throw this.#error(`"${printable(name)}" is not known${hint} (there are ${known.join(', ')})`);
  }

  #call(name: string, call: (...values: readonly number[]) => number): Node {
    const parts = [this.#disjunction()];
    while (this.#accept(',') !== undefined) parts.push(this.#disjunction());
    this.#close();
    if (parts.length > 1 && !VARIADIC.has(name)) throw this.#error(`"${name}" takes one value`);
    return (lookup) => {
      const values = parts.map((part) => part(lookup));
      if (values.some((value) => value === null)) return null;
      return finite(call(...values.map(Number)));
    };
  }

  #error(why: string): ResearchError {
    return new ResearchError(`Cannot read ${this.#what} "${printable(this.#text, 200)}": ${why}`);
  }
}

function isTrue(value: ExpressionValue): boolean {
  return value === true || (typeof value === 'number' && value !== 0);
}

/** `and` and `or`: a left value equal to `decides` is the result, and the right one is not evaluated. */
function logical(left: ExpressionValue, right: () => ExpressionValue, decides: boolean): ExpressionValue {
  if (left !== null && isTrue(left) === decides) return decides;
  const other = right();
  if (other !== null && isTrue(other) === decides) return decides;
  return left === null || other === null ? null : !decides;
}

function compare(left: ExpressionValue, right: ExpressionValue, sign: string): ExpressionValue {
  if (left === null || right === null) return null;
  if (sign === '==') return left === right;
  if (sign === '!=') return left !== right;
  const [one, other] = [Number(left), Number(right)];
  switch (sign) {
    case '<':
      return one < other;
    case '<=':
      return one <= other;
    case '>':
      return one > other;
    default:
      return one >= other;
  }
}

function calculate(
  left: ExpressionValue,
  right: ExpressionValue,
  by: (a: number, b: number) => number,
): ExpressionValue {
  return left === null || right === null ? null : finite(by(Number(left), Number(right)));
}

/** A division by 0 has no value. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
