import type { Formats, Language } from './locale.ts';

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
  heading(group: DeviceGroup): string;
  sentence(group: DeviceGroup): string;
  lastReadings: string;
  /** Null: the mail has a link to all of them. */
  more(devices: number, command: string | null): string;
}

const ENGLISH = ({ number, time }: Formats): DeviceMailTexts => ({
  subject: ({ type, devices, silentSince }) =>
    type === 'tank.device_silent'
      ? `${number(devices)} devices silent since ${time(silentSince.first)}`
      : `${number(devices)} devices report again`,
  heading: ({ type, devices }) =>
    type === 'tank.device_silent' ? `${number(devices)} devices are silent` : `${number(devices)} devices report again`,
  sentence: ({ type, devices, silentSince: { first, last } }) =>
    type === 'tank.device_silent'
      ? `Their last readings are from ${time(first)} to ${time(last)}. The current levels of their tanks are unknown. If many devices are silent at once, check the network first.`
      : `${number(devices)} devices report again. Their last readings before that are from ${time(first)} to ${time(last)}.`,
  lastReadings: 'Last reading before the silence',
  more: (devices, command) =>
    `${number(devices)} more devices are not listed here.${command === null ? '' : ` To list all of them, your operator can run: ${command}`}`,
});

const SPANISH = ({ number, time }: Formats): DeviceMailTexts => ({
  subject: ({ type, devices, silentSince }) =>
    type === 'tank.device_silent'
      ? `${number(devices)} dispositivos sin enviar lecturas desde el ${time(silentSince.first)}`
      : `${number(devices)} dispositivos vuelven a enviar lecturas`,
  heading: ({ type, devices }) =>
    type === 'tank.device_silent'
      ? `${number(devices)} dispositivos no envían lecturas`
      : `${number(devices)} dispositivos vuelven a enviar lecturas`,
  sentence: ({ type, devices, silentSince: { first, last } }) =>
    type === 'tank.device_silent'
      ? `Sus últimas lecturas son del ${time(first)} al ${time(last)}. Se desconoce el nivel actual de sus tanques. Si muchos dejan de enviar a la vez, revise primero la red.`
      : `${number(devices)} dispositivos vuelven a enviar lecturas. Sus últimas lecturas anteriores son del ${time(first)} al ${time(last)}.`,
  lastReadings: 'Última lectura antes del silencio',
  more: (devices, command) =>
    `Hay ${number(devices)} dispositivos más que no se muestran aquí.${command === null ? '' : ` Para verlos todos, su operador puede ejecutar: ${command}`}`,
});

export const DEVICE_MAIL_TEXTS: Readonly<Record<Language, (formats: Formats) => DeviceMailTexts>> = {
  en: ENGLISH,
  es: SPANISH,
};
