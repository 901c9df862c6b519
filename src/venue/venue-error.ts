/** Why a venue cannot start or continue; stable, so that commands and tests can name it. */
export type VenueErrorCode = 'port-busy' | 'address-unavailable' | 'bad-option' | 'bad-state' | 'not-stepped';

/** Tells that the embedded venue cannot do what it was asked; the message has what to do about it. */
export class VenueError extends Error {
  override readonly name = 'VenueError';
  readonly code: VenueErrorCode;

  constructor(code: VenueErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
