import { EnvironmentError } from '../../app/broker/environment-error.ts';
import { isRunning } from '../../app/control/bot-info.ts';
import type { BotStatus } from '../../app/control/bot-status.ts';
import { journaledState } from '../../app/control/journaled-status.ts';
import { requestBot } from '../../app/control/request-bot.ts';
import { type KnownBot, knownBots, namedBot } from '../../app/control/running-bots.ts';
import { byStrictness, markedRestriction, standingOf, withMarkedKill } from '../../model/gate.ts';
import { stampText } from '../../reports/format.ts';
import { orderText, type StatusFacts, statusOf, statusText } from '../../reports/status.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import type { BotFlags } from '../options/bot-options.ts';
import { envLines } from '../output/env-lines.ts';

const ANSWER_MS = 5_000;

/** How a status is printed. */
export interface StatusFlags extends BotFlags {
  readonly env?: boolean;
}

/**
 * Prints the status of a bot. Exit code 5: halted or killed by risk; 1: the bot died or hangs, and the status is from
 * its journal.
 */
export async function showStatus(
  flags: StatusFlags,
  { terminal, project, exit }: CommandContext,
): Promise<void> {
  const { name, facts, head, json, isWell } = await readStatus(project, flags.bot);
  if (flags.env === true) terminal.out(statusEnvironment(name, facts, json));
  else terminal.out(flags.json === true ? `${JSON.stringify(json)}\n` : `${head}${statusText(facts)}`);
  if (facts.gate.state === 'halted' || facts.gate.state === 'killed') exit(EXIT.halted);
  else if (!isWell) exit(EXIT.failedCheck);
}

/** Prints orders whose outcome is unknown; exit code 1 if there are any. */
export async function showUnknown(
  flags: BotFlags,
  { terminal, project, exit }: CommandContext,
): Promise<void> {
  const { facts } = await readStatus(project, flags.bot);
  const { unknownOrders } = facts;
  if (flags.json === true) terminal.out(`${JSON.stringify(unknownOrders)}\n`);
  else if (unknownOrders.length === 0) terminal.out('No order is unknown\n');
  else
    terminal.out(
      `${unknownOrders.map(orderText).join('\n')}\nOnce you know what became of one: "sluice settle ID dead" or "sluice settle ID filled QUANTITY PRICE", with --reason\n`,
    );
  if (unknownOrders.length > 0) exit(EXIT.failedCheck);
}

/** Values of a status for shell scripts. */
function statusEnvironment(name: string, { gate, openOrders, unknownOrders }: StatusFacts, json: StatusJson) {
  return envLines({
    SLUICE_BOT: name,
    SLUICE_BOT_RUNNING: json.running ? 1 : 0,
    SLUICE_BOT_PID: json.pid,
    SLUICE_BOT_MODE: json.mode,
    SLUICE_BOT_GATE: gate.state,
    SLUICE_BOT_GATE_REASON: gate.reason,
    SLUICE_BOT_EQUITY: json.equity?.toFixed(2),
    SLUICE_BOT_CURRENCY: json.currency,
    SLUICE_BOT_OPEN_ORDERS: openOrders.length,
    SLUICE_BOT_UNKNOWN_ORDERS: unknownOrders.length,
  });
}

/** Fields of `--json` in addition to the facts; a bot that does not run provides fewer. */
interface StatusJson extends Partial<Pick<BotStatus, 'pid' | 'mode' | 'equity' | 'currency'>> {
  readonly bot: string;
  readonly running: boolean;
  /** Why a bot does not answer. */
  readonly how?: string;
}

interface ReadStatus {
  readonly name: string;
  readonly facts: StatusFacts;
  /** Lines above the facts. */
  readonly head: string;
  readonly json: StatusJson;
  /** False for a bot that died or hangs. */
  readonly isWell: boolean;
}

async function readStatus(project: string, named: string | undefined): Promise<ReadStatus> {
  const bot = namedOrDefaultBot(project, named);
  const { running, lastRun } = bot;
  if (running === undefined)
    return lastRun !== undefined && lastRun.ended === undefined
      ? fromJournal(bot, died(lastRun.pid))
      : fromJournal(bot, 'does not run', true);
  const answer = await requestBot(bot.path, { request: { kind: 'status' }, timeoutMs: ANSWER_MS });
  if (answer.kind === 'status') return fromBot(bot, answer.status as BotStatus);
  if (answer.kind !== 'silent') {
    const why = 'message' in answer ? answer.message : 'unexpected response to "status"';
    throw new EnvironmentError(`Bot "${bot.name}" (process ${running.pid}) gives no status: ${why}`);
  }
  if (answer.gone || !isRunning(running.pid)) return fromJournal(bot, died(running.pid));
  return fromJournal(
    bot,
    `hangs: process ${running.pid} does not answer (${answer.why}), "sluice kill" works without it`,
  );
}

