import type { CorporateAction } from '#src/model/corporate-action.ts';
import { Decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { readRows } from './csv-bars.ts';
import type { Oracle } from './oracle-file.ts';

/** The dividends and splits in the files that an oracle names. */
export function corporateActionsOf(oracle: Oracle, dataFolder: string): readonly CorporateAction[] {
  return (oracle.events ?? []).flatMap(({ file }) =>
    readActions(`${dataFolder}/${file}`, file.split('/')[0] ?? ''),
  );
}

/** Reads one `events.csv`; throws RangeError for an event that is neither a dividend nor a split. */
export function readActions(path: string, code: string): readonly CorporateAction[] {
  return readRows(path, ['ex_date', 'type', 'value']).map((row) => {
    const common = { symbol: securitySymbol(code), exDay: calendarDay(row['ex_date'] ?? '') };
    const value = new Decimal(row['value'] ?? '');
    if (row['type'] === 'dividend') return { ...common, kind: 'dividend', perShare: value };
    if (row['type'] === 'split') return { ...common, kind: 'split', ratio: value };
    throw new RangeError(`Cannot read "${path}": no event is called "${row['type']}"`);
  });
}
