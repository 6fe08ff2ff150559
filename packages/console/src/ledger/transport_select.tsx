import { useQuery } from '@tanstack/react-query';
import { client } from '../api.ts';
import type { FieldAttributes } from '../forms/field.tsx';

interface TransportSelectProps {
  attributes: FieldAttributes;
  kind: 'truck' | 'driver';
  value: string;
  onChange: (id: string) => void;
}

/** The choice of a truck or driver. An archived truck or driver is offered only if the note has it. */
export function TransportSelect({ attributes, kind, value, onChange }: TransportSelectProps) {
  const { data } = useQuery({
    queryKey: ['note-transport', kind],
    queryFn: async ({ signal }) => {
      const { data: items } = await (kind === 'truck'
        ? client.manage.trucks.list({ signal })
        : client.manage.drivers.list({ signal }));
      return items.map(({ id, name, is_archived }) => ({ id, name, is_archived }));
    },
  });
  return (
    <select {...attributes} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="" />
      {(data ?? [])
        .filter(({ id, is_archived: isArchived }) => !isArchived || id === value)
        .map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
    </select>
  );
}
