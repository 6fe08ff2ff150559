import type { Depot, Driver, Truck } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { client } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useReadAgain } from '../change/read_again.ts';
import { useChange } from '../change/use_change.ts';
import { PercentageField } from '../forms/percentage_field.tsx';
import { Button } from '../parts/button.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { numeric, Table } from '../parts/table.tsx';
import { clampFillTo, usePreferences, useTexts } from '../preferences_and_words.tsx';
import { DriverForm, TruckForm } from '../rounds/transport_forms.tsx';
import { useCan } from '../session.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { TRUCK_TEXTS } from '../translations/trucks.ts';
import { SettingsHead } from './settings_head.tsx';
import '../styles/rounds.css';

/** What rounds are planned with: the limits in this browser, and the trucks and drivers of the organization. */
export function TrucksPage() {
  const { fillTo, mustAbove, change } = usePreferences();
  const texts = useTexts(TRUCK_TEXTS);
  const canPlan = useCan('deliveries');
  return (
    <div className="settings">
      <SettingsHead page="trucks" />
      <section aria-labelledby="limits">
        <h2 id="limits">{texts.limits}</h2>
        <div className="filters">
          <PercentageField
            label={texts.fillTo}
            value={fillTo}
            onChange={(value) => change({ fillTo: clampFillTo(value) })}
          />
          {canPlan && (
            <PercentageField
              label={texts.mustAbove}
              value={mustAbove}
              onChange={(value) => change({ mustAbove: value })}
            />
          )}
        </div>
        <p className="meta">{canPlan ? texts.limitsHelp : texts.fillToHelp}</p>
      </section>
      {canPlan && <Transport />}
    </div>
  );
}

function Transport() {
  const { format } = usePreferences();
  const roundTexts = useTexts(ROUND_TEXTS);
  const texts = useTexts(TRUCK_TEXTS);
  const { data, error, refetch } = useQuery({
    queryKey: ['transport', 'all'],
    queryFn: async ({ signal }) => {
      const { trucks, drivers, depots } = client.manage;
      const lists = await Promise.all([trucks.list({ signal }), drivers.list({ signal }), depots.list({ signal })]);
      return { trucks: lists[0].data, drivers: lists[1].data, depots: lists[2].data };
    },
  });
  if (error !== null) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={6} />;
  const depotOf = ({ depot_id: id }: Truck): Depot | undefined => data.depots.find((depot) => depot.id === id);
  return (
    <>
      <TransportList
        title={texts.trucks}
        columns={[roundTexts.truckName, numeric(roundTexts.capacity), roundTexts.depot, '']}
      >
        {data.trucks.map((truck) => (
          <tr key={truck.id} className={truck.is_archived ? 'old' : undefined}>
            <th scope="row">{truck.name}</th>
            <td className="number">{format.volume(truck.capacity, truck.capacity_unit)}</td>
            <td>{depotOf(truck)?.name}</td>
            <td>
              <Archive kind="trucks" item={truck} />
            </td>
          </tr>
        ))}
      </TransportList>
      <TruckForm depots={data.depots.filter(({ is_archived: isArchived }) => !isArchived)} />
      <TransportList title={texts.drivers} columns={[roundTexts.driverName, roundTexts.driverPhone, '']}>
        {data.drivers.map((driver) => (
          <tr key={driver.id} className={driver.is_archived ? 'old' : undefined}>
            <th scope="row">{driver.name}</th>
            <td>{driver.phone}</td>
            <td>
              <Archive kind="drivers" item={driver} />
            </td>
          </tr>
        ))}
      </TransportList>
      <DriverForm />
    </>
  );
}

interface TransportListProps {
  title: string;
  columns: Parameters<typeof Table>[0]['columns'];
  children: readonly ReactNode[];
}

function TransportList({ title, columns, children }: TransportListProps) {
  const texts = useTexts(TRUCK_TEXTS);
  return (
    <section>
      <h2>{title}</h2>
      {children.length === 0 ? (
        <p className="meta">{texts.none}</p>
      ) : (
        <Table className="narrow-table" columns={columns}>
          {children}
        </Table>
      )}
    </section>
  );
}

/** Archives a truck or driver, or restores it. An archived one is not offered for new rounds; its rounds keep it. */
function Archive({ kind, item }: { kind: 'trucks' | 'drivers'; item: Truck | Driver }) {
  const texts = useTexts(TRUCK_TEXTS);
  const roundTexts = useTexts(ROUND_TEXTS);
  const change = useChange(useReadAgain(['transport']));
  const toggle = (): void =>
    change.begin({
      method: 'PATCH',
      path: `/${kind}/${item.id}`,
      body: { is_archived: !item.is_archived },
      ifMatch: item.etag,
      label: item.name ?? '',
    });
  return (
    <>
      <Button className="small" disabled={change.isBusy} onClick={toggle}>
        {item.is_archived ? texts.restore : texts.archive}
      </Button>
      <ChangeNotice change={change} conflict={() => roundTexts.conflicts.name} changed={texts.changed} />
    </>
  );
}
