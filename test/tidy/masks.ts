/** A source text in two masked versions, both with every character at its original index. */
export interface Masks {
  /** With blanked comments. */
  readonly code: string;
  /** With blanked comments and blanked contents of strings, templates and regular expressions; the quotes remain. */
  readonly bare: string;
}

const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|yield|await))$/;

/** Blanks what is not code, so that a plain search finds code only. */
export function mask(source: string): Masks {
  const code = [...source.split('')];
  const bare = [...source.split('')];
  /** Depth of braces at which each open template continues. */
  const templates: number[] = [];
  let depth = 0;
  let at = 0;

  function blank(from: number, to: number, comment: boolean): void {
    for (let index = from; index < to; index += 1) {
      if (source[index] === '\n') continue;
      bare[index] = ' ';
      if (comment) code[index] = ' ';
    }
  }

  /** Reads template text up to its end or the next `${`; returns the index after it. */
  function templateText(from: number): number {
    let end = from;
    while (end < source.length && source[end] !== '`' && !source.startsWith('${', end)) {
      end += source[end] === '\\' ? 2 : 1;
    }
    blank(from, end, false);
    if (source[end] === '`') return end + 1;
    templates.push(depth);
    depth += 1;
    return end + 2;
  }

  while (at < source.length) {
    const char = source[at];
    if (source.startsWith('//', at) || (at === 0 && source.startsWith('#!'))) {
      const end = endOf(source, '\n', at);
      blank(at, end, true);
      at = end;
    } else if (source.startsWith('/*', at)) {
      const end = Math.min(source.length, endOf(source, '*/', at) + 2);
      blank(at, end, true);
      at = end;
    } else if (char === "'" || char === '"') {
      const end = quoted(source, at, char);
      blank(at + 1, end, false);
      at = end + 1;
    } else if (char === '`') {
      at = templateText(at + 1);
    } else if (
      char === '/' &&
      BEFORE_REGEX.test(
        bare
          .slice(Math.max(0, at - 80), at)
          .join('')
          .trimEnd(),
      )
    ) {
      const end = regex(source, at);
      blank(at + 1, end, false);
      at = end + 1;
    } else if (char === '}' && templates.at(-1) === depth - 1) {
      templates.pop();
      depth -= 1;
      at = templateText(at + 1);
    } else {
      if (char === '{') depth += 1;
      if (char === '}') depth -= 1;
      at += 1;
    }
  }
  return { code: code.join(''), bare: bare.join('') };
}

function endOf(source: string, mark: string, from: number): number {
  const end = source.indexOf(mark, from);
  return end < 0 ? source.length : end;
}

/** Index of the quote that closes a string. */
function quoted(source: string, from: number, quote: string): number {
  let at = from + 1;
  while (at < source.length && source[at] !== quote) at += source[at] === '\\' ? 2 : 1;
  return at;
}

/** Index of the slash that closes a regular expression; a slash inside a class does not. */
function regex(source: string, from: number): number {
  let inClass = false;
  let at = from + 1;
  while (at < source.length && (inClass || source[at] !== '/')) {
    if (source[at] === '[') inClass = true;
    if (source[at] === ']') inClass = false;
    at += source[at] === '\\' ? 2 : 1;
  }
  return at;
}

/** Line of a character, counted from 1. */
export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
