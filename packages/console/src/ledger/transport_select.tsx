import { useQuery } from '@tanstack/react-query';
import { client } from '../api.ts';
import { SelectField } from '../forms/field.tsx';

interface TransportSelectProps {
  label: string;
  problem: string;
  kind: 'truck' | 'driver';
  value: string;
  onChange: (id: string) => void;
}

/** The choice of a truck or driver. An archived truck or driver is offered only if the note has it. */
export function TransportSelect({ kind, value, ...field }: TransportSelectProps) {
  const { data } = useQuery({
    queryKey: ['note-transport', kind],
    queryFn: async ({ signal }) => {
      const { data: items } = await (kind === 'truck'
        ? client.manage.trucks.list({ signal })
        : client.manage.drivers.list({ signal }));
      return items.map(({ id, name, is_archived }) => ({ id, name, is_archived }));
    },
  });
  const offered = (data ?? []).filter(({ id, is_archived: isArchived }) => !isArchived || id === value);
  return (
    <SelectField
      {...field}
      value={value}
      options={[['', ''], ...offered.map(({ id, name }) => [id, name ?? ''] as const)]}
    />
  );
}
