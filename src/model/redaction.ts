export const REDACTED = '[redacted]';
/** Shorter values are ordinary words: removing them would make texts unreadable and hide nothing. */
const CHARS_MIN = 6;

/** Shorter parts of an address, such as "/api/webhooks", are no secret. */
const PART_CHARS_MIN = 16;

const BEGINS_LIKE_ADDRESS = /^https?:/i;

/** Shorter beginnings of a secret disclose nothing. */
const BEGINNING_CHARS_MIN = 8;

/** A signature of a request, also the beginning of one. A letter after a backslash belongs to an escape. */
const SIGNATURES = [/(?<=signature\W{1,5})(?<!\\)[0-9a-f]{8,}/gi, /(?<!\\)[0-9a-f]{63,}/gi];

/** What JSON may write in another way: a slash, or any character by its number. */
const ESCAPES = /\\(?:u[0-9a-fA-F]{4}|.)/gs;

/**
 * Removes secrets from any text: as they are, in the encoding of an address, and as base64. Of a secret that is an
 * address, also its path, its longer segments and the values of its query, which servers repeat in their errors. So is
 * the beginning of a secret where a text was cut. Escapes of JSON do not hide a secret. @see docs/reliability.md, I-20
 */
export function redaction(secrets: readonly string[]): (text: string) => string {
  const parts = secrets.flatMap(partsOf);
  const whole = wholeRedaction([...secrets, ...parts]);
  // The beginning of an address, also of a broken one, or of its path is no secret.
  const keys = [
    ...secrets.filter((secret) => !BEGINS_LIKE_ADDRESS.test(secret)),
    ...parts.filter((part) => !part.startsWith('/')),
  ];
  const cut = [...new Set(keys.flatMap(formsOf))]
    .filter((form) => form.length > BEGINNING_CHARS_MIN)
    .toSorted((one, other) => other.length - one.length);
  return (text) => cut.reduce(withoutBeginning, whole(text));
}

/** Removes whole secrets of at least `charsMin` characters, in the same forms. */
export function wholeRedaction(secrets: readonly string[], charsMin = CHARS_MIN): (text: string) => string {
  const forms = secrets.filter((secret) => secret.length >= charsMin).flatMap(formsOf);
  const hidden = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
  return (text) => {
    const clean = hidden.reduce(withoutWhole, text);
    return inPlainEscapes(clean, (plain) => hidden.reduce(withoutWhole, plain));
  };
}

/** Removes signatures of requests, and their beginnings after the word. Figures stay. */
export function withoutSignatures(text: string): string {
  return inPlainEscapes(text, (plain) =>
    SIGNATURES.reduce(
      (clean, signature) =>
        clean.replaceAll(signature, (found) => (Number.isNaN(Number(found)) ? REDACTED : found)),
      plain,
    ),
  );
}

function withoutWhole(text: string, secret: string): string {
  return text.replaceAll(secret, REDACTED);
}

/**
 * Removes something from a text in which no character is escaped that JSON can write as it is: escapes such as
 * `\\u003d` hide a secret, which is then read in full. Without anything to remove, the text stays as it is.
 */
function inPlainEscapes(text: string, remove: (plain: string) => string): string {
  const plain = text.includes('\\') ? text.replaceAll(ESCAPES, plainEscape) : text;
  const clean = remove(plain);
  return clean === plain ? text : clean;
}

function plainEscape(written: string): string {
  if (written === '\\/') return '/';
  return written.length > 2 ? JSON.stringify(JSON.parse(`"${written}"`)).slice(1, -1) : written;
}

function formsOf(secret: string): readonly string[] {
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
  ];
}

function isAddress(secret: string): boolean {
  return BEGINS_LIKE_ADDRESS.test(secret) && URL.canParse(secret);
}

function partsOf(secret: string): readonly string[] {
  if (!isAddress(secret)) return [];
  const { pathname, search, searchParams } = new URL(secret);
  const parts = [`${pathname}${search}`, pathname, ...pathname.split('/'), ...searchParams.values()];
  return parts.filter((part) => part.length >= PART_CHARS_MIN);
}

/** Removes beginnings of a secret after which the text was cut: no word continues there. */
function withoutBeginning(text: string, secret: string): string {
  const beginning = secret.slice(0, BEGINNING_CHARS_MIN);
  let clean = '';
  let from = 0;
  for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, from)) {
    let length = beginning.length;
    while (length < secret.length && text[at + length] === secret[length]) length += 1;
    const isCut = !/[\p{L}\p{N}]/u.test(text[at + length] ?? '');
    clean += `${text.slice(from, at)}${isCut ? REDACTED : text.slice(at, at + length)}`;
    from = at + length;
  }
  return `${clean}${text.slice(from)}`;
}
