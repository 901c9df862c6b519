/** The catalogue's file cannot be opened, or cannot store a record. */
export class CatalogueStoreError extends Error {
  override readonly name = 'CatalogueStoreError';
  readonly code: 'store-open' | 'store-version' | 'store-key';

  constructor(code: CatalogueStoreError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
