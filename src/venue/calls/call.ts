import type { SimulatedAccount } from '../../simulation/simulation.ts';
import type { EndpointName, RequestOf } from '../../wire/endpoints.ts';
import type { Credentials } from '../../wire/signature.ts';
import type { Language } from './language.ts';

/** A verified HTTP request: its caller, account and language. */
export interface Call {
  readonly account: SimulatedAccount;
  readonly appKey: string;
  readonly accessToken: Credentials['accessToken'];
  readonly language: Language;
  /** True where the venue offered no `submit.requestKey` when the request came: its key counts for nothing. */
  readonly isKeyless?: boolean;
}

/** The result of a handler: `data` of the envelope, or a code of the error table with its text. */
export type CallResult =
  | { readonly kind: 'ok'; readonly data: object }
  | {
      readonly kind: 'refused';
      readonly code: number;
      readonly message: string;
      /** HTTP status where the code is not of the error table. */
      readonly status?: number;
    };

/** Answers one endpoint; the request was verified, counted and read before. */
export type Handler<Name extends EndpointName> = (request: RequestOf<Name>, call: Call) => CallResult;

export function answered(data: object): CallResult {
  return { kind: 'ok', data };
}

export function refused(code: number, message: string): Extract<CallResult, { kind: 'refused' }> {
  return { kind: 'refused', code, message };
}
