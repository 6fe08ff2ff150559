import type { Language } from './layout.ts';
import { formatNumber, formatTime } from './translations.ts';

/** Several devices that became silent, or that report again. */
export interface DeviceGroup {
  type: 'tank.device_silent' | 'tank.device_reporting';
  devices: number;
  /** The earliest and the latest of the last readings before the silence, in ISO 8601. */
  silentSince: { first: string; last: string };
}

/** The texts of a mail about several devices, in one language. */
interface DeviceMailTexts {
  subject(group: DeviceGroup): string;
  sentence(group: DeviceGroup): string;
  device(tank: string, customer: string, lastReadingAt: string): string;
  more(devices: number, command: string): string;
}

const ENGLISH: DeviceMailTexts = {
  subject: ({ type, devices, silentSince }) =>
    type === 'tank.device_silent'
      ? `${formatNumber('en', devices)} devices silent since ${formatTime(silentSince.first)}`
      : `${formatNumber('en', devices)} devices report again`,
  sentence: ({ type, devices, silentSince: { first, last } }) =>
    type === 'tank.device_silent'
      ? `${formatNumber('en', devices)} devices are silent. Their last readings are from ${formatTime(first)} to ${formatTime(last)}. The current levels of their tanks are unknown.`
      : `${formatNumber('en', devices)} devices report again. Their last readings before that are from ${formatTime(first)} to ${formatTime(last)}.`,
  device: (tank, customer, lastReadingAt) => `${tank} (${customer}): last reading at ${formatTime(lastReadingAt)}`,
  more: (devices, command) =>
    `${formatNumber('en', devices)} more devices are not listed here. To list all of them, your operator can run: ${command}`,
};

const SPANISH: DeviceMailTexts = {
  subject: ({ type, devices, silentSince }) =>
    type === 'tank.device_silent'
      ? `${formatNumber('es', devices)} dispositivos sin enviar lecturas desde el ${formatTime(silentSince.first)}`
      : `${formatNumber('es', devices)} dispositivos vuelven a enviar lecturas`,
  sentence: ({ type, devices, silentSince: { first, last } }) =>
    type === 'tank.device_silent'
      ? `${formatNumber('es', devices)} dispositivos no envían lecturas. Sus últimas lecturas son del ${formatTime(first)} al ${formatTime(last)}. Se desconoce el nivel actual de sus tanques.`
      : `${formatNumber('es', devices)} dispositivos vuelven a enviar lecturas. Sus últimas lecturas anteriores son del ${formatTime(first)} al ${formatTime(last)}.`,
  device: (tank, customer, lastReadingAt) => `${tank} (${customer}): última lectura el ${formatTime(lastReadingAt)}`,
  more: (devices, command) =>
    `Hay ${formatNumber('es', devices)} dispositivos más que no se muestran aquí. Para verlos todos, su operador puede ejecutar: ${command}`,
};

export const DEVICE_MAIL_TEXTS: Readonly<Record<Language, DeviceMailTexts>> = { en: ENGLISH, es: SPANISH };
