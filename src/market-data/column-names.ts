import type { ColumnRole } from './column-map.ts';

/** Header names by role, in small letters and digits only, the surest first. `+` joins a day and a clock. */
export const COLUMN_NAMES: Readonly<Record<ColumnRole, readonly string[]>> = {
  time: [
    ...['timestamp', 'unix', 'unixtime', 'epoch', 'opentime', 'windowstart', 'timekey', 'datetime'],
    ...['dateandtime', 'date+timestamp', 'date+time', 'day+time', 'datetimeutc', 'gmttime', 'utctime'],
    ...['timeutc', 'dateutc', 'localtime', 'date', 'day', 'time', 'tradedate', 'tradingday', 'ts', 't'],
    ...['datum', 'data', 'fecha', '日期', '时间', '时刻', '時間', '交易日期', '日期时间', '日期時間', ''],
  ],
  open: [
    'open',
    'o',
    'openprice',
    'priceopen',
    '1open',
    'eröffnung',
    'erster',
    'otwarcie',
    'apertura',
  ].concat('ouverture', '开盘', '开盘价', '開盤', '開盤價', '開市', '開市價', 'eroffnung'),
  high: [
    'high',
    'h',
    'highprice',
    'pricehigh',
    'max',
    '2high',
    'hoch',
    'tageshoch',
    'najwyzszy',
    'haut',
  ].concat('plushaut', 'máximo', 'maximo', 'massimo', '最高', '最高价', '最高價'),
  low: ['low', 'l', 'lowprice', 'pricelow', 'min', '3low', 'tief', 'tagestief', 'najnizszy', 'bas'].concat(
    'plusbas',
    ...['mínimo', 'minimo', 'minimum', '最低', '最低价', '最低價'],
  ),
  close: [
    ...['close', 'c', 'closeprice', 'priceclose', 'closelast', 'last', '4close', 'latest', 'schluss'],
    ...['schlusskurs', 'zamkniecie', 'cierre', 'clôture', 'chiusura', '收盘', '收盘价'],
    ...['收盤', '收盤價', '收市', '收市價', 'price'],
  ],
  // A trading terminal writes ticks beside a volume that is zero where no exchange counts one.
  volume: [
    'tickvol',
    'tickvolume',
    'volume',
    'v',
    'vol',
    'tradevolume',
    'totalvolume',
    '5volume',
    'volumen',
  ].concat('wolumen', 'stück', '成交量', '成交股数', '成交股數'),
  adjusted: ['adjclose', 'adjustedclose', 'closeadj', 'closeadjusted', '5adjustedclose'],
};

/** A header's name as it is looked for: small letters and digits of any alphabet, nothing else. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** True for headers of stamps that say themselves that they show universal time. */
export function isUniversal(name: string): boolean {
  return /^(gmt|utc)|(gmt|utc)$/.test(plainName(name));
}
