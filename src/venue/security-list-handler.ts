import { marketOf } from '../model/symbol.ts';
import type { Simulation } from '../simulation/simulation.ts';
import { answered, type Handler } from './call.ts';

/**
 * Lists the securities of a market; only the name in the language asked for is filled. Whatever trades overnight here
 * trades by day as well, so the category filters nothing.
 * @see reference: HTTP API, section 6.1 and C6
 */
export function securityListHandler(simulation: Pick<Simulation, 'securities'>): Handler<'securityList'> {
  return ({ market }, { language }) => {
    const listed = simulation.securities().filter((security) => marketOf(security.symbol) === market);
    const list = listed.map(({ symbol, names }) => ({
      symbol,
      name_cn: language === 'zh-CN' ? names.zhCn : '',
      name_hk: language === 'zh-HK' ? names.zhHk : '',
      name_en: language === 'en' ? names.en : '',
    }));
    return answered({ list });
  };
}
