/** Keys that may be undefined become keys that may be absent. */
export type Given<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** The same flags without those that nobody said. */
export function given<T extends object>(flags: T): Given<T> {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) as Given<T>;
}
