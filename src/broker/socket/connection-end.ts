import { Close_Code } from '../../wire/gen/control_pb.ts';

/** Why a connection ended. */
export type ConnectionEnd =
  /** The venue announced the end. */
  | { readonly kind: 'announced'; readonly code: number; readonly reason: string }
  /** Nothing was received for too long, not even a pong. */
  | { readonly kind: 'silent'; readonly forMs: number }
  /** Bytes that are not a frame: the stream cannot be parsed any further. */
  | { readonly kind: 'broken-frame'; readonly reason: string }
  | { readonly kind: 'dropped'; readonly reason: string }
  | { readonly kind: 'closed-by-us' };

/** What follows: resume the session, start a new one, or stop because another client replaced us. */
export type AfterEnd = 'resume' | 'new-session' | 'stop';

/**
 * A venue that reports a duplicate connection has another one of ours: reconnecting would close that one, and so on.
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
      return 'new-session';
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
      return 'new-session';
  }
}

/** One sentence for alarms. */
export function describeEnd(end: ConnectionEnd): string {
  switch (end.kind) {
    case 'announced':
      return `The venue closed the connection with code ${end.code}: ${end.reason}`;
    case 'silent':
      return `Nothing was received for ${end.forMs} ms`;
    case 'broken-frame':
      return `The venue sent an invalid frame: ${end.reason}`;
    case 'dropped':
      return `The connection broke: ${end.reason}`;
    case 'closed-by-us':
      return 'Closed by this client';
  }
}
