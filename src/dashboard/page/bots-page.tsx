import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BotRow } from '../bots.ts';
import { setConnection } from './connection.ts';
import { listen } from './live-stream.ts';
import {
  BotGate,
  Equity,
  Gain,
  isKnown,
  ModeBadge,
  OriginBadge,
  oldestQuote,
  readingText,
  Section,
  StateBadge,
  Table,
} from './parts.tsx';
import { botHref } from './place.ts';
import { t } from './text.ts';

const rows = signal<readonly BotRow[] | undefined>(undefined);

/** All bots of the folder. */
export function BotsPage() {
  useEffect(
    () =>
      listen(
        '/api/stream',
        (event, data) => {
          if (event === 'bots') rows.value = data as readonly BotRow[];
        },
        setConnection,
      ),
    [],
  );
  const bots = rows.value;
  if (bots === undefined) return <p class="quiet">{t('loading')}</p>;
  if (bots.length === 0) return <p class="quiet">{t('no-bots')}</p>;
  return (
    <>
      <h1>Sluice</h1>
      <Section title="bots">
        <Table
          label="bots"
          columns={[
            ...(['name', 'mode', 'state', 'gate', 'equity', 'day-profit', 'quote-age'] as const),
            ...(['positions', 'working-orders', 'denials', 'warning'] as const),
          ]}
          rows={bots}
          keyOf={({ name }) => name}
          cells={(bot) => [
            <a key="link" href={botHref(bot.name)}>
              {bot.strategy === '' ? bot.name : bot.strategy}
              <small>{bot.name}</small>
            </a>,
            <>
              <ModeBadge bot={bot} /> <OriginBadge origin={bot.origin} />
            </>,
            <StateBadge key="state" state={bot.state} />,
            isKnown(bot) ? <BotGate key="gate" bot={bot} /> : '—',
            <Equity key="equity" bot={bot} />,
            <Gain key="day" amount={bot.dayProfit} currency={bot.currency} />,
            oldestQuote(bot.quoteAgesMs),
            isKnown(bot) ? bot.positions : '—',
            isKnown(bot) ? ordersText(bot) : '—',
            bot.unread === 0 ? bot.denials : '—',
            bot.fault ?? (bot.unread > 0 ? readingText(bot) : warningText(bot)),
          ]}
        />
      </Section>
    </>
  );
}

/** The newest alarm or the newest record that needs attention, whichever came last. */
function warningText({ alarms: [alarm], warning }: BotRow): string {
  if (alarm === undefined || (warning !== null && warning.at > alarm.at)) return warning?.text ?? '—';
  return `${alarm.code}: ${alarm.message}`;
}

function ordersText({ openOrders, unknownOrders }: BotRow): string {
  return unknownOrders === 0 ? String(openOrders) : `${openOrders} (${t('unknown-orders', unknownOrders)})`;
}
