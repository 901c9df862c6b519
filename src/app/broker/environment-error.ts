/**
 * A setting of the environment, or of the file that replaces it, is missing, unsafe or unreadable. The text contains
 * no secret.
 */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  readonly code = 'environment';
}
