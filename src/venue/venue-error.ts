/** Stable codes, for commands and tests. */
export type VenueErrorCode = 'port-busy' | 'address-unavailable' | 'bad-option' | 'bad-state' | 'not-stepped';

export class VenueError extends Error {
  override readonly name = 'VenueError';
  readonly code: VenueErrorCode;

  constructor(code: VenueErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
