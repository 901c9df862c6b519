/** What the environment, or a file that stands in for it, says is missing, unsafe or cannot be read. Names no secret. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  readonly code = 'environment';
}
