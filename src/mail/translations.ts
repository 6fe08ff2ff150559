import type { EventData, EventType } from '../alerts/event_types.ts';
import type { Language } from './layout.ts';

/** What an event is called in a subject, and said in a sentence. */
export interface EventTranslation {
  subject: string;
  sentence: string;
}

/** Everything we say to people outside, in one language. */
export interface Translation {
  greeting(name: string): string;
  event<Type extends EventType>(type: Type, data: EventData[Type]): EventTranslation;
  time(iso: string): string;
  ofTank(tank: string, customer: string): string;
  threshold(tank: string, fill: number, threshold: number): string;
  stillLow(tank: string, threshold: number): string;
  stillLowSubject(tank: string): string;
  lastReading(fill: number, at: string): string;
  from(organization: string): string;
  unsubscribe: string;
  remindersEnd: string;
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
    'tank.low_fill': ({ fill_percentage, threshold_percentage }, say) => ({
      subject: `low, at ${say.percent(fill_percentage)}`,
      sentence: `It is at ${say.percent(fill_percentage)}; its threshold is ${say.percent(threshold_percentage)}.`,
    }),
    'tank.fill_recovered': ({ fill_percentage }, say) => ({
      subject: `no longer low, at ${say.percent(fill_percentage)}`,
      sentence: `It is above its threshold again, at ${say.percent(fill_percentage)}.`,
    }),
    'tank.refilled': ({ before_percentage, after_percentage, delivered_volume, volume_unit }, say) => ({
      subject: `refilled to ${say.percent(after_percentage)}`,
      sentence: `It went from ${say.percent(before_percentage)} to ${say.percent(after_percentage)}: about ${say.number(delivered_volume)} ${volume_unit} were delivered.`,
    }),
    'tank.rapid_loss': ({ from_percentage, to_percentage, hours, lost_volume, volume_unit }, say) => ({
      subject: `losing gas fast`,
      sentence: `It went from ${say.percent(from_percentage)} to ${say.percent(to_percentage)} within ${say.number(hours)} hours: about ${say.number(lost_volume)} ${volume_unit}, faster than any plausible use. Please have it checked for a leak.`,
    }),
    'tank.device_silent': ({ last_reading_at, silent_for_hours }, say) => ({
      subject: `its device is silent`,
      sentence: `Its device was last heard of at ${say.time(last_reading_at)}, ${say.number(silent_for_hours)} hours ago. What is in the tank now is not known.`,
    }),
    'tank.device_reporting': ({ silent_since }, say) => ({
      subject: `its device reports again`,
      sentence: `Its device reports again, after it had been silent since ${say.time(silent_since)}.`,
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
  time: (iso) => timeOf(iso),
  ofTank: (tank, customer) => `This is about the tank ${tank} of ${customer}.`,
  threshold: (tank, fill, threshold) =>
    `Your tank ${tank} is at ${percentOf('en', fill)}. You asked to be told at ${percentOf('en', threshold)} or below.`,
  stillLow: (tank, threshold) => `Your tank ${tank} is still at or below ${percentOf('en', threshold)}.`,
  stillLowSubject: (tank) => `Reminder: ${tank} is still low`,
  lastReading: (fill, at) => `The last reading was ${percentOf('en', fill)}, at ${timeOf(at)}.`,
  from: (organization) => `Sent by Tankwatch for ${organization}.`,
  unsubscribe: 'No more reminders',
  remindersEnd: 'You get reminders while a tank is low. You can end them with the link above.',
  invitation: {
    subject: (organization) => `${organization}: please confirm your address`,
    sentences: (organization) => [
      `${organization} would like to write to you when a tank of yours runs low.`,
      'Please confirm that this is your address. If you did not expect this mail, do nothing.',
    ],
    button: 'Confirm my address',
  },
  disabled: {
    subject: 'A webhook was disabled',
    gone: 'It answered 410, which means that it is gone for good.',
    failing: 'It has taken nothing for five days.',
    endpoint: (host) => `The webhook to ${host} gets no more events.`,
    remedy: 'When it works again, have it enabled and what it missed replayed.',
  },
  page: {
    title: 'Tankwatch',
    verify: (email, organization) => `May ${organization} write to ${email} when a tank of yours runs low?`,
    verifyButton: 'Yes, this is my address',
    verified: (organization) => `Thank you. ${organization} will write to you when a tank of yours runs low.`,
    unsubscribe: (organization) => `Shall ${organization} send you no more reminders while a tank is low?`,
    unsubscribed: 'You will get no more reminders. You will still be told once when a tank runs low.',
    invalid: 'This link has run out or is not complete. Please ask for a new one.',
  },
};

const SPANISH: Translation = {
  greeting: (name) => `Hola, ${name}:`,
  event: describe('es', {
    'tank.low_fill': ({ fill_percentage, threshold_percentage }, say) => ({
      subject: `nivel bajo, ${say.percent(fill_percentage)}`,
      sentence: `Está al ${say.percent(fill_percentage)}; su umbral es ${say.percent(threshold_percentage)}.`,
    }),
    'tank.fill_recovered': ({ fill_percentage }, say) => ({
      subject: `el nivel ya no es bajo, ${say.percent(fill_percentage)}`,
      sentence: `Vuelve a estar por encima de su umbral, al ${say.percent(fill_percentage)}.`,
    }),
    'tank.refilled': ({ before_percentage, after_percentage, delivered_volume, volume_unit }, say) => ({
      subject: `recargado al ${say.percent(after_percentage)}`,
      sentence: `Pasó del ${say.percent(before_percentage)} al ${say.percent(after_percentage)}: se entregaron unos ${say.number(delivered_volume)} ${UNIDADES[volume_unit]}.`,
    }),
    'tank.rapid_loss': ({ from_percentage, to_percentage, hours, lost_volume, volume_unit }, say) => ({
      subject: 'pierde gas rápidamente',
      sentence: `Pasó del ${say.percent(from_percentage)} al ${say.percent(to_percentage)} en ${say.number(hours)} horas: unos ${say.number(lost_volume)} ${UNIDADES[volume_unit]}, más rápido que cualquier consumo posible. Haga revisar si hay una fuga.`,
    }),
    'tank.device_silent': ({ last_reading_at, silent_for_hours }, say) => ({
      subject: 'su dispositivo no responde',
      sentence: `La última lectura de su dispositivo es de ${say.time(last_reading_at)}, hace ${say.number(silent_for_hours)} horas. No se sabe cuánto hay ahora en el tanque.`,
    }),
    'tank.device_reporting': ({ silent_since }, say) => ({
      subject: 'su dispositivo vuelve a informar',
      sentence: `Su dispositivo vuelve a informar; no lo hacía desde ${say.time(silent_since)}.`,
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
  time: (iso) => timeOf(iso),
  ofTank: (tank, customer) => `Se trata del tanque ${tank} de ${customer}.`,
  threshold: (tank, fill, threshold) =>
    `Su tanque ${tank} está al ${percentOf('es', fill)}. Pidió que le avisáramos al ${percentOf('es', threshold)} o menos.`,
  stillLow: (tank, threshold) => `Su tanque ${tank} sigue al ${percentOf('es', threshold)} o menos.`,
  stillLowSubject: (tank) => `Recordatorio: ${tank} sigue con nivel bajo`,
  lastReading: (fill, at) => `La última lectura fue ${percentOf('es', fill)}, el ${timeOf(at)}.`,
  from: (organization) => `Enviado por Tankwatch en nombre de ${organization}.`,
  unsubscribe: 'No recibir más recordatorios',
  remindersEnd: 'Recibe recordatorios mientras un tanque tenga nivel bajo. Puede anularlos con el enlace de arriba.',
  invitation: {
    subject: (organization) => `${organization}: confirme su dirección`,
    sentences: (organization) => [
      `${organization} quiere avisarle por correo cuando uno de sus tanques tenga nivel bajo.`,
      'Confirme que esta es su dirección. Si no esperaba este mensaje, no haga nada.',
    ],
    button: 'Confirmar mi dirección',
  },
  disabled: {
    subject: 'Se desactivó un webhook',
    gone: 'Respondió 410, es decir, que ya no existe.',
    failing: 'No ha aceptado nada en cinco días.',
    endpoint: (host) => `El webhook a ${host} ya no recibe eventos.`,
    remedy: 'Cuando vuelva a funcionar, pida que se active y que se reenvíe lo que no recibió.',
  },
  page: {
    title: 'Tankwatch',
    verify: (email, organization) =>
      `¿Puede ${organization} escribir a ${email} cuando uno de sus tanques tenga nivel bajo?`,
    verifyButton: 'Sí, esta es mi dirección',
    verified: (organization) => `Gracias. ${organization} le avisará cuando uno de sus tanques tenga nivel bajo.`,
    unsubscribe: (organization) =>
      `¿Desea que ${organization} no le envíe más recordatorios mientras un tanque tenga nivel bajo?`,
    unsubscribed: 'No recibirá más recordatorios. Le seguiremos avisando una vez cuando un tanque tenga nivel bajo.',
    invalid: 'Este enlace ha caducado o está incompleto. Pida uno nuevo.',
  },
};

const UNIDADES = { liters: 'litros', gallons: 'galones' } as const;

export const TRANSLATIONS: Readonly<Record<Language, Translation>> = { en: ENGLISH, es: SPANISH };

interface Say {
  percent(value: number): string;
  number(value: number): string;
  time(iso: string): string;
}

type Descriptions = { [Type in EventType]: (data: EventData[Type], say: Say) => EventTranslation };

function describe(language: Language, descriptions: Descriptions): Translation['event'] {
  const say: Say = {
    percent: (value) => percentOf(language, value),
    number: (value) => numberOf(language, value),
    time: (iso) => timeOf(iso),
  };
  return (type, data) => descriptions[type](data, say);
}

const numberOf = (language: Language, value: number): string =>
  value.toLocaleString(language, { maximumFractionDigits: 1 });

const percentOf = (language: Language, value: number): string => `${numberOf(language, value)} %`;

/** To the minute, in UTC: where a tank stands tells nothing of its owner's clock. */
const timeOf = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
