import type { OrderTerms, WrittenRequest } from '../model/order.ts';
import type { ChangeWord } from '../model/pending-step.ts';
import type { RiskNumber } from '../model/risk-number.ts';
import type { OrderEventOf } from './event-base.ts';

/** Bytes of a replace are about to leave (T-40), with the verdict on the new terms; both versions are reserved from now on. */
export interface ReplaceSending extends OrderEventOf<'replace-sending'> {
  /** The order as it is to be; its quantity is the new total. */
  readonly terms: OrderTerms;
  readonly numbers: readonly RiskNumber[];
  /** The request as sent (I-1); absent at a venue without a wire, and in older journals. */
  readonly written?: WrittenRequest;
}

/** The venue's answer to a replace (T-41, T-42). */
export interface ReplaceAnswered extends OrderEventOf<'replace-answered'> {
  readonly answer: ChangeWord;
  readonly message: string;
}

/** A read shows which version the venue holds: the new one, or the old one after a replace in doubt. */
export interface ReplaceRead extends OrderEventOf<'replace-read'> {
  readonly terms: OrderTerms;
}

/** The gate refused new terms; the order lives on with its old ones. */
export interface ReplaceDenied extends OrderEventOf<'replace-denied'> {
  readonly terms: OrderTerms;
  readonly rule: string;
  readonly reason: string;
  readonly numbers: readonly RiskNumber[];
}

/** Everything about replaces that is worth remembering. */
export type ReplaceEvent = ReplaceSending | ReplaceAnswered | ReplaceRead | ReplaceDenied;
