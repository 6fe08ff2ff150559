import { SIGN_IN_MINUTES } from '../keys/sign_in_validity.ts';
import { CALL_CUSTOMER } from '../values/leak_words.ts';
import { capitalized, type TankContents } from '../values/products.ts';
import { batteryText } from './device_mail_texts.ts';
import type { DigestTexts, LossTexts, Translation } from './english.ts';
import { type Formats, listOf } from './locale.ts';
import { ORDER_TEXTS } from './order_texts.ts';
import type { ProductWords } from './product_words.ts';
import { roundDays, roundSpan } from './rounded_days.ts';
import type { EventDescriptions, RetractionTexts } from './translation.ts';

export const SPANISH = (
  formats: Formats,
  { fill_limit_percentage }: TankContents,
  words: ProductWords,
): Translation => ({
  greeting: (name) => `Hola, ${name}:`,
  ...ORDER_TEXTS.es(words.noun),
  describe: describe(formats, words),
  advice: {
    'tank.fill_recovered': '',
    'tank.refilled': 'Compare el volumen con la nota de entrega.',
    'tank.overfilled': words.isGas
      ? 'Haga sacar pronto el exceso: con el calor el gas se expande y la válvula de seguridad puede abrirse. Compare el volumen con la nota de entrega.'
      : 'Revise si algo se derramó. Compare el volumen con la nota de entrega.',
    'tank.rapid_loss': `${CALL_CUSTOMER.es} ${words.leak.say} Después pida que revisen si hay una fuga.`,
    'tank.unusual_use':
      'Pregunte al cliente si usa el tanque. Si no, pida que revisen si hay una fuga o un robo. Si lo usa, el pronóstico ya sigue el consumo nuevo.',
    'tank.device_reporting': '',
    'tank.gauge_unreliable': 'Haga revisar el sensor. Hasta entonces, sus lecturas no generan alertas.',
    'tank.gauge_reliable': '',
    'device.battery_low': 'Cambie la batería antes de que el dispositivo deje de enviar.',
  },
  silentAdvice: (isEstimated) =>
    `Revise la batería y la conexión del dispositivo. Hasta que vuelva a enviar lecturas, planee con ${isEstimated ? 'la estimación de abajo' : 'el último nivel conocido'}.`,
  call: (phone) => `Llamar al ${phone}`,
  whatToDo: 'Qué hacer',
  labels: {
    tank: 'Tanque',
    customer: 'Cliente',
    phone: 'Teléfono',
    address: 'Dirección',
    level: 'Nivel',
    lastLevel: 'Último nivel conocido',
    estimate: 'Ahora, con su consumo habitual',
    volume: `${capitalized(words.noun)} restante`,
    toThreshold: 'Llega al umbral en',
    toEmpty: 'Se vacía en',
    room: `Caben hasta el ${formats.percent(fill_limit_percentage)}`,
    planned: 'Entrega prevista',
    loss: 'Pérdida',
    reading: 'Lectura del',
    gauge: 'Indicador',
    device: 'Dispositivo',
    time: 'Alerta del',
  },
  estimated: (range, days) => {
    const estimated = range === null ? 'Estimado' : `Estimado, ${range.low} a ${range.high}`;
    if (days === null) return `${estimated}; todavía sin lectura manual.`;
    return `${estimated}; última lectura manual ${days === 0 ? 'hoy' : days === 1 ? 'hace 1 día' : `hace ${days} días`}.`;
  },
  levelAndThreshold: (level, threshold) => `${level} (umbral de alerta ${threshold})`,
  volumeOf: (volume, capacity, unit) => `unos ${formats.wholeNumber(volume)} de ${formats.volume(capacity, unit)}`,
  about: (level) => `cerca del ${level}`,
  days(range) {
    const { likely, earliest, latest, hasRange } = roundDays(range);
    if (range.likely === 0) return 'ya';
    if (likely === null) return 'más de dos años';
    const about =
      likely === 0 ? 'menos de un día' : likely === 1 ? 'alrededor de 1 día' : `unos ${formats.number(likely)} días`;
    if (!hasRange || earliest === null) return about;
    return latest === null
      ? `${about} (${formats.number(earliest)} o más)`
      : `${about} (de ${formats.number(earliest)} a ${formats.number(latest)})`;
  },
  emptyIn: (days) => (days === 'ya' ? 'ya está vacío' : `se vacía en ${days}`),
  lowFill: (tank, fill, threshold) =>
    `Su tanque ${tank} está al ${formats.percent(fill)}. Su umbral de alerta es del ${formats.percent(threshold)}.`,
  stillLow: (tank, threshold) => `Su tanque ${tank} sigue al ${formats.percent(threshold)} o menos.`,
  stillLowSubject: (tank) => `Recordatorio: ${tank} sigue con nivel bajo`,
  lastReading: (fill, at) => `La última lectura fue del ${formats.percent(fill)}, el ${formats.time(at)}.`,
  sentBy: (organization, phone) =>
    `Enviado por Tankwatch en nombre de ${organization}${phone === null ? '.' : `, ${phone}.`}`,
  timesIn: (zone) => `Zona horaria: ${zone}`,
  unsubscribe: 'Dejar de recibir recordatorios',
  whyReminders: 'Recibe recordatorios mientras un tanque tiene nivel bajo. Puede cancelarlos con el enlace de arriba.',
  invitation: {
    subject: (organization) => `${organization}: confirme su correo electrónico`,
    heading: 'Confirme su correo electrónico',
    sentences: (organization) => [
      `${organization} quiere avisarle por correo electrónico cuando uno de sus tanques tenga nivel bajo o una posible fuga.`,
      'Confirme que esta es su dirección de correo. Si no esperaba este mensaje, ignórelo.',
    ],
    button: 'Confirmar mi dirección',
    validity: 'El enlace es válido durante 14 días.',
  },
  signIn: {
    subject: (organizations) => `Iniciar sesión en ${organizations}`,
    heading: 'Iniciar sesión',
    typeCode: 'Escriba este código en la página donde lo pidió:',
    orOpen: 'O abra este enlace, en cualquier dispositivo:',
    button: 'Iniciar sesión',
    validity: `El código y el enlace sirven una sola vez, durante ${SIGN_IN_MINUTES} minutos.`,
    notYou: (organizations) =>
      `Si usted no pidió iniciar sesión, ignore este correo: sin él nadie puede hacerlo. No dé el código a nadie. ${organizations} nunca se lo pedirá.`,
  },
  openTank: 'Ver este tanque y su historial',
  openAll: 'Ver todo en la consola',
  disabled: {
    subject: 'Se desactivó un webhook',
    gone: 'El endpoint respondió con el estado 410 (Gone).',
    failing: 'El endpoint no ha aceptado ningún evento en cinco días.',
    endpoint: (host) => `El webhook a ${host} se desactivó y ya no recibe eventos.`,
    remedy:
      'Cuando el endpoint vuelva a funcionar, pida a su operador que active el webhook y que reenvíe los eventos perdidos.',
  },
  sample: {
    subject: (organization) => `${organization}: prueba de sus alertas`,
    heading: 'Esto es una prueba',
    sentence: (email) => `Las alertas de Tankwatch llegan a ${email}. No tiene que hacer nada.`,
    example: 'Ejemplo de nivel',
  },
  loss: loss(formats, words),
  retraction: retraction(formats, words),
  returned: {
    mark: 'Sigue pendiente:',
    sentence: {
      worse: 'Alguien atiende este tanque, pero el problema ha empeorado desde entonces.',
      expired: 'Alguien atendió este tanque hasta ahora. El problema sigue pendiente.',
      unmuted: 'Este tanque ya no está silenciado. El problema sigue pendiente.',
    },
  },
  gauge: gaugeText,
  noLongerLow: 'El tanque ya no tiene nivel bajo.',
  digest: digest(formats, words),
});

