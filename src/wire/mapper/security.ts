import type { MessageInitShape } from '@bufbuild/protobuf';
import { parseDecimal } from '../../model/decimal.ts';
import type { CompanyFigures, Security, SecurityKind } from '../../model/security.ts';
import type { StaticInfo, StaticInfoSchema } from '../gen/quote_pb.ts';
import { WireError } from '../wire-error.ts';
import * as value from './values.ts';

/**
 * Facts of a security in static info (10). It contains no margin, origin or exact kind: a `HKEquity` may be a stock,
 * an ETF or a REIT, so `kind` is then undefined.
 */
export interface StaticFacts
  extends Pick<Security, 'symbol' | 'names' | 'board' | 'currency' | 'lotSize' | 'company'> {
  readonly kind: SecurityKind | undefined;
}

const INDEX_BOARDS: ReadonlySet<string> = new Set([
  'USDJI',
  'USNSDQ',
  'SPXIndex',
  'VIXIndex',
  'HKHS',
  'CNIX',
  'STI',
  'USSector',
  'HKSector',
  'CNSector',
  'SGSector',
]);

/** Returns the kind of a board; undefined if the board has several kinds. */
function kindOfBoard(board: string): SecurityKind | undefined {
  if (INDEX_BOARDS.has(board)) return 'index';
  return board === 'USOption' || board === 'USOptionS' ? 'option' : undefined;
}

/** Parses static info. Throws WireError if symbol, currency or lot size are invalid. */
export function readStaticInfo(wire: StaticInfo): StaticFacts {
  if (wire.lotSize < 1) {
    throw new WireError('bad-value', `Cannot read lot_size of "${wire.symbol}": saw "${wire.lotSize}"`);
  }
  if (wire.currency === '')
    throw new WireError('bad-value', `Cannot read currency of "${wire.symbol}": it is empty`);
  return {
    symbol: value.readSymbol(wire.symbol, 'symbol'),
    names: { en: wire.nameEn, zhCn: wire.nameCn, zhHk: wire.nameHk },
    board: wire.board,
    currency: wire.currency,
    lotSize: wire.lotSize,
    kind: kindOfBoard(wire.board),
    ...companyOf(wire),
  };
}

/** 0 or empty means unknown. */
function companyOf(wire: StaticInfo): Pick<Security, 'company'> {
  const shares = {
    totalShares: wire.totalShares,
    circulatingShares: wire.circulatingShares,
    hkShares: wire.hkShares,
  };
  const { eps, epsTtm, bps, dividendYield } = wire;
  const known: [string, string | number][] = [];
  for (const [name, count] of Object.entries(shares)) if (count > 0n) known.push([name, Number(count)]);
  for (const [name, text] of Object.entries({ eps, epsTtm, bps, dividendYield })) {
    const figure = parseDecimal(text);
    if (figure !== undefined && !figure.isZero()) known.push([name, text]);
  }
  return known.length === 0 ? {} : { company: Object.fromEntries(known) as CompanyFigures };
}

/**
 * Formats static info; `exchange` is the venue's code of the exchange, such as `SEHK`. Unknown company figures stay
 * unset.
 */
export function writeStaticInfo(
  security: Security,
  facts: { readonly exchange: string; readonly hasOptions?: boolean },
): MessageInitShape<typeof StaticInfoSchema> {
  const { totalShares, circulatingShares, hkShares, ...perShare } = security.company ?? {};
  return {
    ...perShare,
    totalShares: BigInt(totalShares ?? 0),
    circulatingShares: BigInt(circulatingShares ?? 0),
    hkShares: BigInt(hkShares ?? 0),
    symbol: security.symbol,
    nameCn: security.names.zhCn,
    nameEn: security.names.en,
    nameHk: security.names.zhHk,
    exchange: facts.exchange,
    currency: security.currency,
    // The wire has whole shares only; clients without our extension trade this lot size.
    lotSize: Math.ceil(security.lotSize),
    board: security.board,
    stockDerivatives: facts.hasOptions === true ? [OPTIONS_EXIST] : [],
  };
}

/** Code in static info for a security with options. */
const OPTIONS_EXIST = 1;
