import type { FleetDevices } from '@tankwatch/client';
import { Link } from 'wouter';
import { Select } from '../forms/select.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { DEVICE_TEXTS } from '../translations/devices.ts';

/** Further towns are in a drop-down list. */
const MAX_TOWN_CHIPS = 7;

interface TownsProps extends Pick<FleetDevices, 'cities'> {
  /** Null if no counts are shown, because the list also has devices that are not counted. */
  total: number | null;
  selected: string | undefined;
  hrefOf: (city: string | undefined) => string;
  onChoose: (city: string) => void;
}

export function Towns({ cities, total, selected, hrefOf, onChoose }: TownsProps) {
  const { format } = usePreferences();
  const texts = useTexts(DEVICE_TEXTS);
  const named = cities.filter(({ city }) => city !== '');
  const [chips, others] = [named.slice(0, MAX_TOWN_CHIPS), named.slice(MAX_TOWN_CHIPS)];
  const isElsewhere = selected !== undefined && !chips.some(({ city }) => city === selected);
  return (
    <nav className="chips" aria-label={texts.towns}>
      <Link className="chip" href={hrefOf(undefined)} aria-current={selected === undefined ? 'true' : undefined}>
        {texts.allTowns} {total !== null && <b>{format.count(total)}</b>}
      </Link>
      {chips.map(({ city, devices }) => (
        <Link key={city} className="chip" href={hrefOf(city)} aria-current={city === selected ? 'true' : undefined}>
          {city} {total !== null && <b>{format.count(devices)}</b>}
        </Link>
      ))}
      {(others.length > 0 || isElsewhere) && (
        <Select
          aria-label={texts.moreTowns}
          value={isElsewhere ? selected : ''}
          options={[
            ['', texts.moreTowns],
            ...(isElsewhere && !others.some(({ city }) => city === selected) ? [[selected, selected] as const] : []),
            ...others.map(
              ({ city, devices }) => [city, total === null ? city : `${city} ${format.count(devices)}`] as const,
            ),
          ]}
          onChange={onChoose}
        />
      )}
    </nav>
  );
}

interface CommissionersProps {
  people: FleetDevices['commissioners'];
  hasCounts: boolean;
  selected: string | undefined;
  onChoose: (id: string | undefined) => void;
}

/** The choice of the person who put the devices on their tanks. It includes people who have left. */
export function Commissioners({ people, hasCounts, selected, onChoose }: CommissionersProps) {
  const { format } = usePreferences();
  const texts = useTexts(DEVICE_TEXTS);
  if (people.length === 0 && selected === undefined) return null;
  return (
    <label className="commissioners">
      {texts.commissionedBy}{' '}
      <Select
        value={selected ?? ''}
        options={[
          ['', texts.anybody],
          ...people.map(({ id, name, devices }) => {
            const count = hasCounts && devices > 0 && format.count(devices);
            return [id, [name ?? texts.personLeft, count].filter(Boolean).join(' ')] as const;
          }),
        ]}
        onChange={(id) => onChoose(id || undefined)}
      />
    </label>
  );
}
