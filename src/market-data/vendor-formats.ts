import type { DateOrder } from './source-stamp.ts';

/** Facts about one vendor's files that their header does not show. */
export interface VendorFormat {
  readonly doc: string;
  readonly map?: string;
  readonly dates?: DateOrder;
  /** IANA zone of its stamps; `exchange`: the zone of the symbol's exchange. */
  readonly zone?: string;
  /** Divisor of prices that are written in subunits. */
  readonly priceDivisor?: number;
  /** True if stamps may be milliseconds of the day in the file's name. */
  readonly dayInName?: boolean;
  readonly currencySign?: boolean;
  /** The end of an intraday bar that its stamp means, if not its open. */
  readonly stampedAt?: 'close';
}

/**
 * Layouts by vendor. `auto` and `generic` use the header or the order of columns; `auto` also recognises some vendors
 * by their rows.
 */
export const VENDOR_FORMATS = {
  auto: { doc: 'columns by header, or by order if there is no header' },
  generic: { doc: 'like auto, without vendor detection' },
  yahoo: {
    doc: 'Date,Open,High,Low,Close,Adj Close,Volume; --adjust scales by the adjusted close',
  },
  stooq: {
    doc: '<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>, or Date,Open,High,Low,Close,Volume',
  },
  binance: {
    doc: 'no header; open time, open, high, low, close, volume first; epoch milli- or microseconds, in UTC',
    map: 'time=1,open=2,high=3,low=4,close=5,volume=6',
    zone: 'UTC',
  },
  nasdaq: {
    doc: 'Date,Close/Last,Volume,Open,High,Low with MM/DD/YYYY and a dollar sign',
    map: 'time=Date,open=Open,high=High,low=Low,close=Close/Last,volume=Volume',
    dates: 'mdy',
    currencySign: true,
  },
  alphavantage: {
    doc: 'timestamp,open,high,low,close,volume, newest first; New York time',
    zone: 'America/New_York',
  },
  futu: {
    doc: 'code,name,time_key,open,close,high,low,...,volume; exchange time, bars stamped at their close',
    zone: 'exchange',
    stampedAt: 'close',
  },
  lean: {
    doc: 'no header; prices in ten-thousandths; exchange time, as YYYYMMDD HH:MM or milliseconds of the day in the file name',
    map: 'time=1,open=2,high=3,low=4,close=5,volume=6',
    zone: 'exchange',
    priceDivisor: 10_000,
    dayInName: true,
  },
  metatrader: {
    doc: "<DATE> <TIME> <OPEN> <HIGH> <LOW> <CLOSE> <TICKVOL> <VOL> <SPREAD>, separated by tabs; stamps in the server's time zone",
    map: 'time=<DATE>+<TIME>,open=<OPEN>,high=<HIGH>,low=<LOW>,close=<CLOSE>,volume=<TICKVOL>',
  },
} satisfies Readonly<Record<string, VendorFormat>>;

export type VendorFormatName = keyof typeof VENDOR_FORMATS;
export const VENDOR_FORMAT_NAMES = Object.keys(VENDOR_FORMATS) as readonly VendorFormatName[];
