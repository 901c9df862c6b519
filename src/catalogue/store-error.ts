/** The catalogue's file cannot be opened, or cannot take what it is given. */
export class CatalogueStoreError extends Error {
  override readonly name = 'CatalogueStoreError';
  readonly code: 'store-open' | 'store-version' | 'store-key';

  constructor(code: CatalogueStoreError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
