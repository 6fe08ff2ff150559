import type { NewStop, RoundProposal, TankStatus } from '@tankwatch/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import type { VolumeUnit } from '../format.ts';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { isLosing, nameOf } from '../status.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { ProposedRow, ProposedTable } from './proposed_cells.tsx';
import { Why } from './stop_row.tsx';

type Proposed = RoundProposal['no_forecast'][number];
interface OfferedTank extends Proposed {
  volume?: number;
  detour_km?: number;
}

interface OtherCandidatesProps {
  proposal: RoundProposal;
  /** Tanks on the round. */
  taken: ReadonlySet<string>;
  limit: number;
  onAdd: (stop: NewStop) => void;
}

const SHOWN_TANKS = 8;

/** Tanks that are not on the round: those that must or could be filled, and those without a forecast. */
export function OtherCandidates({ proposal, taken, limit, onAdd }: OtherCandidatesProps) {
  const { format } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  const withoutTaken = <T extends Proposed>(list: readonly T[]): T[] =>
    list.filter(({ tank_id }) => !taken.has(tank_id));
  const must = unplannedMusts(proposal, taken);
  const could: OfferedTank[] = [
    ...withoutTaken(proposal.stops.filter(({ kind }) => kind === 'could')),
    ...withoutTaken(proposal.could),
  ];
  const counts = proposal.not_offered;
  const notOffered = texts.notOffered(
    counts.losing,
    counts.gauge_unreliable,
    counts.planned_elsewhere,
    counts.not_visited,
    counts.other_product,
  );
  const unit = proposal.volume_unit;
  const lists = [
    ['must', texts.mustLeft, texts.mustLeftHelp(format.percent(limit * 100)), must],
    ['could', texts.couldList, texts.couldHelp, could],
    ['added', texts.noForecast, texts.noForecastHelp, withoutTaken(proposal.no_forecast)],
  ] as const;
  return (
    <div className="offered no-print">
      {lists.map(([kind, title, help, tanks]) => (
        <OfferedList key={kind} title={title} help={help} tanks={tanks} kind={kind} unit={unit} onAdd={onAdd} />
      ))}
      <AddAny taken={taken} onAdd={onAdd} />
      {notOffered !== '' && <p className="meta">{texts.notOfferedAre(notOffered)}</p>}
      {!proposal.is_complete && <p className="meta">{texts.incomplete(format.count(proposal.looked_at))}</p>}
    </div>
  );
}

/** Tanks that must be filled and are not on the round, including those beyond the largest number of stops. */
export const unplannedMusts = (proposal: RoundProposal, taken: ReadonlySet<string>): OfferedTank[] =>
  [...proposal.stops.filter(({ kind }) => kind === 'must'), ...proposal.musts_left].filter(
    ({ tank_id }) => !taken.has(tank_id),
  );

interface OfferedListProps {
  title: string;
  help: string;
  tanks: readonly OfferedTank[];
  kind: 'must' | 'could' | 'added';
  unit: VolumeUnit;
  onAdd: (stop: NewStop) => void;
}

function OfferedList({ title, help, tanks, kind, unit, onAdd }: OfferedListProps) {
  const { words, format } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  const [showsAll, setShowsAll] = useState(false);
  if (tanks.length === 0) return null;
  const shown = showsAll ? tanks : tanks.slice(0, SHOWN_TANKS);
  return (
    <section className={`offered-${kind}`}>
      <h2>
        {title} <span className="count">{format.count(tanks.length)}</span> <span className="meta">{help}</span>
      </h2>
      <ProposedTable
        first={texts.addButton}
        why={kind === 'added' ? null : kind === 'could' ? texts.detour : texts.columns.why}
        hasSpace
      >
        {shown.map((tank) => (
          <ProposedRow
            key={tank.tank_id}
            hasSpace
            tank={tank}
            first={<AddButton name={nameOf(tank)} onAdd={() => onAdd({ tank_id: tank.tank_id, kind })} />}
            name={<Link href={`/tanks/${tank.tank_id}`}>{tank.name}</Link>}
            volume={tank.volume === undefined ? '' : format.volume(tank.volume, unit)}
            why={
              kind === 'must' ? (
                <Why kind={kind} chance={tank.chance} />
              ) : (
                tank.detour_km !== undefined && `+${format.distance(tank.detour_km, unit)}`
              )
            }
          />
        ))}
      </ProposedTable>
      {shown.length < tanks.length && (
        <button type="button" className="link" onClick={() => setShowsAll(true)}>
          {words.chips.all} {format.count(tanks.length)}
        </button>
      )}
    </section>
  );
}

function AddButton({ name, onAdd }: { name: string; onAdd: () => void }): ReactNode {
  const texts = useTexts(ROUND_TEXTS);
  return (
    <button type="button" className="icon-button add" aria-label={texts.add(name)} onClick={onAdd}>
      +
    </button>
  );
}

/** Adds a tank that the proposal does not contain, such as the tank of a customer who called. */
function AddAny({ taken, onAdd }: { taken: ReadonlySet<string>; onAdd: (stop: NewStop) => void }) {
  const texts = useTexts(ROUND_TEXTS);
  const { words } = usePreferences();
  const [text, setText] = useState('');
  const query = text.trim();
  const { data } = useQuery({
    queryKey: ['round', 'search', query],
    queryFn: async ({ signal }) => fleet.search(query, { signal }),
    enabled: query.length >= 3,
    placeholderData: keepPreviousData,
  });
  const similar = data?.similar?.tanks ?? [];
  const found: TankStatus[] =
    query.length < 3
      ? []
      : [...(data?.tanks ?? []), ...similar].filter((status) => !taken.has(status.tank.id) && !isLosing(status));
  return (
    <section>
      <h2>{texts.addAny}</h2>
      <input
        type="search"
        aria-label={texts.addAny}
        placeholder={texts.addAnyHint}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {query.length >= 3 && found.length === 0 && data !== undefined && <p className="meta">{words.search.none}</p>}
      <ul className="offered-list">
        {found.map((status) => (
          <li key={status.tank.id}>
            <AddButton
              name={nameOf(status.tank)}
              onAdd={() => {
                onAdd({ tank_id: status.tank.id, kind: 'added' });
                setText('');
              }}
            />
            <span>
              {nameOf(status.tank)}
              <span className="meta block">
                {[similar.includes(status) && words.search.similar, status.owner.name, status.tank.location.city]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
