import type { MailedData } from '../evaluation/pure/alerts/event_types.ts';
import { type Formats, isOneDay, type Language } from './locale.ts';

/** Several devices that became silent, that report again, or whose batteries are low. */
export interface DeviceGroup {
  type: 'tank.device_silent' | 'tank.device_reporting' | 'device.battery_low';
  devices: number;
  /** The earliest and the latest of the last readings before the silence, in ISO 8601. */
  silentSince: { first: string; last: string };
}

const ENGLISH = (formats: Formats) => ({
  subject: ({ type, devices, silentSince }: DeviceGroup) =>
    ({
      'tank.device_silent': `${formats.number(devices)} devices silent since ${formats.time(silentSince.first)}`,
      'tank.device_reporting': `${formats.number(devices)} devices report again`,
      'device.battery_low': `${formats.number(devices)} devices with a low battery`,
    })[type],
  heading: ({ type, devices }: DeviceGroup) =>
    ({
      'tank.device_silent': `${formats.number(devices)} devices are silent`,
      'tank.device_reporting': `${formats.number(devices)} devices report again`,
      'device.battery_low': `${formats.number(devices)} devices with a low battery`,
    })[type],
  sentence: ({ type, devices, silentSince: { first, last } }: DeviceGroup) =>
    ({
      'tank.device_silent': `Their last readings are ${englishPeriod(formats, first, last)}. The current levels of their tanks are unknown. If many devices are silent at once, check the network first.`,
      'tank.device_reporting': `${formats.number(devices)} devices report again. Their last readings before that are ${englishPeriod(formats, first, last)}.`,
      'device.battery_low': 'Replace the batteries before the devices are silent.',
    })[type],
  batteries: 'Battery',
  lastReadings: 'Last reading before the silence',
  more: (devices: number) => `${formats.number(devices)} more devices are not listed here.`,
});

/** The texts of a mail about several devices, in one language. */
type DeviceMailTexts = ReturnType<typeof ENGLISH>;

const SPANISH = (formats: Formats): DeviceMailTexts => ({
  subject: ({ type, devices, silentSince }) =>
    ({
      'tank.device_silent': `${formats.number(devices)} dispositivos sin enviar lecturas desde el ${formats.time(silentSince.first)}`,
      'tank.device_reporting': `${formats.number(devices)} dispositivos vuelven a enviar lecturas`,
      'device.battery_low': `${formats.number(devices)} dispositivos con batería baja`,
    })[type],
  heading: ({ type, devices }) =>
    ({
      'tank.device_silent': `${formats.number(devices)} dispositivos no envían lecturas`,
      'tank.device_reporting': `${formats.number(devices)} dispositivos vuelven a enviar lecturas`,
      'device.battery_low': `${formats.number(devices)} dispositivos con batería baja`,
    })[type],
  sentence: ({ type, devices, silentSince: { first, last } }) =>
    ({
      'tank.device_silent': `Sus últimas lecturas son ${spanishPeriod(formats, first, last)}. Se desconoce el nivel actual de sus tanques. Si muchos dejan de enviar a la vez, revise primero la red.`,
      'tank.device_reporting': `${formats.number(devices)} dispositivos vuelven a enviar lecturas. Sus últimas lecturas anteriores son ${spanishPeriod(formats, first, last)}.`,
      'device.battery_low': 'Cambie las baterías antes de que los dispositivos dejen de enviar.',
    })[type],
  batteries: 'Batería',
  lastReadings: 'Última lectura antes del silencio',
  more: (devices) => `Hay ${formats.number(devices)} dispositivos más que no se muestran aquí.`,
});

/** Returns `before`, followed by the reported level of a battery; empty if the device reports only that it is low. */
export function batteryText(
  { battery_percent, battery_v }: MailedData['device.battery_low'],
  formats: Formats,
  before = '',
): string {
  if (battery_percent !== null) return `${before}${formats.percent(battery_percent)}`;
  return battery_v === null ? '' : `${before}${formats.number(battery_v)} V`;
}

/** Writes the day only once if both times are on the same day. */
const englishPeriod = (formats: Formats, first: string, last: string): string => {
  const from = `from ${formats.time(first)}`;
  if (formats.time(first) === formats.time(last)) return from;
  return `${from} to ${isOneDay(formats, first, last) ? formats.clock(last) : formats.time(last)}`;
};

const spanishPeriod = (formats: Formats, first: string, last: string): string => {
  if (formats.time(first) === formats.time(last)) return `del ${formats.time(first)}`;
  if (!isOneDay(formats, first, last)) return `del ${formats.time(first)} al ${formats.time(last)}`;
  return `del ${formats.date(first)}, de ${formats.clock(first)} a ${formats.clock(last)}`;
};

export const DEVICE_MAIL_TEXTS: Readonly<Record<Language, (formats: Formats) => DeviceMailTexts>> = {
  en: ENGLISH,
  es: SPANISH,
};
