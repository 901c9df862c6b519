import type { LogLine } from '../bot-follower.ts';
import { figure } from './format.ts';
import { language } from './text.ts';

/** A name in English, in simplified and in traditional Chinese. */
type Names = readonly [english: string, mainland: string, hongKong: string];

/** Statuses of the venue, steps of a submit, pending changes, sides, and origins of gate changes. */
const STATUSES: Readonly<Record<string, Names>> = {
  NotReported: ['not at the exchange yet', '未报', '未報'],
  ReplacedNotReported: ['replaced, not at the exchange yet', '已改未报', '已改未報'],
  ProtectedNotReported: ['protected, not at the exchange yet', '保价未报', '保價未報'],
  VarietiesNotReported: ['waits for its trigger', '条件待触发', '條件待觸發'],
  WaitToNew: ['on its way to the exchange', '待报', '待報'],
  NewStatus: ['working', '已报', '已報'],
  PartialFilledStatus: ['partly filled', '部分成交', '部分成交'],
  WaitToReplace: ['replace on its way', '待改', '待改'],
  PendingReplaceStatus: ['replace at the exchange', '正在改单', '正在改單'],
  ReplacedStatus: ['replaced', '已改单', '已改單'],
  WaitToCancel: ['cancel on its way', '待撤', '待撤'],
  PendingCancelStatus: ['cancel at the exchange', '正在撤单', '正在撤單'],
  FilledStatus: ['filled', '已成交', '已成交'],
  RejectedStatus: ['rejected', '已拒绝', '已拒絕'],
  CanceledStatus: ['cancelled', '已撤单', '已撤單'],
  ExpiredStatus: ['expired', '已过期', '已過期'],
  PartialWithdrawal: ['partly filled, the rest cancelled', '部分撤单', '部分撤單'],
  unrecognised: ['status that is not known', '未知状态', '未知狀態'],
  none: ['accepted', '已接受', '已接受'],
  drafted: ['wanted', '待风控', '待風控'],
  armed: ['approved', '已批准', '已批准'],
  sending: ['being sent', '发送中', '發送中'],
  unknown: ['outcome unknown', '结果未知', '結果未知'],
  abandoned: ['not found at the venue', '券商查无此单', '券商查無此單'],
  'cancel-sending': ['cancel being sent', '撤单发送中', '撤單發送中'],
  'cancel-unknown': ['outcome of its cancel unknown', '撤单结果未知', '撤單結果未知'],
  'cancel-acked': ['cancel accepted', '撤单已接受', '撤單已接受'],
  'replace-sending': ['replace being sent', '改单发送中', '改單發送中'],
  'replace-unknown': ['outcome of its replace unknown', '改单结果未知', '改單結果未知'],
  'replace-acked': ['replace accepted', '改单已接受', '改單已接受'],
  operator: ['operator', '操作员', '操作員'],
  gate: ['gate', '风控闸', '風控閘'],
  books: ['comparison of the books', '账目核对', '帳目核對'],
  buy: ['buy', '买入', '買入'],
  sell: ['sell', '卖出', '賣出'],
};