function died(pid: number): string {
  return `is dead: process ${pid} ended without an orderly stop`;
}

/** Returns the named bot; without a name the only running one, or the newest if none runs. */
export function namedOrDefaultBot(project: string, named: string | undefined): KnownBot {
  const all = knownBots(project);
  const runs = all.some(({ running }) => running !== undefined);
  const [newest] = all;
  return named === undefined && !runs && newest !== undefined ? newest : namedBot(project, named);
}

function fromBot(bot: KnownBot, status: BotStatus): ReadStatus {
  const ages = Object.entries(status.quoteAgesMs).map(
    ([symbol, age]) => `${symbol} ${age === null ? 'no quote yet' : `${(age / 1_000).toFixed(1)} s`}`,
  );
  const head = [
    `bot        ${bot.name}, ${status.mode}, "${status.strategy}" from ${status.config}, process ${status.pid}`,
    `market     ${status.marketTime}`,
    `equity     ${equityText(status)}`,
    ...(status.rates.length === 0 ? [] : [`rates      ${status.rates.map(rateText).join(', ')}`]),
    `quotes     ${ages.join(', ')} old`,
    ...(status.calls === null ? [] : [`calls      ${callsText(status.calls)}`]),
    ...limitLines(status.limits),
    ...(status.alarms ?? []).map(
      ({ code, message, at }) => `alarm      ${stampText(at)}  ${code}: ${message}`,
    ),
    '',
  ].join('\n');
  return {
    name: bot.name,
    facts: status,
    head,
    json: { bot: bot.name, running: true, ...status },
    isWell: true,
  };
}

/** Equity of a running bot, or why it is not known. */
export function equityText({
  equity,
  currency,
  rates,
  unpriced = [],
  quoteAgesMs,
}: Pick<BotStatus, 'equity' | 'currency' | 'rates' | 'unpriced' | 'quoteAgesMs'>): string {
  if (equity !== null) return `${equity.toFixed(2)} ${currency}`;
  const missing = rates.filter(({ rate }) => rate === null).map((each) => each.currency);
  if (missing.length === 0 && unpriced.length > 0) {
    const foreign = unpriced.filter((symbol) => !(symbol in quoteAgesMs));
    return foreign.length === 0
      ? `not known yet: no quote of ${unpriced.join(', ')}, so nothing opens`
      : `not known: no price of ${foreign.join(', ')}, so nothing opens; add the symbol to the config, or close the position at the broker`;
  }
  if (missing.length === 0) return 'not known yet';
  const keys = missing.map((each) => `account.fx.${each}${currency}`).join(', ');
  return `not known: no exchange rate for ${missing.join(', ')}, so nothing opens; add ${keys} to the config`;
}

function rateText({ currency, rate, source, ageMs }: BotStatus['rates'][number]): string {
  if (rate === null) return `${currency} none`;
  return `${currency} ${rate} (${source === 'config' ? 'config' : `venue, ${Math.round((ageMs ?? 0) / 1_000)} s old`})`;
}

function callsText(calls: NonNullable<BotStatus['calls']>): string {
  const { cancel, protect, read, open, others, max, windowMs } = calls;
  const used = cancel + protect + read + open + others;
  const foreign = others === 0 ? '' : `, other processes ${others}`;
  return `${used} of ${max} in ${windowMs / 1_000} s (opens ${open}, reads ${read}, reductions ${protect}, cancels ${cancel}${foreign})`;
}

/** Two lines of limits: counts, and shares of equity. */
function limitLines(limits: BotStatus['limits']): readonly string[] {
  const texts = limits.map(({ name, value, limit }) => `${name} ${value} of ${limit}`);
  const half = Math.ceil(texts.length / 2);
  return [`limits     ${texts.slice(0, half).join(', ')}`, `           ${texts.slice(half).join(', ')}`];
}

function fromJournal(bot: KnownBot, how: string, isWell = false): ReadStatus {
  const { state, strategies, at, killMark } = journaledState(bot.path);
  const facts = statusOf(state, at, strategies);
  const gate =
    killMark === undefined || facts.gate.state === 'killed'
      ? facts.gate
      : standingOf(markedRestriction(killMark));
  const restrictions = byStrictness(withMarkedKill(facts.restrictions, killMark));
  const statusFacts = { ...facts, gate, restrictions };
  const sourceText = at === 0 ? 'its journal is empty' : `status from its journal up to ${stampText(at)}`;
  const head = `bot        ${bot.name}, ${how}; ${sourceText}\n`;
  return {
    name: bot.name,
    facts: statusFacts,
    head,
    json: { bot: bot.name, running: false, how, ...statusFacts },
    isWell,
  };
}
