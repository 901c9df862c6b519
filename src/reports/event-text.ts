import type { SluiceEvent } from '../events/event.ts';
import type { OrderLink } from '../model/algorithm.ts';
import type { StateNote } from '../model/kept-state.ts';
import { plural } from '../model/plural.ts';
import { printable } from '../model/printable.ts';
import { unreachable } from '../model/unreachable.ts';
import { specText } from './algorithm-text.ts';
import { stampText } from './format.ts';
import { termsText } from './terms-text.ts';

/** Formats a journaled event as one line, without its time. */
export function eventText(event: SluiceEvent): string {
  switch (event.kind) {
    case 'run-started':
      return `run of "${event.strategy}" from ${event.config} started with ${cashText(event.cash)}`;
    case 'intent-drafted':
      return `${ownerText(event)}wants to ${termsText(event.terms)} (${event.reason})${linkText(event.link)}`;
    case 'intent-denied':
      return `denied by ${event.rule}: ${event.reason}`;
    case 'intent-armed':
      return `approved${event.quantity === undefined ? '' : ` for ${event.quantity}`}, ${event.numbers.map((number) => `${number.name} ${number.value} (limit ${number.limit})`).join('; ')}`;
    case 'submit-sending':
      return `attempt ${event.attempt} of the submit on disk, about to be sent`;
    case 'submit-acked':
      return `accepted by the venue as order ${event.orderId}, known by ${event.by}`;
    case 'submit-refused':
      return `refused by the venue with ${event.code}: ${event.message}`;
    case 'submit-not-sent':
      return `not sent, no byte left: ${event.message}`;
    case 'submit-unknown':
      return `no answer that proves anything, not sent again: ${event.message}`;
    case 'submit-abandoned':
      return `not found in ${event.reads} listings, never sent again, its money stays reserved`;
    case 'order-moved':
      return `${event.rawStatus}, ${event.executedQuantity} executed${event.message === '' ? '' : `: ${event.message}`}`;
    case 'order-filled': {
      const { side, quantity, price, currency, fee, executionId, time } = event.fill;
      return `filled: ${side} ${quantity} at ${price} ${currency}, charged ${fee}, at ${stampText(time)} UTC, execution ${executionId}`;
    }
    case 'order-doubled':
      return `order ${event.orderId} carries the same tag, one too many`;
    case 'cancel-asked':
      return 'to be cancelled as soon as the venue gave it an id';
    case 'cancel-sending':
      return 'cancel on disk, about to be sent';
    case 'replace-sending':
      return `replace on disk, about to be sent: ${termsText(event.terms)}`;
    case 'replace-answered':
      return `replace ${event.answer}${event.message === '' ? '' : `: ${event.message}`}`;
    case 'replace-read':
      return `the venue holds it as ${termsText(event.terms)}`;
    case 'replace-denied':
      return `new terms denied by ${event.rule}: ${event.reason}`;
    case 'cancel-answered':
      return `cancel ${event.answer}${event.message === '' ? '' : `: ${event.message}`}`;
    case 'algorithm-started':
      return `${ownerText(event)}algorithm ${event.algorithmId} started: ${specText(event.spec)} (${event.reason})`;
    case 'intent-held':
      return 'waits until the exits of the position that it closes are cancelled';
    case 'algorithm-withdrew':
      return `algorithm ${event.algorithmId} takes it back: ${event.why}`;
    case 'algorithm-ended':
      return `algorithm ${event.algorithmId} ${event.outcome}: ${event.why}`;
    case 'gate-moved':
      return `gate ${event.state} by ${event.by}, ${event.rule}${event.reason === '' ? '' : `: ${event.reason}`}`;
    case 'equity-peaked':
      return `equity at its peak so far, ${event.equity}`;
    case 'operator-commanded': {
      const action = `${event.by} ${event.taken ? 'sent' : 'was refused'} ${event.command}`;
      return [action, event.reason, event.message].filter((part) => part !== '').join(': ');
    }
    case 'flatten-changed': {
      const { symbols, offset } = event;
      const closes =
        symbols.length === 0
          ? 'the flatten ended'
          : `a flatten closes the positions in ${symbols.join(', ')}`;
      return offset === undefined
        ? closes
        : `opposite positions of strategies in ${offset.symbol} are closed at ${offset.price}; ${closes}`;
    }
    case 'symbol-halted':
      return `nothing more is opened in ${event.symbol}, ${event.rule}: ${event.reason}`;
    case 'state-kept':
      return noteText(event.note);
    case 'strategy-failed':
      return `strategy ${ownerText(event)}failed: ${event.message}`;
    case 'run-ended':
      return `run ended: ${event.reason}${event.message === '' ? '' : `, ${event.message}`}`;
    case 'lease-taken':
      return `start ${event.epoch} of this journal, version ${event.version}, config ${event.configHash.slice(0, 12)}`;
    case 'journal-carried':
      return `continues from ${plural(event.records, 'record')}, archived in ${event.archive}`;
    case 'order-charged':
      return `charged ${event.fee} ${event.currency} beyond its fills`;
    case 'foreign-charged':
      return `order ${event.orderId}, not ours, charged ${event.fee} ${event.currency} beyond its fills`;
    case 'foreign-moved':
      return `order ${event.orderId}, not ours: ${termsText(event.terms)}, ${event.rawStatus}, ${event.executedQuantity} executed`;
    case 'foreign-filled': {
      const { side, quantity, price, currency, fee, orderId, symbol } = event.fill;
      return `order ${orderId}, not ours, filled: ${side} ${quantity} ${symbol} at ${price} ${currency}, charged ${fee}`;
    }
    case 'corporate-action': {
      const { action, symbol, quantity, amount, currency } = event;
      return `${action} of ${symbol}: ${plural(quantity, 'share')}, ${amount} ${currency}`;
    }
    case 'interest-booked': {
      const { move, currency, amount, symbol } = event;
      return `${move}${symbol === undefined ? '' : ` of ${symbol}`}: ${amount} ${currency}`;
    }
    case 'books-adopted':
      return `books set to the venue's by ${event.by}: ${event.reason}; cash ${cashText(event.cash)}`;
    case 'order-settled': {
      const filled = event.price === undefined ? '' : ` ${event.quantity} at ${event.price}`;
      return `settled as ${event.outcome}${filled} by ${event.by}: ${event.reason}`;
    }
    default:
      return unreachable(event);
  }
}

/** Name of the strategy; empty in a bot with one. */
function ownerText({ strategy }: { readonly strategy?: string }): string {
  return strategy === undefined ? '' : `"${strategy}" `;
}

function cashText(cash: Readonly<Record<string, { toString(): string }>>): string {
  return Object.entries(cash)
    .map(([currency, amount]) => `${amount} ${currency}`)
    .join(', ');
}

/** Longest state that is shown completely, in characters. */
const STATE_SHOWN = 500;

function noteText({ strategy, state, told }: StateNote): string {
  if (state === undefined) return `strategy "${strategy}" has answered execution ${told}`;
  const text = state.text.length > STATE_SHOWN ? `${state.text.slice(0, STATE_SHOWN)}...` : state.text;
  return `strategy "${strategy}" remembers ${printable(text)} (version ${state.version})`;
}

function linkText(link: OrderLink | undefined): string {
  return link === undefined ? '' : `, ${link.slot} of algorithm ${link.algorithm}`;
}
