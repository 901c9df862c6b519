import { marketOf } from '../../model/symbol.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { answered, type Handler } from './call.ts';

const OVERNIGHT = 'Overnight';

/**
 * Lists the securities of a market; only the name in the language asked for is filled. The category `Overnight` leaves out
 * options, which trade by day alone.
 * @see docs/wire-protocol.md, "Calls"
 */
export function securityListHandler(simulation: Pick<Simulation, 'securities'>): Handler<'securityList'> {
  return ({ market, category }, { language }) => {
    const listed = simulation
      .securities()
      .filter(
        ({ symbol, kind }) => marketOf(symbol) === market && !(category === OVERNIGHT && kind === 'option'),
      );
    const list = listed.map(({ symbol, names }) => ({
      symbol,
      name_cn: language === 'zh-CN' ? names.zhCn : '',
      name_hk: language === 'zh-HK' ? names.zhHk : '',
      name_en: language === 'en' ? names.en : '',
    }));
    return answered({ list });
  };
}
