import { map, type Observable } from 'rxjs';
import type { QuoteCommands } from '../../wire/commands.ts';
import type { SocketCall } from '../socket/command-call.ts';

/** Quote permissions of an account in one market: names of the open packages, or why there is none. */
export interface QuotePackage {
  readonly market: string;
  readonly packages: readonly string[];
  /** '' if there are packages. */
  readonly warning: string;
}

/** The permissions of a market as one line, or the broker's reason why there are none. */
export function quotePackageText({ market, packages, warning }: QuotePackage): string {
  return `Quotes of ${market}: ${packages.length > 0 ? packages.join(', ') : warning}`;
}

/** Reads the open quote packages (4), by market in alphabetical order. @see docs/wire-protocol.md, "The sockets" */
export function readQuotePackages(
  call: SocketCall,
  commands: QuoteCommands,
  language: string,
): Observable<readonly QuotePackage[]> {
  return call(commands.userQuoteProfile, { language }).pipe(
    map(({ quoteLevelDetail }) =>
      Object.entries(quoteLevelDetail?.byMarketCode ?? {})
        .map(([market, { packages, warningMsg }]) => ({
          market,
          packages: packages.map((each) => each.name),
          warning: warningMsg,
        }))
        .toSorted((a, b) => (a.market < b.market ? -1 : 1)),
    ),
  );
}
