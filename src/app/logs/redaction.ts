const REDACTED = '[redacted]';
/** Shorter values are ordinary words: removing them would make texts unreadable and hide nothing. */
const CHARS_MIN = 6;

/** Shorter parts of an address, such as "/api/webhooks", are no secret. */
const PART_CHARS_MIN = 16;

/**
 * Removes secrets from any text: as they are, in the encoding of an address, and as base64. Of a secret that is an
 * address, also its path, its longer segments and the values of its query, which servers repeat in their errors. @see
 * docs/reliability.md, I-20
 */
export function redaction(secrets: readonly string[]): (text: string) => string {
  const forms = [...secrets, ...secrets.flatMap(partsOf)]
    .filter((secret) => secret.length >= CHARS_MIN)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('base64'),
    ]);
  const hidden = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
  return (text) => hidden.reduce((clean, secret) => clean.replaceAll(secret, REDACTED), text);
}

function partsOf(secret: string): readonly string[] {
  if (!/^https?:/i.test(secret) || !URL.canParse(secret)) return [];
  const { pathname, search, searchParams } = new URL(secret);
  const parts = [`${pathname}${search}`, pathname, ...pathname.split('/'), ...searchParams.values()];
  return parts.filter((part) => part.length >= PART_CHARS_MIN);
}
