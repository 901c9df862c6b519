/** JSON strings, with the colon after a key, and the brackets of objects and lists. */
const TOKENS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"(?:\s*:)?|[{}[\]]/g;

/**
 * Returns the first key that an object of a JSON text contains twice; undefined if there is none. A plain parse
 * silently keeps the last, so an order of 100 and of 200 shares would be one of 200. The text must be JSON.
 */
export function duplicateKey(json: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) {
      const key = String(JSON.parse(token.slice(0, -1)));
      const siblings = open.at(-1);
      if (siblings?.has(key) === true) return key;
      siblings?.add(key);
    }
  }
  return undefined;
}
