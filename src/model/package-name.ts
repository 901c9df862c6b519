/** Name of the package that strategies import from; it is scoped, as the plain name on the registry belongs to others. */
export const PACKAGE_NAME = '@sluice-trading/sluice';

/** Name of the package before it had a scope. */
const OLD_NAME = 'sluice';

/** True for the package and for its entry points, such as `@sluice-trading/sluice/testing`. */
export function isOwnImport(specifier: string): boolean {
  return specifier === PACKAGE_NAME || specifier.startsWith(`${PACKAGE_NAME}/`);
}

/**
 * Refuses an import of the name that the package had before it was scoped, regardless of any package installed under that name.
 * Throws an Error that names what to write instead.
 */
export function refuseOldName(specifier: string): void {
  if (specifier !== OLD_NAME && !specifier.startsWith(`${OLD_NAME}/`)) return;
  const renamed = `${PACKAGE_NAME}${specifier.slice(OLD_NAME.length)}`;
  throw new Error(
    `Cannot import "${specifier}": the package is now named "${PACKAGE_NAME}", write "${renamed}"`,
  );
}
