import type { DriverEntry, FleetRound, FleetStop } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { client } from '../api.ts';
import { useNow } from '../clock.ts';
import type { VolumeUnit } from '../format.ts';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { RECORD_TEXTS } from '../translations/record_stop.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';

interface EntryHistoryProps {
  round: FleetRound;
  stop: FleetStop;
  unit: VolumeUnit;
}

/** All entries of a stop, the newest first. Entries are never overwritten. */
export function EntryHistory({ round, stop, unit }: EntryHistoryProps) {
  const { format } = usePreferences();
  const texts = useTexts(RECORD_TEXTS);
  const roundTexts = useTexts(ROUND_TEXTS);
  const nowMs = useNow();
  const { data } = useQuery({
    queryKey: ['plan', round.id, 'entries'],
    queryFn: ({ signal }) => client.manage.rounds.driverEntries(round.id, { signal }),
  });
  const entries = (data?.data ?? []).filter((entry) => entry.stop === stop.number).toReversed();
  if (entries.length === 0) return null;
  const driver = round.driver?.name ?? null;
  const whatOf = ({ kind, volume, unit: typed, reason }: DriverEntry): string => {
    if (kind === 'reopened') return roundTexts.reopenStop;
    if (kind === 'delivered') return roundTexts.says.delivered(format.volume(volume ?? 0, typed ?? unit));
    return [roundTexts.says.not_possible, reason === null ? '' : roundTexts.reasons[reason]].filter(Boolean).join(', ');
  };
  const whoOf = ({ recorded_by: by, recorded_by_name: name }: DriverEntry): string =>
    by === null ? (driver ?? texts.theDriver) : texts.recordedBy(name ?? roundTexts.from.person, driver);
  return (
    <section className="earlier-notes">
      <h4>{texts.history}</h4>
      <ul>
        {entries.map((entry) => (
          <li key={entry.id}>
            {whatOf(entry)}
            {entry.note !== null && `, ${texts.noteNumber(entry.note)}`}{' '}
            <span className="meta">{[format.recent(entry.at, nowMs), whoOf(entry)].join(' · ')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
