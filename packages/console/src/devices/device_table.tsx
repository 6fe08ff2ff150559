import type { FleetDevices } from '@tankwatch/client';
import { Link } from 'wouter';
import { useNow } from '../clock.ts';
import { HOUR_MS } from '../format.ts';
import { Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences.tsx';
import { DEVICE_TEXTS } from '../translations/devices.ts';

type Device = FleetDevices['devices'][number];

export function DeviceTable({ devices, hasState = false }: { devices: readonly Device[]; hasState?: boolean }) {
  const { words, format } = usePreferences();
  const texts = useTexts(DEVICE_TEXTS);
  const nowMs = useNow();
  const { columns } = texts;
  return (
    <Table
      className="stacked device-table"
      columns={[columns.device, columns.state, columns.heard, columns.tank, columns.commissioned]}
    >
      {devices.map((device) => {
        const { tank, owner, last_heard_at: heardAt, commissioned_at: since, commissioned_by_name: by } = device;
        return (
          <tr key={tank.id}>
            <th scope="row">{device.device_id}</th>
            <td data-label={columns.state} className={device.state === 'reporting' ? undefined : 'strong'}>
              {hasState && device.state === 'reporting' ? texts.states.reporting : troubleText(device)}
            </td>
            <td data-label={columns.heard}>
              {heardAt === null ? (
                texts.never
              ) : (
                <time dateTime={heardAt} title={format.fullTime(heardAt)}>
                  {format.ago(nowMs - Date.parse(heardAt))}
                </time>
              )}
              <div className="meta">
                {device.usual_interval_hours === null
                  ? heardAt !== null && texts.noInterval
                  : texts.usually(interval(device.usual_interval_hours * HOUR_MS))}
              </div>
            </td>
            <td data-label={columns.tank}>
              <Link href={`/tanks/${tank.id}`}>{tank.name}</Link>{' '}
              {tank.custom_id !== null && <span className="no">{tank.custom_id}</span>}
              <div className="meta">{[owner.name, tank.city].filter(Boolean).join(' · ')}</div>
            </td>
            <td data-label={columns.commissioned}>
              {by ?? <span className="meta">{texts.byUnknown}</span>}
              <div className="meta">{format.dateWithYear(since)}</div>
            </td>
          </tr>
        );
      })}
    </Table>
  );

  function troubleText({ state, last_heard_at, gauge_unreliable_since, commissioned_at }: Device): string {
    const since = (time: string | null): string =>
      time === null ? words.values.unknown : format.longDuration(nowMs - Date.parse(time));
    if (state === 'silent') return texts.silentFor(since(last_heard_at));
    if (state === 'gauge_unreliable') return texts.unreliableFor(since(gauge_unreliable_since));
    return texts.waitsFor(since(commissioned_at));
  }

  /** "6 hours", and "24 hours" instead of "1 day" up to two days. */
  function interval(ms: number): string {
    return format.longDuration(ms < HOUR_MS ? ms : Math.round(ms / HOUR_MS) * HOUR_MS);
  }
}
