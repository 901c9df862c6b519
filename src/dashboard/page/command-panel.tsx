import { useId, useRef, useState } from 'preact/hooks';
import type { BotSnapshot } from '../bot-follower.ts';
import type { BotCommand, CommandResult } from '../bot-source.ts';
import type { Consequence } from '../commands.ts';
import { isRunning } from './parts.tsx';
import { ask } from './session.ts';
import { consequenceText, t, type WordKey } from './text.ts';

/** Effects of a command, and the ticket that executes it. */
interface Preview {
  readonly ticket: string;
  readonly consequences: readonly Consequence[];
}

/** One value, so that a button never names another command than that of its ticket. */
interface PreviewedCommand {
  readonly command: BotCommand;
  readonly preview: Preview;
}

const WORD: Readonly<Record<BotCommand['kind'], WordKey>> = {
  halt: 'pause',
  'reduce-only': 'reduce-only',
  resume: 'resume',
  flatten: 'flatten',
  'cancel-all': 'cancel-all',
  settle: 'settle',
};
/** Commands that only a running bot executes; a kill also works on one that died. */
const COMMANDS = ['halt', 'reduce-only', 'resume', 'cancel-all', 'flatten'] as const;
const REASON_MIN = 3;

/** Kills at once; every other command needs a preview and a reason. */
export function CommandPanel({ bot }: { bot: BotSnapshot }) {
  const [shown, setShown] = useState<PreviewedCommand>();
  const asked = useRef<AbortController>(undefined);
  const [result, setResult] = useState('');
  const path = `/api/bots/${encodeURIComponent(bot.name)}`;

  async function attempt(work: () => Promise<string>): Promise<void> {
    setResult(t('working'));
    try {
      setResult(await work());
    } catch (error) {
      setResult(error instanceof Error ? error.message : String(error));
    }
  }

  const kill = (): Promise<void> =>
    attempt(
      async () => (await ask<CommandResult>(`${path}/kill`, { body: { id: crypto.randomUUID() } })).message,
    );
  /** Requests the preview of a command; an earlier request is cancelled. */
  async function look(command: BotCommand): Promise<void> {
    asked.current?.abort();
    const asking = new AbortController();
    asked.current = asking;
    const left = asking.signal;
    setShown(undefined);
    setResult(t('working'));
    try {
      const preview = await ask<Preview>(`${path}/previews`, { body: { command }, left });
      if (left.aborted) return;
      setShown({ command, preview });
      // Keeps the result of a command that was given in the meantime.
      setResult((result) => (result === t('working') ? '' : result));
    } catch (error) {
      if (!left.aborted) setResult(error instanceof Error ? error.message : String(error));
    }
  }
  const give = (ticket: string, reason: string): Promise<void> =>
    attempt(async () => {
      setShown(undefined);
      return (await ask<CommandResult>(`${path}/commands`, { body: { ticket, reason } })).message;
    });

  return (
    <div class="commands">
      <button type="button" class="kill" title={t('kill-title', bot.name)} onClick={kill}>
        {t('kill')}
      </button>
      {(isRunning(bot) ? COMMANDS : []).map((kind) => (
        <button type="button" key={kind} onClick={() => look({ kind })}>
          {t(WORD[kind])}
        </button>
      ))}
      {(isRunning(bot) ? bot.unknownOrders : []).map(({ intentId, terms }) => (
        <SettleForm key={intentId} intentId={intentId} terms={terms} onLook={look} />
      ))}
      <p role="status" class="result">
        {result === '' ? '' : `${t('result')}: ${result}`}
      </p>
      {shown !== undefined && (
        <PreviewForm
          key={shown.preview.ticket}
          word={WORD[shown.command.kind]}
          preview={shown.preview}
          onGive={(reason) => give(shown.preview.ticket, reason)}
          onLeave={() => setShown(undefined)}
        />
      )}
    </div>
  );
}

function PreviewForm({
  word,
  preview,
  onGive,
  onLeave,
}: {
  word: WordKey;
  preview: Preview;
  onGive: (reason: string) => void;
  onLeave: () => void;
}) {
  const [reason, setReason] = useState('');
  const id = useId();
  return (
    <form
      class="preview"
      aria-labelledby={`${id}-title`}
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim().length >= REASON_MIN) onGive(reason.trim());
      }}
      onKeyDown={(event) => event.key === 'Escape' && onLeave()}
    >
      <h2 id={`${id}-title`}>
        {t(word)}: {t('preview')}
      </h2>
      <ul>
        {preview.consequences.map((each) => (
          <li key={`${each.key} ${each.values.join(' ')}`}>{consequenceText(each)}</li>
        ))}
      </ul>
      <label for={`${id}-reason`}>{t('type-reason')}</label>
      <input
        id={`${id}-reason`}
        value={reason}
        maxLength={300}
        autocomplete="off"
        onInput={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <button type="submit" disabled={reason.trim().length < REASON_MIN}>
        {t('do-it', t(word))}
      </button>
      <button type="button" onClick={onLeave}>
        {t('leave')}
      </button>
    </form>
  );
}

function SettleForm({
  intentId,
  terms,
  onLook,
}: {
  intentId: string;
  terms: string;
  onLook: (command: BotCommand) => void;
}) {
  const [kind, setKind] = useState<'dead' | 'filled'>('dead');
  const [quantity, setQuantity] = useState('');
  const [price, setPrice] = useState('');
  const id = useId();
  return (
    <form
      class="settle"
      onSubmit={(event) => {
        event.preventDefault();
        onLook({
          kind: 'settle',
          intentId,
          outcome: kind === 'dead' ? { kind } : { kind, quantity, price },
        });
      }}
    >
      <strong>
        {t('settle')} {intentId}: {terms}
      </strong>
      <label for={`${id}-kind`}>{t('settle-as')}</label>
      <select
        id={`${id}-kind`}
        value={kind}
        onChange={({ currentTarget }) => setKind(currentTarget.value === 'filled' ? 'filled' : 'dead')}
      >
        <option value="dead">{t('settle-dead')}</option>
        <option value="filled">{t('settle-filled')}</option>
      </select>
      {kind === 'filled' && (
        <>
          <label for={`${id}-quantity`}>{t('quantity')}</label>
          <input
            id={`${id}-quantity`}
            inputMode="decimal"
            value={quantity}
            onInput={({ currentTarget }) => setQuantity(currentTarget.value)}
          />
          <label for={`${id}-price`}>{t('price')}</label>
          <input
            id={`${id}-price`}
            inputMode="decimal"
            value={price}
            onInput={({ currentTarget }) => setPrice(currentTarget.value)}
          />
        </>
      )}
      <button type="submit">{t('show-preview')}</button>
    </form>
  );
}