/** Rules of the gate and causes of its restrictions; in English, the name of a rule is its id. */
const RULES: Readonly<Record<string, readonly [mainland: string, hongKong: string]>> = {
  'at-auction': ['竞价时段', '競價時段'],
  'books-agree': ['账目一致', '帳目一致'],
  'books-diverged': ['账目不符', '帳目不符'],
  'buy-limit': ['购买力', '購買力'],
  'call-budget': ['调用额度', '呼叫額度'],
  cancelled: ['已撤销', '已撤銷'],
  'close-rate': ['平仓频率', '平倉頻率'],
  'crash-loop': ['反复崩溃', '反覆崩潰'],
  'crossed-book': ['买卖盘交叉', '買賣盤交叉'],
  'daily-loss': ['日内亏损', '日內虧損'],
  drawdown: ['回撤', '回撤'],
  'duplicate-order': ['重复订单', '重複訂單'],
  'estimate-fits': ['估算相符', '估算相符'],
  'gate-state': ['风控闸状态', '風控閘狀態'],
  kill: ['终止', '終止'],
  halt: ['暂停', '暫停'],
  'reduce-only': ['只减仓', '只減倉'],
  resume: ['恢复', '恢復'],
  'known-facts': ['资料齐全', '資料齊全'],
  'known-security': ['已知证券', '已知證券'],
  'less-held': ['持仓不足', '持倉不足'],
  'lot-and-tick': ['手数与价位', '手數與價位'],
  'margin-headroom': ['保证金余量', '保證金餘量'],
  'max-gross-exposure': ['总敞口上限', '總敞口上限'],
  'max-net-exposure': ['净敞口上限', '淨敞口上限'],
  'max-open-orders': ['挂单数上限', '掛單數上限'],
  'max-order-notional': ['单笔金额上限', '單筆金額上限'],
  'max-order-quantity': ['单笔数量上限', '單筆數量上限'],
  'max-position-quantity': ['持仓数量上限', '持倉數量上限'],
  'max-position-weight': ['持仓比重上限', '持倉比重上限'],
  'no-short': ['禁止卖空', '禁止賣空'],
  'opening-stopped': ['停止开仓', '停止開倉'],
  'order-rate': ['下单频率', '落單頻率'],
  'price-collar': ['价格偏离', '價格偏離'],
  'quote-jump': ['行情跳变', '報價跳變'],
  'repeated-breach': ['反复违规', '反覆違規'],
  restart: ['重新启动', '重新啟動'],
  restricted: ['禁止交易', '禁止交易'],
  runaway: ['失控成交', '失控成交'],
  session: ['交易时段', '交易時段'],
  'stale-balance': ['余额过旧', '結餘過舊'],
  'stale-estimate': ['估算过旧', '估算過舊'],
  'stale-margin': ['保证金率过旧', '保證金率過舊'],
  'stale-positions': ['持仓核对过旧', '持倉核對過舊'],
  'stale-quote': ['行情过旧', '報價過舊'],
  'stale-verdict': ['批准过旧', '批准過舊'],
  start: ['启动', '啟動'],
  'symbol-halt': ['个股暂停', '個股暫停'],
  'unheard-quote': ['没有行情', '沒有報價'],
  'unknown-order': ['结果未知的订单', '結果未知的訂單'],
};

/** Limits and numbers that rules check; in English the bot's own names are shown. */
const LIMITS: Readonly<Record<string, readonly [mainland: string, hongKong: string]>> = {
  'open orders': ['挂单数', '掛單數'],
  'orders in a minute': ['一分钟内下单数', '一分鐘內落單數'],
  'orders within a minute': ['一分钟内下单数', '一分鐘內落單數'],
  'fills without an operator': ['无人值守成交数', '無人值守成交數'],
  'fills within 24 h without an operator': ['24 小时无人值守成交数', '24 小時無人值守成交數'],
  breaches: ['违规次数', '違規次數'],
  'loss of the day': ['日内亏损', '日內虧損'],
  drawdown: ['回撤', '回撤'],
  'gross exposure': ['总敞口', '總敞口'],
  'net exposure': ['净敞口', '淨敞口'],
  'position weight': ['持仓比重', '持倉比重'],
  position: ['持仓', '持倉'],
  'order notional': ['订单金额', '訂單金額'],
  'order quantity': ['订单数量', '訂單數量'],
  quantity: ['数量', '數量'],
  'quantity to sell': ['卖出数量', '賣出數量'],
  price: ['价格', '價格'],
  gate: ['风控闸', '風控閘'],
  symbol: ['代码', '代號'],
  opening: ['开仓', '開倉'],
  trading: ['交易状态', '交易狀態'],
  session: ['时段', '時段'],
  'farthest session': ['最远时段', '最遠時段'],
  'unknown orders': ['结果未知的订单', '結果未知的訂單'],
  'best bid': ['买一价', '買一價'],
  'initial margin of the order': ['订单初始保证金', '訂單初始保證金'],
  'calls of opens': ['开仓调用数', '開倉呼叫數'],
  'age of quote': ['行情时间差', '報價時間差'],
  'age of account balance': ['余额时间差', '結餘時間差'],
  'age of comparison of positions': ['持仓核对时间差', '持倉核對時間差'],
  'age of margin ratio': ['保证金率时间差', '保證金率時間差'],
  'age of buy-limit estimate': ['可买估算时间差', '可買估算時間差'],
  'estimate asked for': ['估算所问', '估算所問'],
  'distance of quote from newest close': ['行情与最新收盘价之差', '報價與最新收市價之差'],
  'distance of quote from last believed price': ['行情与上次可信价之差', '報價與上次可信價之差'],
  'distance from quote': ['与行情之差', '與報價之差'],
  'distance from trigger': ['与触发价之差', '與觸發價之差'],
};

