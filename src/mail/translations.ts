import type { EventData, EventType } from '../alerts/event_types.ts';
import type { Language } from './layout.ts';

/** The texts of an event: the end of a subject line, and a sentence. */
export interface EventTranslation {
  subject: string;
  sentence: string;
}

/** All texts of mails and link pages in one language. */
export interface Translation {
  greeting(name: string): string;
  event<Type extends EventType>(type: Type, data: EventData[Type]): EventTranslation;
  time(iso: string): string;
  tankOf(tank: string, customer: string): string;
  lowFill(tank: string, fill: number, threshold: number): string;
  stillLow(tank: string, threshold: number): string;
  stillLowSubject(tank: string): string;
  lastReading(fill: number, at: string): string;
  sentBy(organization: string): string;
  unsubscribe: string;
  whyReminders: string;
  invitation: { subject(organization: string): string; sentences(organization: string): string[]; button: string };
  disabled: {
    subject: string;
    gone: string;
    failing: string;
    endpoint(host: string): string;
    remedy: string;
  };
  page: {
    verify(email: string, organization: string): string;
    verifyButton: string;
    verified(organization: string): string;
    unsubscribe(organization: string): string;
    unsubscribed: string;
    title: string;
    invalid: string;
  };
}

const ENGLISH: Translation = {
  greeting: (name) => `Hello ${name},`,
  event: describe('en', {
    'tank.low_fill': ({ fill_percentage, threshold_percentage }, format) => ({
      subject: `low, at ${format.percent(fill_percentage)}`,
      sentence: `The tank is at ${format.percent(fill_percentage)}. Its alert threshold is ${format.percent(threshold_percentage)}.`,
    }),
    'tank.fill_recovered': ({ fill_percentage }, format) => ({
      subject: `no longer low, at ${format.percent(fill_percentage)}`,
      sentence: `The tank is above its alert threshold again, at ${format.percent(fill_percentage)}.`,
    }),
    'tank.refilled': ({ before_percentage, after_percentage, delivered_volume, volume_unit }, format) => ({
      subject: `refilled to ${format.percent(after_percentage)}`,
      sentence: `The level rose from ${format.percent(before_percentage)} to ${format.percent(after_percentage)}. About ${format.number(delivered_volume)} ${volume_unit} were delivered.`,
    }),
    'tank.rapid_loss': ({ from_percentage, to_percentage, hours, lost_volume, volume_unit }, format) => ({
      subject: 'possible leak',
      sentence: `The level fell from ${format.percent(from_percentage)} to ${format.percent(to_percentage)} within ${format.number(hours)} hours, about ${format.number(lost_volume)} ${volume_unit}. This is faster than normal use. Please have the tank checked for a leak.`,
    }),
    'tank.device_silent': ({ last_reading_at, silent_for_hours }, format) => ({
      subject: 'device is silent',
      sentence: `The last reading arrived at ${format.time(last_reading_at)}, ${format.number(silent_for_hours)} hours ago. The current level is unknown.`,
    }),
    'tank.device_reporting': ({ silent_since }, format) => ({
      subject: 'device reports again',
      sentence: `The device reports again. It was silent since ${format.time(silent_since)}.`,
    }),
    'tank.gauge_unreliable': ({ reason, since, fill_percentage }, say) => ({
      subject: `its gauge is not reliable`,
      sentence:
        reason === 'stuck_at_limit'
          ? `Its gauge has shown exactly ${say.percent(fill_percentage)} since ${say.time(since)}, which neither use nor a delivery explains. Please have the sensor checked. Such readings raise no alerts.`
          : `The readings of its gauge have contradicted each other since ${say.time(since)}. Please have the sensor checked. Until the readings agree again, they raise no alerts.`,
    }),
    'tank.gauge_reliable': ({ unreliable_since, fill_percentage }, say) => ({
      subject: `its gauge is reliable again`,
      sentence: `Its gauge shows ${say.percent(fill_percentage)} and is reliable again. It was not reliable since ${say.time(unreliable_since)}.`,
    }),
  }),
  time: (iso) => `Time: ${formatTime(iso)}`,
  tankOf: (tank, customer) => `Tank ${tank} of ${customer}:`,
  lowFill: (tank, fill, threshold) =>
    `Your tank ${tank} is at ${formatPercent('en', fill)}. Its alert threshold is ${formatPercent('en', threshold)}.`,
  stillLow: (tank, threshold) => `Your tank ${tank} is still at or below ${formatPercent('en', threshold)}.`,
  stillLowSubject: (tank) => `Reminder: ${tank} is still low`,
  lastReading: (fill, at) => `The last reading was ${formatPercent('en', fill)}, at ${formatTime(at)}.`,
  sentBy: (organization) => `Sent by Tankwatch for ${organization}.`,
  unsubscribe: 'Unsubscribe from reminders',
  whyReminders: 'You get reminders while a tank is low. Use the link above to unsubscribe.',
  invitation: {
    subject: (organization) => `${organization}: please confirm your e-mail address`,
    sentences: (organization) => [
      `${organization} wants to send you an e-mail when one of your tanks is low.`,
      'Please confirm that this is your e-mail address. If you did not expect this e-mail, ignore it.',
    ],
    button: 'Confirm my e-mail address',
  },
  disabled: {
    subject: 'A webhook was disabled',
    gone: 'The endpoint answered with status 410 (Gone).',
    failing: 'The endpoint has not accepted any event for five days.',
    endpoint: (host) => `The webhook to ${host} was disabled and receives no more events.`,
    remedy: 'When the endpoint works again, ask your operator to enable it and to replay the missed events.',
  },
  page: {
    title: 'Tankwatch',
    verify: (email, organization) =>
      `Do you want ${organization} to send e-mails to ${email} when one of your tanks is low?`,
    verifyButton: 'Yes, this is my e-mail address',
    verified: (organization) => `Thank you. ${organization} will send you an e-mail when one of your tanks is low.`,
    unsubscribe: (organization) => `Do you want to stop the reminders from ${organization} about tanks that are low?`,
    unsubscribed: 'You will get no more reminders. You still get one e-mail when a tank becomes low.',
    invalid: 'This link has expired or is incomplete. Please ask for a new one.',
  },
};

