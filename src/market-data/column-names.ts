import type { ColumnRole } from './column-map.ts';

/** Header names by role, lower-case letters and digits only, best match first. `+` joins a date and a time of day. */
export const COLUMN_NAMES: Readonly<Record<ColumnRole, readonly string[]>> = {
  time: [
    ...['timestamp', 'unix', 'unixtime', 'epoch', 'opentime', 'windowstart', 'timekey', 'datetime'],
    ...['dateandtime', 'date+timestamp', 'date+time', 'day+time', 'datetimeutc', 'gmttime', 'utctime'],
    ...['timeutc', 'dateutc', 'localtime', 'date', 'day', 'time', 'tradedate', 'tradingday', 'ts', 't'],
    ...['datum', 'data', 'fecha', '日期', '时间', '时刻', '時間', '交易日期', '日期时间', '日期時間', ''],
    ...['dates', 'tsevent', 'exchangedate', 'dtyyyymmdd'],
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
  ].concat(
    'ouverture',
    '开盘',
    '开盘价',
    '開盤',
    '開盤價',
    '開市',
    '開市價',
    '今开',
    '今開',
    'eroffnung',
    'eröffn',
    'pxopen',
  ),
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
  ].concat('plushaut', 'máximo', 'maximo', 'massimo', '最高', '最高价', '最高價', '高', 'pxhigh'),
  low: ['low', 'l', 'lowprice', 'pricelow', 'min', '3low', 'tief', 'tagestief', 'najnizszy', 'bas'].concat(
    'plusbas',
    ...['mínimo', 'minimo', 'minimum', '最低', '最低价', '最低價', '低', 'pxlow'],
  ),
  close: [
    ...['close', 'c', 'closeprice', 'priceclose', 'closelast', 'last', '4close', 'latest', 'schluss'],
    ...['schlusskurs', 'zamkniecie', 'cierre', 'clôture', 'chiusura', '收盘', '收盘价'],
    ...['收盤', '收盤價', '收市', '收市價', '最新价', '最新價', 'pxlast', 'zuletzt'],
    ...['closeclosepriceadjustedforsplits', 'price'],
  ],
  // A trading terminal writes a tick count next to a volume that is 0 where no exchange reports one.
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
  ].concat('wolumen', 'stück', '成交量', '成交股数', '成交股數', '交易量', '总手', 'pxvolume', 'cvol'),
  adjusted: ['adjclose', 'adjustedclose', 'closeadj', 'closeadjusted', '5adjustedclose'],
};

/** Normalises a header name for comparison: lower-case letters and digits of any alphabet. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

const UNIT = /^(.+?)\s*[(（]([^()（）]*)[)）]\s*$/u;

/** Normalises a header name and drops a unit in brackets, as in `成交量 (千股)`. */
export function nameWithoutUnit(name: string): string {
  return plainName(UNIT.exec(name)?.[1] ?? name);
}

/** Returns the number of shares that 1 means in a volume column, by its header; `lots` if it counts lots. */
export function volumeUnit(name: string): number | 'lots' {
  const [, before = name, unit = ''] = UNIT.exec(name) ?? [];
  if (/^总手$/.test(before) || /^(手|lots?)$/i.test(unit)) return 'lots';
  if (/^(千股?|thousands?|000s?)$/i.test(unit)) return 1e3;
  if (/^(万|萬)股?$/.test(unit)) return 1e4;
  return /^(百万|百萬|millions?|mn)股?$/i.test(unit) ? 1e6 : 1;
}

/** True for the header of a stamp column that names UTC or GMT. */
export function isUniversal(name: string): boolean {
  return /^(gmt|utc)|(gmt|utc)$/.test(plainName(name));
}
