import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { BotPage } from './bot-page.tsx';
import { BotsPage } from './bots-page.tsx';
import { connection } from './connection.ts';
import { OrderPage } from './order-page.tsx';
import { PipelinePage } from './pipeline-page.tsx';
import { type Place, place } from './place.ts';
import { RunsPage } from './runs-page.tsx';
import { loginProblem, right, signIn, signOut } from './session.ts';
import { LANGUAGES, type Language, language, setLanguage, t } from './text.ts';

function Dashboard() {
  const where = place.value;
  useEffect(() => document.getElementById('content')?.focus(), [where.kind]);
  return (
    <>
      <nav aria-label="Sluice">
        <a class="skip" href={location.hash} onClick={skipToContent}>
          {t('skip')}
        </a>
        <a href="#/" aria-current={where.kind === 'bots' ? 'page' : undefined}>
          Sluice · {t('bots')}
        </a>
        <a href="#/runs" aria-current={where.kind === 'runs' ? 'page' : undefined}>
          {t('runs')}
        </a>
        <LanguageChoice />
        {right.value !== undefined && (
          <button type="button" onClick={() => void signOut()}>
            {t('sign-out')}
          </button>
        )}
      </nav>
      {connection.value !== 'live' && right.value !== undefined && (
        <p role="alert" class="lost">
          {t(`connection-${connection.value}`)}
        </p>
      )}
      <main id="content" tabIndex={-1}>
        {right.value === undefined ? <SignedOut /> : <Page where={where} />}
      </main>
    </>
  );
}

function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function Page({ where }: { where: Place }) {
  switch (where.kind) {
    case 'bots':
      return <BotsPage />;
    case 'bot':
      return <BotPage key={`${where.bot} ${where.at}`} name={where.bot} at={where.at} />;
    case 'runs':
      return <RunsPage />;
    case 'pipeline':
      return (
        <PipelinePage
          key={`${where.bot} ${where.at} ${where.box}`}
          name={where.bot}
          at={where.at}
          box={where.box}
        />
      );
    case 'order':
      return <OrderPage key={`${where.bot} ${where.order}`} bot={where.bot} order={where.order} />;
  }
}

function SignedOut() {
  return (
    <>
      <h1>{t('signed-out')}</h1>
      <p>{t('signed-out-how')}</p>
      {loginProblem.value !== '' && <p role="alert">{loginProblem.value}</p>}
    </>
  );
}

function LanguageChoice() {
  return (
    <select
      class="end"
      aria-label={t('language')}
      value={language.value}
      onChange={({ currentTarget }) => setLanguage(currentTarget.value as Language)}
    >
      {Object.entries(LANGUAGES).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}

// A new login link that is opened in this tab changes only the part after "#", which does not load the page again.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#login=')) location.reload();
});

const app = document.getElementById('app');
if (app !== null) {
  document.documentElement.lang = language.value;
  void signIn().then(() => render(<Dashboard />, app));
}
