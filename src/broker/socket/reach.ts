/**
 * Hears whether anything answered, exchange by exchange, and says when something does again after nothing did. A socket
 * that waits long for its next attempt learns so that the venue is back.
 */
export function createReachWatch(onReturn: () => void): (isReached: boolean) => void {
  let isAway = false;
  return (isReached) => {
    const isBack = isReached && isAway;
    isAway = !isReached;
    if (isBack) onReturn();
  };
}