const describe = (formats: Formats, { noun }: ProductWords): EventDescriptions => ({
  'tank.low_fill': ({ fill_percentage, threshold_percentage }) => ({
    subject: `nivel bajo, ${formats.percent(fill_percentage)}`,
    sentence: `El tanque está al ${formats.percent(fill_percentage)}. Su umbral de alerta es del ${formats.percent(threshold_percentage)}.`,
  }),
  'tank.fill_recovered': ({ fill_percentage }) => ({
    subject: `nivel recuperado, ${formats.percent(fill_percentage)}`,
    sentence: `El tanque vuelve a estar por encima de su umbral de alerta, al ${formats.percent(fill_percentage)}.`,
  }),
  'tank.order_due': ({ fill_percentage, threshold_percentage }) => ({
    subject: `pedir ya, ${formats.percent(fill_percentage)}`,
    sentence: `El tanque está al ${formats.percent(fill_percentage)}. Su umbral de pedido es del ${formats.percent(threshold_percentage)}.`,
  }),
  'tank.refilled': ({ before_percentage, after_percentage, delivered_volume, volume_unit, maybe_gauge_fault }) => ({
    subject: `recargado al ${formats.percent(after_percentage)}${maybe_gauge_fault ? ', o el indicador falló' : ''}`,
    sentence: `El nivel subió del ${formats.percent(before_percentage)} al ${formats.percent(after_percentage)}. Se entregaron unos ${formats.volume(delivered_volume, volume_unit)}${maybe_gauge_fault ? ', o el indicador falló antes' : ''}.`,
  }),
  'tank.overfilled': ({ fill_percentage, limit_percentage, without_delivery }) => ({
    subject: `sobrellenado, al ${formats.percent(fill_percentage)}`,
    sentence: `${without_delivery ? 'El nivel subió sin una entrega' : 'El tanque se llenó'} hasta cerca del ${formats.percent(fill_percentage)}. Puede llenarse hasta el ${formats.percent(limit_percentage)}.`,
  }),
  'tank.rapid_loss': ({ from_percentage, to_percentage, hours, lost_volume, volume_unit }) => ({
    subject: `pierde ${noun}`,
    sentence: `El nivel bajó del ${formats.percent(from_percentage)} al ${formats.percent(to_percentage)} en ${formats.number(hours)} ${hours === 1 ? 'hora' : 'horas'}, unos ${formats.volume(lost_volume, volume_unit)}. Es más rápido que el consumo normal.`,
  }),
  'tank.unusual_use': ({ from_percentage, to_percentage, hours, used_volume, usual_volume_per_day, volume_unit }) => ({
    subject: 'consumo inusual',
    sentence: `El nivel bajó del ${formats.percent(from_percentage)} al ${formats.percent(to_percentage)} en ${span(formats, hours)}, unos ${formats.volume(used_volume, volume_unit)}. Lo usual en este tanque son unos ${formats.volume(usual_volume_per_day, volume_unit)} al día como máximo. Puede ser un consumo nuevo, una fuga lenta o un robo.`,
  }),
  'tank.device_silent': ({ last_reading_at, silent_for_hours, usual_interval_hours: usual }) => ({
    subject: 'el dispositivo no envía lecturas',
    sentence: `La última lectura es del ${formats.time(last_reading_at)}, ${span(formats, silent_for_hours)} antes de esta alerta.${usual === undefined ? '' : ` Normalmente el dispositivo envía una cada ${span(formats, usual, true)}.`} Se desconoce el nivel actual.`,
  }),
  'tank.device_reporting': ({ silent_since }) => ({
    subject: 'el dispositivo vuelve a enviar lecturas',
    sentence: `El dispositivo vuelve a enviar lecturas. No enviaba ninguna desde el ${formats.time(silent_since)}.`,
  }),
  'tank.gauge_unreliable': ({ reason, since, fill_percentage }) => ({
    subject: 'su indicador no es confiable',
    sentence:
      reason === 'stuck_at_limit'
        ? `El indicador muestra exactamente ${formats.percent(fill_percentage)} desde el ${formats.time(since)}, lo que no se explica por el consumo ni por una entrega.`
        : `Las lecturas del indicador se contradicen desde el ${formats.time(since)}.`,
  }),
  'tank.gauge_reliable': ({ unreliable_since, fill_percentage }) => ({
    subject: 'su indicador vuelve a ser confiable',
    sentence: `El indicador muestra ${formats.percent(fill_percentage)} y vuelve a ser confiable. No lo era desde el ${formats.time(unreliable_since)}.`,
  }),
  'device.battery_low': (battery) => ({
    subject: 'batería baja del dispositivo',
    sentence: `El dispositivo ${battery.device_id} informa batería baja${batteryText(battery, formats, ': ')}.`,
  }),
});

