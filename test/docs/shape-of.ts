/** The shape of a JSON value, written like a type: keys in order, lists by their members. */
export function shapeOf(value: unknown, indent = ''): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return listShape(value, indent);
  if (typeof value !== 'object') return typeof value;
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  const inner = `${indent}  `;
  if (isTable(entries)) return `{ [name]: ${shapeOf(entries[0]?.[1], indent)} }`;
  return `{\n${entries.map(([key, each]) => `${inner}${key}: ${shapeOf(each, inner)}`).join('\n')}\n${indent}}`;
}

/** Describes what all members have in common once. */
function listShape(list: readonly unknown[], indent: string): string {
  const shapes = [...new Set(list.map((each) => shapeOf(each, indent)))];
  if (shapes.length === 0) return '[]';
  const [first = ''] = shapes;
  if (shapes.length === 1) return `${first}[]`;
  const plain = shapes.filter((shape) => !shape.includes('\n'));
  return plain.length === 0 ? `${first}[]` : `(${plain.join(' | ')})[]`;
}

/** True for keys that the user chooses, such as currencies and parameters. */
function isTable(entries: readonly (readonly [string, unknown])[]): boolean {
  return entries.every(([key, each]) => !/^[a-z][A-Za-z0-9]*$/.test(key) && typeof each !== 'object');
}
