/** The journal cannot be trusted or written; without a journal no order is sent. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly code: 'journal-open' | 'journal-append' | 'journal-damaged' | 'journal-version';

  constructor(code: JournalError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