/** A time span as text, such as 36 horas or 9 días. */
function span(formats: Formats, hours: number, isInterval = false): string {
  const { count, isDays } = roundSpan(hours);
  const unit = isDays ? 'día' : 'hora';
  return count === 1 ? `${isInterval ? '' : 'una '}${unit}` : `${formats.number(count)} ${unit}s`;
}

const loss = (formats: Formats, { noun, leak }: ProductWords): LossTexts => ({
  fall: (from, to) => `del ${from} al ${to}`,
  amount: ({ volume, hours, perHour }) =>
    `unos ${volume} en ${formats.number(hours)} ${hours === 1 ? 'hora' : 'horas'}, ${perHour} por hora`,
  stopped: 'el nivel ya no baja',
  emptyNow: 'a este ritmo ya está vacío',
  emptyAt: (time, day) => `se vacía ${day === null ? '' : `el ${day} `}hacia ${articleOf(time)} ${time} a este ritmo`,
  subject: `posible fuga de ${noun}`,
  heading: `Posible fuga de ${noun}`,
  whatToDo: 'Qué hacer, en este orden',
  steps: (emergencyNumber, organization, phone) => [
    ...leak.first,
    `${leak.call}: ${leak.emergencyIf === null ? '' : `al ${emergencyNumber} ${leak.emergencyIf}; `}a ${organization}${phone === null ? '' : ` (${phone})`} ${leak.supplierIf}.`,
    `${leak.stay} ${leak.stayUntil(organization)}`,
  ],
  canBeWrong: leak.canBeWrong,
  callEmergency: leak.emergencyIf === null ? null : (emergencyNumber) => leak.callFrom(`al ${emergencyNumber}`),
  callOrganization: (organization, phone) => leak.callFrom(`a ${organization}, ${phone}`),
});

