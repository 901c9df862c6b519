import { Close_Code } from '../../wire/gen/control_pb.ts';

/** Why a connection ended. */
export type ConnectionEnd =
  /** The venue announced the end. */
  | { readonly kind: 'announced'; readonly code: number; readonly reason: string }
  /** Nothing came for too long, not even an answer to our ping. */
  | { readonly kind: 'silent'; readonly forMs: number }
  /** Bytes that are no frame: the stream cannot be parsed any further. */
  | { readonly kind: 'broken-frame'; readonly reason: string }
  | { readonly kind: 'dropped'; readonly reason: string }
  | { readonly kind: 'closed-by-us' };

/** What follows: resume the session, begin a new one, or leave it to the client that took our place. */
export type AfterEnd = 'resume' | 'begin-anew' | 'stop';

/**
 * A venue that calls the connection a duplicate has another one of ours: to come back would throw that one out, and so on.
 * @see docs/reliability.md, F-B29; docs/wire-protocol.md, "The sockets"
 */
export function afterEnd(end: ConnectionEnd): AfterEnd {
  switch (end.kind) {
    case 'closed-by-us':
      return 'stop';
    case 'silent':
    case 'dropped':
      return 'resume';
    case 'broken-frame':
      return 'begin-anew';
    case 'announced':
      return afterAnnouncement(end.code);
  }
}

function afterAnnouncement(code: number): AfterEnd {
  switch (code) {
    case Close_Code.HeartbeatTimeout:
    case Close_Code.ServerError:
    case Close_Code.ServerShutdown:
      return 'resume';
    case Close_Code.ConnectDuplicate:
      return 'stop';
    default:
      return 'begin-anew';
  }
}

/** One sentence for alarms. */
export function describeEnd(end: ConnectionEnd): string {
  switch (end.kind) {
    case 'announced':
      return `The venue hung up with close code ${end.code}: ${end.reason}`;
    case 'silent':
      return `Nothing came for ${end.forMs} ms`;
    case 'broken-frame':
      return `The venue sent bytes that are no frame: ${end.reason}`;
    case 'dropped':
      return `The connection broke: ${end.reason}`;
    case 'closed-by-us':
      return 'Closed on purpose';
  }
}
