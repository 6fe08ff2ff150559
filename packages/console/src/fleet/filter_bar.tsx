import { useFormat, useTranslation } from '../preferences_and_words.tsx';
import { SECTIONS } from '../sections.ts';

const WITHIN_DAYS = [3, 7, 14, 30];
const USE_CASES = ['residential', 'commercial', 'industrial'] as const;

interface FilterBarProps {
  given: URLSearchParams;
  onChange: (values: Readonly<Record<string, string | undefined>>) => void;
  /** The number of tanks that changed since the list was sorted. If it is not 0, a button offers to sort again. */
  changedCount?: number;
  onReorder?: () => void;
}

export function FilterBar({ given, onChange, changedCount = 0, onReorder }: FilterBarProps) {
  const { fleet, today, events } = useTranslation();
  const format = useFormat();
  const section = SECTIONS.find((name) => name === given.get('section'));
  const removable = [
    { name: 'section', text: section === undefined ? null : today.sections[section] },
    { name: 'dip', text: given.has('dip') ? fleet.dipWanted : null },
    { name: 'order', text: given.has('order') ? events['tank.order_due'] : null },
    { name: 'place', text: given.get('place') },
    { name: 'q', text: given.get('q') },
    { name: 'customer', text: given.has('customer') ? fleet.ofCustomer : null },
    { name: 'near', text: given.has('near') ? fleet.nearHere : null },
    { name: 'bbox', text: given.has('bbox') ? fleet.inArea : null },
  ];
  return (
    <div className="filters">
      <label>
        <span className="meta">{fleet.within}</span>
        <select value={given.get('within') ?? ''} onChange={({ target }) => onChange({ within: target.value })}>
          <option value="">{fleet.withinAny}</option>
          {WITHIN_DAYS.map((days) => (
            <option key={days} value={days}>
              {fleet.withinDays(format.days(days))}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span className="meta">{fleet.use}</span>
        <select value={given.get('use') ?? ''} onChange={({ target }) => onChange({ use: target.value })}>
          <option value="">{fleet.useAny}</option>
          {USE_CASES.map((name) => (
            <option key={name} value={name}>
              {fleet.useCases[name]}
            </option>
          ))}
        </select>
      </label>
      {removable.map(
        ({ name, text }) =>
          text !== null && (
            <button
              key={name}
              type="button"
              className="button"
              aria-label={fleet.remove(text)}
              onClick={() => onChange({ [name]: undefined })}
            >
              {text} <span aria-hidden="true">×</span>
            </button>
          ),
      )}
      <span className="changed-note" role="status">
        {changedCount > 0 && (
          <>
            {fleet.changed(changedCount, format.count(changedCount))}{' '}
            <button type="button" className="link" onClick={onReorder}>
              {fleet.show}
            </button>
          </>
        )}
      </span>
    </div>
  );
}
