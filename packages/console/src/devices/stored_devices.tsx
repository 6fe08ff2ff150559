import type { StoredDevices } from '@tankwatch/client';
import { queryOptions, type UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../api.ts';
import { useNow } from '../clock.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { DEVICE_TEXTS } from '../translations/devices.ts';
import { batteryText } from './battery_text.ts';

export const storedDevicesQuery = queryOptions({
  queryKey: ['devices', 'in_store'],
  queryFn: ({ signal }) => client.manage.devices.list({ signal }),
});

/** The devices that are not on a tank, each with a link to put it on a tank. */
export function StoredDeviceTable({ stored }: { stored: UseQueryResult<StoredDevices> }) {
  const { format } = usePreferences();
  const { stored: texts, columns, never } = useTexts(DEVICE_TEXTS);
  const nowMs = useNow();
  const { data, error, refetch } = stored;
  if (error !== null) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={6} />;
  if (data.total === 0) return <p className="notice">{texts.none}</p>;
  return (
    <>
      <p className="meta">
        {texts.help}{' '}
        {data.total > data.data.length && texts.more(format.count(data.data.length), format.count(data.total))}
      </p>
      <Table
        className="stacked device-table in-store"
        columns={[columns.device, columns.heard, columns.battery, texts.last, null]}
      >
        {data.data.map((device) => {
          const { device_id: id, heard_at: heardAt, taken_off_at: offAt, last_tank: tank } = device;
          return (
            <tr key={id}>
              <th scope="row">
                {id}
                {device.profile !== null && <div className="meta">{device.profile}</div>}
                {device.is_revoked && <div className="meta">{texts.refused}</div>}
              </th>
              <td data-label={columns.heard}>{heardAt === null ? never : format.ago(nowMs - Date.parse(heardAt))}</td>
              <td data-label={columns.battery} className={batteryText(device, format) === '' ? 'nothing' : undefined}>
                {batteryText(device, format)}
              </td>
              <td data-label={texts.last}>
                {tank === null ? (
                  <span className="meta">{offAt === null ? texts.neverOn : texts.gone}</span>
                ) : (
                  <>
                    <Link href={`/tanks/${tank.id}`}>{tank.name}</Link> <span className="no">{tank.custom_id}</span>
                  </>
                )}
                {offAt !== null && <div className="meta">{texts.until(format.dateWithYear(offAt))}</div>}
              </td>
              <td className="take-on">
                <Link
                  className="button small no-print"
                  aria-label={texts.putOf(id)}
                  href={`/commission?device=${encodeURIComponent(id)}`}
                >
                  {texts.put}
                </Link>
              </td>
            </tr>
          );
        })}
      </Table>
    </>
  );
}
