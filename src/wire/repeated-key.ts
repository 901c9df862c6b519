/** Texts, with the colon that makes them keys, and the brackets of objects and lists. */
const TOKENS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"(?:\s*:)?|[{}[\]]/g;

/**
 * The first key that one object of a JSON text names twice; undefined where each comes once. A plain parse keeps the last
 * silently, so an order of 100 and of 200 shares would be one of 200. The text must be JSON.
 */
export function repeatedKey(json: string): string | undefined {
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
