/** Ends a `switch` over a union: a new member then fails to compile here. */
export function unreachable(value: never): never {
  throw new Error(`Reached a case that cannot exist: ${JSON.stringify(value)}`);
}
