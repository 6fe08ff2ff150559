import { USE_CASES } from '@tankwatch/client';
import { Select } from '../forms/select.tsx';
import { Button } from '../parts/button.tsx';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';
import { SECTIONS } from '../sections.ts';

const WITHIN_DAYS = [3, 7, 14, 30];

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
        <Select
          value={given.get('within') ?? ''}
          options={[
            ['', fleet.withinAny],
            ...WITHIN_DAYS.map((days) => [String(days), fleet.withinDays(format.days(days))] as const),
          ]}
          onChange={(within) => onChange({ within })}
        />
      </label>
      <label>
        <span className="meta">{fleet.use}</span>
        <Select
          value={given.get('use') ?? ''}
          options={[['', fleet.useAny], ...USE_CASES.map((name) => [name, fleet.useCases[name]] as const)]}
          onChange={(use) => onChange({ use })}
        />
      </label>
      {removable.map(
        ({ name, text }) =>
          text !== null && (
            <Button key={name} aria-label={fleet.remove(text)} onClick={() => onChange({ [name]: undefined })}>
              {text} <span aria-hidden="true">×</span>
            </Button>
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