const retraction = (formats: Formats, { leak }: ProductWords): RetractionTexts => ({
  subject: (tank) => `Corrección: ${tank}`,
  sentence({ tank, reported, because, level, emergencyNumber }) {
    const messages = listOf(
      formats.tag,
      reported.map(({ subject, at }) => `“${subject}” (${at})`),
    );
    const why = {
      gauge_fault: `El indicador de ${tank} falló durante un tiempo`,
      gauge_corrected: `Se corrigió la descripción del indicador de ${tank}, y con ella todos sus niveles`,
      evaluation_fault: `Una versión de Tankwatch evaluó mal las lecturas de ${tank}`,
      late_readings: `Unas lecturas tardías de ${tank} han corregido su historial`,
    }[because ?? 'late_readings'];
    const now = level === null ? '' : `, y el indicador marca ahora ${level}`;
    const smell = emergencyNumber === null || leak.emergencyIf === null ? '' : `; ${leak.allTheSame(emergencyNumber)}`;
    return `${why}: anulamos ${messages}${now}${smell}.`;
  },
});

const gaugeText: Translation['gauge'] = ({ since, lastReliable, shown, isStuck }) => {
  const from = since && `desde ${since.isSameDay ? articleOf(since.at) : 'el'} ${since.at}`;
  const now =
    from !== null && shown !== null && isStuck
      ? [`${from} muestra ${shown}`]
      : [from && `no confiable ${from}`, shown && `muestra ahora ${shown}`];
  return [lastReliable && `${lastReliable.level} el ${lastReliable.at}`, ...now]
    .filter((part) => part !== null)
    .join('; ');
};

