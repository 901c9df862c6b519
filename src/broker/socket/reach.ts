/**
 * Receives whether each exchange was answered, and signals the first answer after a time without any, so that a
 * socket in a long backoff learns that the venue is back.
 */
export function createReachWatch(onReturn: () => void): (isReached: boolean) => void {
  let isAway = false;
  return (isReached) => {
    const isBack = isReached && isAway;
    isAway = !isReached;
    if (isBack) onReturn();
  };
}
