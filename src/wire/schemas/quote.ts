import { z } from 'zod';
import type { CalendarDay } from '../../model/time.ts';
import * as field from './parameter-fields.ts';
import { defined, type WireParameters } from './parameter-fields.ts';
import * as answer from './response-fields.ts';

/** `category` is `Overnight` for securities that trade overnight. */
export interface SecurityListQuery {
  readonly market: string;
  readonly category?: string;
}

/** Query of GET /v1/quote/get_security_list. @see docs/wire-protocol.md, "Calls" */
export const securityList = z
  .object({ market: field.required(field.text(8)), category: field.optional(field.text(32)) })
  .transform((query): SecurityListQuery => defined(query));

export const writeSecurityList = (query: SecurityListQuery): WireParameters =>
  defined({ market: query.market, category: query.category });

/** `data` of the security list. Only the name in the requested language is filled, the others are ''. */
export const securityListResponse = z.looseObject({
  list: answer.list(
    z.looseObject({
      symbol: answer.required,
      name_cn: answer.text,
      name_hk: answer.text,
      name_en: answer.text,
    }),
  ),
});

export interface TemperatureQuery {
  readonly market: string;
}

/** Range of days, both ends inclusive. */
export interface TemperatureHistoryQuery extends TemperatureQuery {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
}

/** Query of GET /v1/quote/market_temperature. @see docs/wire-protocol.md, "Calls" */
export const marketTemperature = z
  .object({ market: field.required(field.text(8)) })
  .transform((query): TemperatureQuery => query);

export const writeMarketTemperature = ({ market }: TemperatureQuery): WireParameters => ({ market });

/** Query of GET /v1/quote/history_market_temperature. @see docs/wire-protocol.md, "Calls" */
export const historyMarketTemperature = z
  .object({
    market: field.required(field.text(8)),
    start_date: field.required(field.compactDay),
    end_date: field.required(field.compactDay),
  })
  .transform(
    ({ market, start_date, end_date }): TemperatureHistoryQuery => ({
      market,
      from: start_date,
      to: end_date,
    }),
  );

export const writeHistoryMarketTemperature = ({
  market,
  from,
  to,
}: TemperatureHistoryQuery): WireParameters => ({
  market,
  start_date: from.replaceAll('-', ''),
  end_date: to.replaceAll('-', ''),
});

const temperatures = { temperature: z.number(), valuation: z.number(), sentiment: z.number() };

/** `data` of a market's temperature: figures from 0 to 100. */
export const marketTemperatureResponse = z.looseObject({
  ...temperatures,
  description: answer.text,
  updated_at: answer.required,
});

/** `data` of daily temperatures, oldest first. */
export const historyMarketTemperatureResponse = z.looseObject({
  type: answer.text,
  list: answer.list(z.looseObject({ ...temperatures, timestamp: answer.required })),
});

/** `data` of the status of all markets, as the broker's codes of trading phases. */
export const marketStatusResponse = z.looseObject({
  market_time: answer.list(
    z.looseObject({ market: answer.required, trade_status: z.number(), timestamp: answer.required }),
  ),
});
