import { Link } from 'wouter';
import { useTitle } from '../frame/title.ts';
import { useTexts } from '../preferences_and_words.tsx';
import { useCan } from '../session.ts';
import '../styles/settings.css';
import '../styles/tabs.css';
import { SETTINGS_TEXTS } from '../translations/settings.ts';

type PageName = 'settings' | 'people' | 'duty' | 'mails' | 'sources' | 'webhooks' | 'trucks' | 'audit' | 'score';

/** The head of every page of the settings. A person sees the pages that their roles allow. */
export function SettingsHead({ page }: { page: PageName }) {
  const texts = useTexts(SETTINGS_TEXTS);
  const [canContacts, canWebhooks, canAudit] = [useCan('contacts'), useCan('webhooks'), useCan('audit')];
  const canAlerts = useCan('alerts');
  useTitle(page === 'settings' ? texts.title : texts.tabs[page]);
  const pages: readonly PageName[] = [
    'settings',
    ...(canContacts ? (['people'] as const) : []),
    ...(canAlerts ? (['duty'] as const) : []),
    ...(canContacts ? (['mails'] as const) : []),
    ...(canWebhooks ? (['sources', 'webhooks'] as const) : []),
    'trucks',
    'score',
  ];
  return (
    <>
      <div className="page-head">
        <h1>{texts.title}</h1>
        {canAudit && (
          <span className="meta">
            {texts.recorded}{' '}
            <Link href="/audit" aria-current={page === 'audit' ? 'page' : undefined}>
              {texts.whoChanged}
            </Link>
          </span>
        )}
      </div>
      <nav className="tabs" aria-label={texts.tabs.label}>
        {pages.map((name) => (
          <Link key={name} href={`/${name}`} aria-current={name === page ? 'page' : undefined}>
            {texts.tabs[name]}
          </Link>
        ))}
      </nav>
    </>
  );
}
