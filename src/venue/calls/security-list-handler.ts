import { marketOf } from '../../model/symbol.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { type Handler, ok } from './call.ts';

const OVERNIGHT = 'Overnight';

/**
 * Lists the securities of a market; fills only the name in the requested language. The category `Overnight` omits
 * options, which have no overnight session.
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
    return ok({ list });
  };
}
