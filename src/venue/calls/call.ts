import type { SimulatedAccount } from '../../simulation/simulation.ts';
import type { EndpointName, RequestOf } from '../../wire/endpoints.ts';
import type { Credentials } from '../../wire/signature.ts';
import type { Language } from './language.ts';

export interface Call {
  readonly account: SimulatedAccount;
  readonly appKey: string;
  readonly accessToken: Credentials['accessToken'];
  readonly language: Language;
  /** True if the venue did not offer `submit.requestKey` at the time of the request: its key is ignored. */
  readonly isKeyless?: boolean;
}

/** Result of a handler: `data` of the envelope, or an error code with its message. */
export type CallResult =
  | { readonly kind: 'ok'; readonly data: object }
  | {
      readonly kind: 'refused';
      readonly code: number;
      readonly message: string;
      /** HTTP status of a code that is not in the error table. */
      readonly status?: number;
    };

/** Handles one endpoint; the request is already verified, counted and parsed. */
export type Handler<Name extends EndpointName> = (request: RequestOf<Name>, call: Call) => CallResult;

export function ok(data: object): CallResult {
  return { kind: 'ok', data };
}

export function refused(code: number, message: string): Extract<CallResult, { kind: 'refused' }> {
  return { kind: 'refused', code, message };
}
