/** Values as lines that a shell can source: `export NAME='value'`; those that are undefined are left out. */
export function envLines(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `export ${name}='${String(value).replaceAll("'", `'\\''`)}'\n`)
    .join('');
}