/** Translates a status of the journal, `NewStatus, cancel-acked`; unknown ones are shown unchanged. */
export function statusText(status: string): string {
  return status
    .split(', ')
    .map((word) => of(STATUSES, word)?.[column()] ?? word)
    .join(', ');
}

/** Text of a record, with the statuses of the venue translated. */
export function lineText({ kind, text }: Pick<LogLine, 'kind' | 'text'>): string {
  if (kind !== 'order-moved' && kind !== 'foreign-moved') return text;
  return text.replace(/\b[A-Z]\w+\b/g, (word) => statusText(word));
}

/** The name of a rule and, if that is a translation, its id. */
export function ruleText(id: string): string {
  return withId(of(RULES, id), id);
}

/** The name of a rule; in English, its id. */
export function ruleName(id: string): string {
  const index = column();
  return index === 0 ? id : (of(RULES, id)?.[index - 1] ?? id);
}

/** The name of a limit, or of a number that a rule checks. */
export function limitText(name: string): string {
  const names = of(LIMITS, name);
  const index = column();
  if (index === 0) return name;
  return names === undefined ? replacedBy(LIMIT_PATTERNS, name) : (names[index - 1] ?? name);
}

/** Names of numbers that contain a figure or a side. */
const LIMIT_PATTERNS: readonly Pattern[] = [
  [/^same orders within (.+)$/, '$1 内相同订单数', '$1 內相同訂單數'],
  [/^orders to buy it within a minute$/, '一分钟内买入单数', '一分鐘內買入單數'],
  [/^orders to sell it within a minute$/, '一分钟内卖出单数', '一分鐘內賣出單數'],
];

/** Translations of values that a rule checks; other text is shown unchanged. */
const VALUE_PATTERNS: readonly Pattern[] = [
  [/^multiple of (.+)$/, '$1的整数倍', '$1的整數倍'],
  [/^buy limit (.+)$/, '可买 $1', '可買 $1'],
  [/^held and free (.+)$/, '持有且可用 $1', '持有且可用 $1'],
  [/^buy power (.+) less (.+)$/, '购买力 $1 减 $2', '購買力 $1 減 $2'],
  [/^below best ask (.+)$/, '低于卖一价 $1', '低於賣一價 $1'],
  [/^(\d[\d,.]*) orders?$/, '$1 笔', '$1 筆'],
  [/^(\d[\d,.]*) fills?$/, '$1 笔', '$1 筆'],
  [/(\d[\d,.]*) shares?/, '$1 股', '$1 股'],
  [/^buy (?=\S+\.[A-Z]+ )/, '买入 ', '買入 '],
  [/^sell (?=\S+\.[A-Z]+ )/, '卖出 ', '賣出 '],
  [/^any$/, '不限', '不限'],
  [/^regular$/, '常规时段', '常規時段'],
  [/^rth-only$/, '仅常规时段', '僅常規時段'],
];

/** A checked number, or its limit, with thousands separators. */
export function valueText(value: string): string {
  const text = termsText(value);
  return column() === 0 ? text : replacedBy(VALUE_PATTERNS, text);
}

type Pattern = readonly [pattern: RegExp, mainland: string, hongKong: string];

function replacedBy(patterns: readonly Pattern[], text: string): string {
  const index = column();
  return patterns.reduce((sum, [pattern, mainland, hongKong]) => {
    return sum.replace(pattern, index === 1 ? mainland : hongKong);
  }, text);
}

/** Terms of an order with separators in quantity and prices; a code such as `9988.HK` is unchanged. */
export function termsText(terms: string): string {
  return terms.replace(/(?<=\s|^)\d{4,}(?:\.\d+)?(?=[\s,]|$)/g, figure);
}

function withId(names: readonly [string, string] | undefined, id: string): string {
  const index = column();
  return names === undefined || index === 0 ? id : `${names[index - 1]} (${id})`;
}

function column(): 0 | 1 | 2 {
  switch (language.value) {
    case 'en':
      return 0;
    case 'zh-CN':
      return 1;
    case 'zh-HK':
      return 2;
  }
}

/** Returns a table's own entry; a name in a journal may equal a property that every object has. */
function of<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
