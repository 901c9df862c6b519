/** Name of the package that strategies import; scoped, because another registry package owns the plain name. */
export const PACKAGE_NAME = '@sluice-trading/sluice';

const OLD_NAME = 'sluice';

/** True for the package and its entry points, such as `@sluice-trading/sluice/testing`. */
export function isOwnImport(specifier: string): boolean {
  return specifier === PACKAGE_NAME || specifier.startsWith(`${PACKAGE_NAME}/`);
}

/**
 * Refuses an import of the old package name, even if a package of that name is installed. Throws an Error with the new
 * specifier.
 */
export function refuseOldName(specifier: string): void {
  if (specifier !== OLD_NAME && !specifier.startsWith(`${OLD_NAME}/`)) return;
  const renamed = `${PACKAGE_NAME}${specifier.slice(OLD_NAME.length)}`;
  throw new Error(
    `Cannot import "${specifier}": the package is now named "${PACKAGE_NAME}", write "${renamed}"`,
  );
}
