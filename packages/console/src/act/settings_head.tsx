import { Link } from 'wouter';
import { useTitle } from '../frame/title.ts';
import { usePreferences } from '../preferences.tsx';
import { useCan } from '../session.ts';
import { MANAGE_WORDS } from '../words/manage_words.ts';
import { SETTINGS_WORDS } from '../words/settings_words.ts';
import '../styles/manage.css';

type PageName = 'settings' | 'people' | 'mails' | 'webhooks' | 'audit' | 'score';

/** The head of every page under Settings. A person sees the pages that the roles allow. */
export function SettingsHead({ page }: { page: PageName }) {
  const { language } = usePreferences();
  const texts = MANAGE_WORDS[language];
  const [canContacts, canWebhooks, canAudit] = [useCan('contacts'), useCan('webhooks'), useCan('audit')];
  useTitle(page === 'settings' ? SETTINGS_WORDS[language].title : texts.tabs[page]);
  const pages: readonly PageName[] = [
    'settings',
    ...(canContacts ? (['people', 'mails'] as const) : []),
    ...(canWebhooks ? (['webhooks'] as const) : []),
    'score',
  ];
  return (
    <>
      <div className="page-head">
        <h1>{SETTINGS_WORDS[language].title}</h1>
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
