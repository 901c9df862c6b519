/**
 * Receives whether each exchange was answered, and signals the first answer after a time without any, so that a
 * socket in a long backoff learns that the venue is back.
 */
export function createReachabilityWatch(onReturn: () => void): (isReached: boolean) => void {
  let wasUnreachable = false;
  return (isReached) => {
    const isBack = isReached && wasUnreachable;
    wasUnreachable = !isReached;
    if (isBack) onReturn();
  };
}
