/** Formats values as lines that a shell can source: `export NAME='value'`; undefined values are omitted. */
export function envLines(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `export ${name}='${String(value).replaceAll("'", `'\\''`)}'\n`)
    .join('');
}
