import { StatusMark } from '../parts/marks.tsx';
import { useTranslation } from '../preferences_and_words.tsx';

const SHOWN = ['losing', 'low', 'soon', 'silent', 'gauge_unreliable'] as const;

/** What the marks of the map mean. */
export function MapLegend() {
  const { map: texts, status } = useTranslation();
  return (
    <ul className="map-legend meta" aria-label={texts.legend}>
      {SHOWN.map((name) => (
        <li key={name}>
          <span className={`map-mark ${name}`} aria-hidden="true">
            <StatusMark status={name} />
          </span>
          {name === 'losing' ? texts.losingAlone : status[name]}
        </li>
      ))}
      <li>
        <span className="map-mark calm" aria-hidden="true" />
        {texts.calm}
      </li>
      <li>
        <span className="map-group" aria-hidden="true" />
        {texts.group}
      </li>
    </ul>
  );
}
