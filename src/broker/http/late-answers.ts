import type { BrokerSettings } from '../settings.ts';
import type { Exchanged, LateListener } from './exchange.ts';

/** A request whose connection may be kept beyond its deadline. */
export interface LateRequest {
  readonly listener: LateListener;
  /** True from the deadline until the connection is closed. */
  isKept(): boolean;
}

/** Keeps connections of requests with an unknown outcome open for a while, a limited number at a time. */
export interface LateAnswers {
  /** `giveUp` closes the connection, `take` receives the answer if one arrives. */
  listen(closeConnection: () => void, take: (answered: Answered) => void): LateRequest;
}

type Answered = Extract<Exchanged, { kind: 'answered' }>;

/** A request beyond the limit is closed at its deadline. @see docs/reliability.md, F-N07, I-23 */
export function createLateAnswers({ lateAnswerMs, lateAnswersMax }: BrokerSettings): LateAnswers {
  let pendingCount = 0;
  return {
    listen(giveUp, take) {
      let isKept = false;
      return {
        isKept: () => isKept,
        listener: {
          forMs: lateAnswerMs,
          begin() {
            if (pendingCount >= lateAnswersMax) return false;
            pendingCount += 1;
            isKept = true;
            return true;
          },
          end(exchanged) {
            pendingCount -= 1;
            isKept = false;
            giveUp();
            if (exchanged.kind === 'answered') take(exchanged);
          },
        },
      };
    },
  };
}
