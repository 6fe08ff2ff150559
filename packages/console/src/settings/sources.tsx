import type { Session } from '../api.ts';
import { Panel } from '../parts/panel.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { SOURCE_TEXTS } from '../translations/sources.ts';
import { canManage, ManagedPage } from './managed_page.tsx';
import { NewSource } from './new_source.tsx';
import { useSources } from './source_list.ts';
import { SourcePanel } from './source_panel.tsx';
import '../styles/sources.css';

/** Clouds and brokers that are asked for readings, weather services, and brokers that get levels. */
export function SourcesPage({ session }: { session: Session }) {
  const texts = useTexts(SOURCE_TEXTS);
  const canChange = canManage(session);
  const { readAgain, ...list } = useSources({ isEnabled: canChange });
  return (
    <ManagedPage
      page="sources"
      canChange={canChange}
      list={list}
      intro={texts.intro}
      none={texts.noSources}
      item={(source) => <SourcePanel key={source.id} source={source} readAgain={readAgain} />}
    >
      <NewSource onAdded={() => void readAgain()} />
      <Panel id="down-means" title={texts.downTitle}>
        <p className="meta">{texts.downMeans}</p>
        <ul className="bar-legend meta">
          {(['worked', 'failed', 'waited'] as const).map((state) => (
            <li key={state}>
              <span className={`bar ${state}`} aria-hidden="true" /> {texts.hours.legend[state]}
            </li>
          ))}
        </ul>
      </Panel>
    </ManagedPage>
  );
}
