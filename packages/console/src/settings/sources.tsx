import type { Session } from '../api.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useTexts } from '../preferences.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { SOURCE_TEXTS } from '../translations/sources.ts';
import { NewSource } from './new_source.tsx';
import { SettingsHead } from './settings_head.tsx';
import { useSources } from './source_list.ts';
import { SourcePanel } from './source_panel.tsx';
import '../styles/forms.css';
import '../styles/sources.css';

/** Clouds and brokers that are asked for readings. */
export function SourcesPage({ session }: { session: Session }) {
  const texts = useTexts(SOURCE_TEXTS);
  const { askAdministrator } = useTexts(CHANGE_TEXTS);
  const canChange = session.can.includes('webhooks');
  const { data, error, refetch, readAgain } = useSources({ isEnabled: canChange });
  return (
    <div className="settings sources">
      <SettingsHead page="sources" />
      {!canChange && <p className="notice">{askAdministrator}</p>}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {canChange && data === undefined && error === null && <Skeleton rows={6} />}
      {canChange && (
        <div className="beside">
          <div>
            <p className="meta">{texts.intro}</p>
            {data?.length === 0 && <p className="notice">{texts.noSources}</p>}
            {data?.map((source) => (
              <SourcePanel key={source.id} source={source} readAgain={readAgain} />
            ))}
          </div>
          <div>
            <NewSource onAdded={() => void readAgain()} />
            <section className="panel" aria-labelledby="down-means">
              <h2 id="down-means">{texts.downTitle}</h2>
              <p className="meta">{texts.downMeans}</p>
            </section>
          </div>
        </div>
      )}
    </div>
  );
}
