import { z } from 'zod';
import * as answer from './answer-fields.ts';
import * as field from './parameter-fields.ts';
import { defined, type WireParameters } from './parameter-fields.ts';

/** Which list of securities. `category` is `Overnight` for those that trade overnight. */
export interface SecurityListQuery {
  readonly market: string;
  readonly category?: string;
}

/** Query of GET /v1/quote/get_security_list. @see docs/wire-protocol.md, "Calls" */
export const securityList = z
  .object({ market: field.required(field.words(8)), category: field.optional(field.words(32)) })
  .transform((query): SecurityListQuery => defined(query));

export const writeSecurityList = (query: SecurityListQuery): WireParameters =>
  defined({ market: query.market, category: query.category });

/** `data` of the security list. Only the name in the asked language is filled, the other two are ''. */
export const securityListAnswer = z.looseObject({
  list: answer.list(
    z.looseObject({
      symbol: answer.needed,
      name_cn: answer.text,
      name_hk: answer.text,
      name_en: answer.text,
    }),
  ),
});