const SPANISH: Translation = {
  greeting: (name) => `Hola, ${name}:`,
  event: describe('es', {
    'tank.low_fill': ({ fill_percentage, threshold_percentage }, format) => ({
      subject: `nivel bajo, ${format.percent(fill_percentage)}`,
      sentence: `El tanque está al ${format.percent(fill_percentage)}. Su umbral de alerta es del ${format.percent(threshold_percentage)}.`,
    }),
    'tank.fill_recovered': ({ fill_percentage }, format) => ({
      subject: `nivel recuperado, ${format.percent(fill_percentage)}`,
      sentence: `El tanque vuelve a estar por encima de su umbral de alerta, al ${format.percent(fill_percentage)}.`,
    }),
    'tank.refilled': ({ before_percentage, after_percentage, delivered_volume, volume_unit }, format) => ({
      subject: `recargado al ${format.percent(after_percentage)}`,
      sentence: `El nivel subió del ${format.percent(before_percentage)} al ${format.percent(after_percentage)}. Se entregaron unos ${format.number(delivered_volume)} ${SPANISH_UNITS[volume_unit]}.`,
    }),
    'tank.rapid_loss': ({ from_percentage, to_percentage, hours, lost_volume, volume_unit }, format) => ({
      subject: 'posible fuga',
      sentence: `El nivel bajó del ${format.percent(from_percentage)} al ${format.percent(to_percentage)} en ${format.number(hours)} horas, unos ${format.number(lost_volume)} ${SPANISH_UNITS[volume_unit]}. Es más rápido que el consumo normal. Pida que revisen si hay una fuga.`,
    }),
    'tank.device_silent': ({ last_reading_at, silent_for_hours }, format) => ({
      subject: 'el dispositivo no envía lecturas',
      sentence: `La última lectura llegó el ${format.time(last_reading_at)}, hace ${format.number(silent_for_hours)} horas. Se desconoce el nivel actual.`,
    }),
    'tank.device_reporting': ({ silent_since }, format) => ({
      subject: 'el dispositivo vuelve a enviar lecturas',
      sentence: `El dispositivo vuelve a enviar lecturas. No enviaba ninguna desde el ${format.time(silent_since)}.`,
    }),
    'tank.gauge_unreliable': ({ reason, since, fill_percentage }, say) => ({
      subject: 'su medidor no es fiable',
      sentence:
        reason === 'stuck_at_limit'
          ? `Su medidor muestra exactamente ${say.percent(fill_percentage)} desde ${say.time(since)}, lo que no se explica por el consumo ni por una entrega. Haga revisar el sensor. Estas lecturas no generan alertas.`
          : `Las lecturas de su medidor se contradicen desde ${say.time(since)}. Haga revisar el sensor. Hasta que vuelvan a coincidir, no generan alertas.`,
    }),
    'tank.gauge_reliable': ({ unreliable_since, fill_percentage }, say) => ({
      subject: 'su medidor vuelve a ser fiable',
      sentence: `Su medidor muestra ${say.percent(fill_percentage)} y vuelve a ser fiable. No lo era desde ${say.time(unreliable_since)}.`,
    }),
  }),
  time: (iso) => `Fecha y hora: ${formatTime(iso)}`,
  tankOf: (tank, customer) => `Tanque ${tank} de ${customer}:`,
  lowFill: (tank, fill, threshold) =>
    `Su tanque ${tank} está al ${formatPercent('es', fill)}. Su umbral de alerta es del ${formatPercent('es', threshold)}.`,
  stillLow: (tank, threshold) => `Su tanque ${tank} sigue al ${formatPercent('es', threshold)} o menos.`,
  stillLowSubject: (tank) => `Recordatorio: ${tank} sigue con nivel bajo`,
  lastReading: (fill, at) => `La última lectura fue del ${formatPercent('es', fill)}, el ${formatTime(at)}.`,
  sentBy: (organization) => `Enviado por Tankwatch en nombre de ${organization}.`,
  unsubscribe: 'Dejar de recibir recordatorios',
  whyReminders: 'Recibe recordatorios mientras un tanque tiene nivel bajo. Puede cancelarlos con el enlace de arriba.',
  invitation: {
    subject: (organization) => `${organization}: confirme su correo electrónico`,
    sentences: (organization) => [
      `${organization} quiere avisarle por correo electrónico cuando uno de sus tanques tenga nivel bajo.`,
      'Confirme que esta es su dirección de correo. Si no esperaba este mensaje, ignórelo.',
    ],
    button: 'Confirmar mi dirección',
  },
  disabled: {
    subject: 'Se desactivó un webhook',
    gone: 'El endpoint respondió con el estado 410 (Gone).',
    failing: 'El endpoint no ha aceptado ningún evento en cinco días.',
    endpoint: (host) => `El webhook a ${host} se desactivó y ya no recibe eventos.`,
    remedy: 'Cuando vuelva a funcionar, pida a su operador que lo active y que reenvíe los eventos perdidos.',
  },
  page: {
    title: 'Tankwatch',
    verify: (email, organization) =>
      `¿Desea que ${organization} le avise en ${email} cuando uno de sus tanques tenga nivel bajo?`,
    verifyButton: 'Sí, esta es mi dirección',
    verified: (organization) => `Gracias. ${organization} le avisará cuando uno de sus tanques tenga nivel bajo.`,
    unsubscribe: (organization) =>
      `¿Desea dejar de recibir los recordatorios de ${organization} sobre tanques con nivel bajo?`,
    unsubscribed: 'No recibirá más recordatorios. Le seguiremos avisando una vez cuando un tanque llegue a nivel bajo.',
    invalid: 'Este enlace ha caducado o está incompleto. Solicite uno nuevo.',
  },
};

const SPANISH_UNITS = { liters: 'litros', gallons: 'galones' } as const;

export const TRANSLATIONS: Readonly<Record<Language, Translation>> = { en: ENGLISH, es: SPANISH };

interface Formatters {
  percent(value: number): string;
  number(value: number): string;
  time(iso: string): string;
}

type Descriptions = { [Type in EventType]: (data: EventData[Type], format: Formatters) => EventTranslation };

function describe(language: Language, descriptions: Descriptions): Translation['event'] {
  const formatters: Formatters = {
    percent: (value) => formatPercent(language, value),
    number: (value) => formatNumber(language, value),
    time: (iso) => formatTime(iso),
  };
  return (type, data) => descriptions[type](data, formatters);
}

export const formatNumber = (language: Language, value: number): string =>
  value.toLocaleString(language, { maximumFractionDigits: 1 });

const formatPercent = (language: Language, value: number): string => `${formatNumber(language, value)} %`;

/** To the minute, in UTC, because the reader's time zone is not known. */
export const formatTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
