import type { Tx } from '../../db/pool.ts';
import type { EventData, EventReading } from '../../evaluation/pure/alerts/event_types.ts';
import { toLiters } from '../../values/capacity_unit.ts';
import { isManualDevice } from '../../values/manual_device.ts';
import { gaugeCharacteristics } from './gauge_characteristics.ts';

interface EventRow {
  tank_no: number;
  assigned_device_id: string;
  occurred_at: string;
  data: EventData['tank.refilled'];
  readings: readonly EventReading[];
  is_retracted: boolean;
  /** Null if the refill was copied before, or if the tank has no state. */
  encoded_state: string | null;
}

/**
 * Copies the refills of customers since a time from their events, because retention deletes events. The gauge
 * characteristics are those at the first copy, some seconds after the event. A retracted refill is deleted; one whose
 * event has expired stays.
 */
export async function copyRefills(tx: Tx, customerNos: readonly number[], beginsAt: string): Promise<void> {
  const { rows } = await tx.query<EventRow>(
    `select e.tank_no, t.assigned_device_id, e.occurred_at, e.data, e.readings, e.retracted_at is not null as is_retracted,
            case when not exists (select from seen_refills r where r.tank_no = e.tank_no and r.at = e.occurred_at)
              then s.encoded_state end as encoded_state
     from tanks t
     join events e on e.tank_no = t.no and e.type = 'tank.refilled' and e.occurred_at >= $2
     left join tank_states s on s.tank_no = t.no
     where t.owner_no = any ($1) and t.deleted_at is null`,
    [customerNos, beginsAt],
  );
  const retracted = rows.filter(({ is_retracted }) => is_retracted);
  if (retracted.length > 0)
    await tx.query(
      'delete from seen_refills r using unnest($1::int[], $2::timestamptz[]) as e (tank_no, at) where r.tank_no = e.tank_no and r.at = e.at',
      [retracted.map(({ tank_no }) => tank_no), retracted.map(({ occurred_at }) => occurred_at)],
    );
  const valid = rows.filter((row) => !row.is_retracted && !isManualDevice(row.assigned_device_id)).flatMap(refillRow);
  if (valid.length === 0) return;
  // A corrected event changes the data of the refill, but not the gauge characteristics, unless it says that the gauge may be faulty.
  await tx.query(
    `insert into seen_refills as r
     select g.* from json_populate_recordset(null::seen_refills, $1) as g
     on conflict (tank_no, at) do update
     set from_at = excluded.from_at, to_at = excluded.to_at, litres = excluded.litres,
         before_percentage = excluded.before_percentage, after_percentage = excluded.after_percentage,
         capacity_litres = excluded.capacity_litres, is_gauge_reliable = r.is_gauge_reliable and excluded.is_gauge_reliable
     where (r.from_at, r.to_at, r.litres, r.before_percentage, r.after_percentage)
       is distinct from (excluded.from_at, excluded.to_at, excluded.litres, excluded.before_percentage, excluded.after_percentage)
       or r.is_gauge_reliable > excluded.is_gauge_reliable`,
    [JSON.stringify(valid)],
  );
}

function refillRow({ tank_no, occurred_at, data, readings, encoded_state }: EventRow): object[] {
  const points = data.after_percentage - data.before_percentage;
  if (points <= 0) return [];
  const litres = toLiters(data.delivered_volume, data.volume_unit);
  const gauge = gaugeCharacteristics(encoded_state);
  return [
    {
      tank_no,
      at: occurred_at,
      from_at: readings[0]?.created_at ?? occurred_at,
      to_at: readings[1]?.created_at ?? occurred_at,
      litres,
      before_percentage: data.before_percentage,
      after_percentage: data.after_percentage,
      // The capacity with which the event was computed, which may have changed since.
      capacity_litres: (litres / points) * 100,
      noise_points: gauge.noisePoints,
      use_points: gauge.usePointsPerDay,
      cadence_ms: Math.round(gauge.cadenceMs),
      is_gauge_reliable: gauge.isReliable && data.maybe_gauge_fault !== true,
    },
  ];
}