/** "La 1:20", but "las 2:20". */
const articleOf = (clock: string): string => (/^0?1:/.test(clock) ? 'la' : 'las');

const digest = ({ number }: Formats, { noun }: ProductWords): DigestTexts => ({
  summary({ losing, low, gauge, due, silent, refilled }) {
    const parts = [
      losing > 0 ? `${number(losing)} ${losing === 1 ? 'pierde' : 'pierden'} ${noun}` : '',
      low > 0 ? `${number(low)} con nivel bajo` : '',
      gauge > 0 ? `${number(gauge)} con indicador no confiable` : '',
      due > 0 ? `${number(due)} con nivel bajo pronto` : '',
      silent > 0 ? `${number(silent)} sin lecturas` : '',
      refilled > 0 ? `${number(refilled)} ${refilled === 1 ? 'recargado' : 'recargados'}` : '',
    ];
    return parts.filter((part) => part !== '').join(', ');
  },
  heading: (day) => `Sus tanques, ${day}`,
  losing: (tanks) => `Pierden ${noun} (${number(tanks)})`,
  low: (tanks) => `Nivel bajo ahora (${number(tanks)})`,
  gauge: (tanks) => `Indicador no confiable (${number(tanks)})`,
  due: (tanks) => `Nivel bajo en los próximos 3 días (${number(tanks)})`,
  silent: (tanks) => `Dispositivos sin lecturas (${number(tanks)})`,
  refilled: (tanks) => `Recargados (${number(tanks)})`,
  notes({ consistent, not_consistent, cannot_be_told, note_without_refill, refill_without_note }) {
    const alone = [
      note_without_refill > 0
        ? `${number(note_without_refill)} ${note_without_refill === 1 ? 'nota' : 'notas'} sin recarga`
        : '',
      refill_without_note > 0
        ? `${number(refill_without_note)} ${refill_without_note === 1 ? 'recarga' : 'recargas'} sin nota`
        : '',
    ].filter((part) => part !== '');
    const agree = `${number(consistent)} ${consistent === 1 ? 'coincide' : 'coinciden'}`;
    const differ = `${number(not_consistent)} no ${not_consistent === 1 ? 'coincide' : 'coinciden'}`;
    const unknown = `${number(cannot_be_told)} no se ${cannot_be_told === 1 ? 'puede' : 'pueden'} comparar`;
    return `${[`Notas de entrega: ${agree}, ${differ}, ${unknown}`, alone.join(', ')].filter((part) => part !== '').join('; ')}.`;
  },
  handled: (tanks) => (tanks === 1 ? 'Alguien atiende 1 tanque más.' : `Alguien atiende ${number(tanks)} tanques más.`),
  nothing: `Ningún tanque tiene nivel bajo ni lo tendrá pronto, ninguno pierde ${noun} o está sin lecturas, y ninguno fue recargado.`,
  isNew: 'nuevo',
  more: (tanks) => `y ${number(tanks)} más`,
  left: (volume) => `quedan ${volume}`,
  room: (volume) => `caben ${volume}`,
  inDays: (days) => `nivel bajo en ${days}`,
  rounds: ({ stops, delivered, notPossible }) =>
    `Ayer: ${number(delivered)} de ${number(stops)} ${stops === 1 ? 'parada hecha' : 'paradas hechas'}${notPossible > 0 ? `, ${number(notPossible)} no se ${notPossible === 1 ? 'pudo' : 'pudieron'} hacer` : ''}.`,
  planned: (day) => `entrega prevista: ${day}`,
  unconfirmed: 'una lectura baja aún no está confirmada',
  delivered: (volume) => `unos ${volume}`,
  maybeGaugeFault: 'o el indicador falló',
  lastReading: (at) => `última lectura ${at}`,
  was: (level) => `estaba en ${level}`,
  estimated: (level) => `con su consumo habitual, ahora cerca del ${level}`,
  silentDevice: 'el dispositivo no envía lecturas',
  unreliableGauge: 'el indicador no es confiable',
});
