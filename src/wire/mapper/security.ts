import type { MessageInitShape } from '@bufbuild/protobuf';
import { parseDecimal } from '../../model/decimal.ts';
import type { CompanyFigures, Security, SecurityKind } from '../../model/security.ts';
import type { StaticInfo, StaticInfoSchema } from '../gen/quote_pb.ts';
import { WireError } from '../wire-error.ts';
import * as value from './values.ts';

/**
 * What static info (10) tells of a security. It knows nothing of margin, origin or the finer kinds: a `HKEquity` may be a
 * stock, an ETF or a REIT, so its `kind` is undefined and must come from elsewhere.
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

/** The kind that a board alone gives away; undefined where a board holds several kinds. */
function kindOfBoard(board: string): SecurityKind | undefined {
  if (INDEX_BOARDS.has(board)) return 'index';
  return board === 'USOption' || board === 'USOptionS' ? 'option' : undefined;
}

/** Reads static info. Throws WireError when symbol, currency or lot size mean nothing. */
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

/** What is 0 or empty on the wire is not known. */
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

/** Writes static info; `exchange` is the venue's code for the exchange, for example `SEHK`. Figures of a company that are not known stay unset. */
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
    // The wire counts lots in whole shares; a client that knows no more trades those.
    lotSize: Math.ceil(security.lotSize),
    board: security.board,
    stockDerivatives: facts.hasOptions === true ? [OPTIONS_EXIST] : [],
  };
}

/** The number in static info that means that options on a security exist. */
const OPTIONS_EXIST = 1;
