const REDACTED = '[redacted]';
/** Shorter values are ordinary words: removing them would make texts unreadable and hide nothing. */
const CHARS_MIN = 6;

/**
 * Removes secrets from any text: as they are, in the encoding of an address, and as base64. @see docs/reliability.md,
 * I-20
 */
export function redaction(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
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
