import type { TankStatus } from '@tankwatch/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react';
import { searchQuery } from '../frame/search_query.ts';
import { useTranslation } from '../preferences_and_words.tsx';
import { isSearchable } from '../search_words.ts';
import { addressOf } from '../status.ts';
import type { FieldAttributes } from './field.tsx';

/** A tank that was picked, or the text that was typed for a tank: its number or its device. */
export interface PickedTank {
  text: string;
  status: TankStatus | null;
}

interface TankPickerProps {
  attributes: FieldAttributes;
  value: PickedTank;
  onChange: (value: PickedTank) => void;
}

export const pickedTank = (status: TankStatus): PickedTank => ({
  text: [status.tank.name, status.tank.custom_id].filter(Boolean).join(' '),
  status,
});

/** Finds a tank by number, name, customer, address or device, with the same search as the head of the page. */
export function TankPicker({ attributes, value, onChange }: TankPickerProps) {
  const words = useTranslation().search;
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const q = useDeferredValue(value.text.trim());
  const isWanted = isOpen && value.status === null && isSearchable(q);
  const { data } = useQuery({ ...searchQuery(q), enabled: isWanted, placeholderData: keepPreviousData });
  const similar = (isWanted ? data?.similar?.tanks : null) ?? [];
  const found = [...((isWanted ? data?.tanks : null) ?? []), ...similar];
  const pick = (status: TankStatus): void => {
    onChange(pickedTank(status));
    setOpen(false);
    setActive(-1);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const chosen = found[active];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setActive((index) => Math.min(found.length - 1, Math.max(-1, index + (event.key === 'ArrowDown' ? 1 : -1))));
    } else if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault(); // Enter picks a tank, and does not send the form
      pick(chosen);
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <span className="tank-picker">
      <input
        {...attributes}
        type="text"
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
        autoComplete="off"
        value={value.text}
        onChange={({ target }) => {
          onChange({ text: target.value, status: null });
          setActive(-1);
          setOpen(true);
        }}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div className="results" hidden={found.length === 0}>
        <ul id={listId} role="listbox" aria-label={words.tanks}>
          {found.map((status, index) => (
            <li
              key={status.tank.id}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              // The blur of the input would close the list before the click arrives.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => pick(status)}
            >
              <span>
                <b>{pickedTank(status).text}</b>{' '}
                <span className="meta">
                  {[similar.includes(status) && words.similar, status.owner.name, addressOf(status)]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </span>
  );
}
