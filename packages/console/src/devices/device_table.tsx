import type { FleetDevices } from '@tankwatch/client';
import { Link } from 'wouter';
import { useNow } from '../clock.ts';
import { HOUR_MS } from '../format.ts';
import { Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { DEVICE_TEXTS } from '../translations/devices.ts';
import { batteryText } from './battery_text.ts';
import { TakeOn } from './take_on.tsx';

type Device = FleetDevices['devices'][number];

export function DeviceTable({ devices, hasState = false }: { devices: readonly Device[]; hasState?: boolean }) {
  const { words, format } = usePreferences();
  const texts = useTexts(DEVICE_TEXTS);
  const nowMs = useNow();
  const { columns } = texts;
  return (
    <Table
      className="stacked device-table"
      columns={[
        columns.device,
        columns.state,
        columns.heard,
        columns.battery,
        columns.signal,
        columns.tank,
        columns.commissioned,
        null,
      ]}
    >
      {devices.map((device) => {
        const { tank, owner, last_heard_at: heardAt, commissioned_at: putAt, commissioned_by_name: by } = device;
        return (
          <tr key={tank.id}>
            <th scope="row">
              {device.device_id}
              {device.profile !== null && <div className="meta">{device.profile}</div>}
            </th>
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
            <td data-label={columns.battery} className={batteryText(device, format) === '' ? 'nothing' : undefined}>
              {batteryText(device, format)}
              <div className="meta">{batteryOutlook(device)}</div>
            </td>
            <td data-label={columns.signal} className={signalText(device) === '' ? 'nothing' : undefined}>
              {signalText(device)}
              <div className="meta">{signalQuality(device)}</div>
            </td>
            <td data-label={columns.tank}>
              <Link href={`/tanks/${tank.id}`}>{tank.name}</Link>{' '}
              {tank.custom_id !== null && <span className="no">{tank.custom_id}</span>}
              <div className="meta">{[owner.name, tank.city].filter(Boolean).join(' · ')}</div>
            </td>
            <td data-label={columns.commissioned}>
              {by ?? (
                <span className="meta">{device.commissioned_by === null ? texts.byUnknown : texts.personLeft}</span>
              )}
              <div className="meta">{format.dateWithYear(putAt)}</div>
            </td>
            <td className="take-on">
              <TakeOn device={device} nowMs={nowMs} />
            </td>
          </tr>
        );
      })}
    </Table>
  );

  function since(time: string | null): string {
    return time === null ? words.values.unknown : format.longDuration(nowMs - Date.parse(time));
  }

  function troubleText(device: Device): string {
    const { state, last_heard_at, gauge_unreliable_since, commissioned_at, fault, battery_low_since } = device;
    if (state === 'silent') return last_heard_at === null ? texts.states.silent : texts.silentFor(since(last_heard_at));
    if (state === 'gauge_unreliable') return texts.unreliableFor(since(gauge_unreliable_since));
    if (state === 'fault') return fault === null ? texts.states.fault : `${texts.states.fault}: ${fault}`;
    if (state === 'battery_low' && !hasState) return texts.batteryLowFor(since(battery_low_since));
    return state === 'never_heard' ? texts.waitsFor(since(commissioned_at)) : texts.states[state];
  }

  function batteryOutlook({ state, battery_low_since, battery_months_left: left }: Device): string {
    if (battery_low_since !== null && (hasState || state !== 'battery_low'))
      return texts.batteryLowFor(since(battery_low_since));
    return left === null ? '' : texts.monthsLeft(left.min, left.max);
  }

  function signalText({ signal_dbm, signal_percent }: Device): string {
    if (signal_dbm !== null) return `${format.count(signal_dbm).replace('-', '−')} dBm`;
    return signal_percent === null ? '' : format.percent(signal_percent);
  }

  function signalQuality({ signal_dbm: dbm, signal_percent: percent }: Device): string {
    if (dbm === null && percent === null) return '';
    const isAtMost = (maxDbm: number, maxPercent: number): boolean =>
      dbm === null ? (percent ?? 0) <= maxPercent : dbm <= maxDbm;
    if (isAtMost(-115, 20)) return texts.signals.weak;
    return isAtMost(-105, 40) ? texts.signals.fair : texts.signals.good;
  }

  /** "6 hours", and "24 hours" instead of "1 day" up to two days. */
  function interval(ms: number): string {
    return format.longDuration(ms < HOUR_MS ? ms : Math.round(ms / HOUR_MS) * HOUR_MS);
  }
}
