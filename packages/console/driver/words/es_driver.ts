import type { DriverWords } from './en_driver.ts';

/** "martes, 3:00 a.m." as "el martes a las 3:00 a.m." */
const dayAtTime = (time: string): string =>
  time.replace(
    /^(\p{L}+),? (\d+)/u,
    (_all, day: string, hour: string) => `el ${day} a ${hour === '1' ? 'la' : 'las'} ${hour}`,
  );

/** All texts of the driver's page in Spanish. */
export const esDriver: DriverWords = {
  title: 'Ruta',
  other: 'English',
  loading: 'Cargando …',
  noNetwork: 'Sin red.',
  kept: (count, shown) =>
    count === 1
      ? '1 registro queda guardado en este teléfono y se envía después.'
      : `${shown} registros quedan guardados en este teléfono y se envían después.`,
  notSent: (shown) => `${shown} sin enviar`,
  sendNow: 'Enviar ahora',
  refused: (count, shown) =>
    `${count === 1 ? 'No se aceptó 1 registro' : `No se aceptaron ${shown} registros`}. Llame a la oficina y diga qué entregó.`,
  ready: 'Esta página funciona sin red.',
  notReady: 'Aún no funciona sin red. Deje esta página abierta un momento.',
  progress: (done, all) => `${done} de ${all} paradas hechas`,
  next: (stop, all) => `Parada ${stop} de ${all}`,
  must: 'prioritaria',
  navigate: 'Navegar',
  call: 'Llamar',
  noAddress: 'La dirección no está en este teléfono.',
  fits: (fillTo) => `Caben hasta el ${fillTo}, unos`,
  unknownVolume: 'no se sabe',
  levelAt: (level, time) => `${level} a las ${time}`,
  levelOn: (level, date) => `${level} el ${date}`,
  dipOn: (level, date) => `sin sensor; última lectura manual ${level} el ${date}`,
  deliveredBy: { liters: 'Litros entregados, según el medidor', gallons: 'Galones entregados, según el medidor' },
  done: 'Listo',
  noteNumber: 'Número de la nota, si dejó una',
  filledTo: 'Nivel en la carátula después de llenar, en por ciento',
  enterVolume: 'Escriba el volumen que marca el medidor, por ejemplo 450.',
  ambiguous: (typed, one, other) => `${typed} puede ser dos números. Escriba ${one} o ${other}.`,
  question: {
    fits: (typed, fits) => `¿${typed}? Caben unos ${fits}.`,
    truck: (typed, left) => `¿${typed}? A la pipa le quedan unos ${left}.`,
    change: 'Cambiar la cantidad',
    yes: (typed) => `Sí, ${typed}`,
  },
  notPossible: 'No fue posible …',
  why: '¿Por qué no?',
  reasons: {
    no_access: 'Sin acceso',
    refused: 'El cliente no quiso',
    full: 'El tanque está lleno',
    truck_empty: 'La pipa está vacía',
    unsafe: 'No es seguro',
    other: 'Otro motivo',
  },
  comment: 'Comentario',
  record: 'Registrar',
  back: 'Volver',
  later: 'Después',
  moreStops: (shown) => `${shown} paradas más`,
  closed: 'Hechas',
  undo: 'Deshacer',
  go: 'Ir aquí ahora',
  states: { delivered: 'entregado', not_possible: 'no fue posible', not_done: 'no se hizo' },
  unsent: 'guardado en este teléfono, sin enviar',
  sent: 'enviado',
  byOffice: 'cerrada por la oficina',
  seen: 'visto por el indicador',
  allDone: 'Todas las paradas están hechas.',
  allDoneUnsent: 'Conserve el teléfono hasta que todo se envíe.',
  until: (time) =>
    `Este enlace funciona hasta ${dayAtTime(time)} y solo para esta ruta. Las paradas hechas no muestran nombre, dirección ni teléfono.`,
  callOffice: 'Llamar a la oficina',
  ended: 'Este enlace venció.',
  endedAdvice: 'Un enlace es para una ruta y su día. Pida uno nuevo a la oficina.',
  endedUnsent: 'Abra esta página con red: lo guardado en este teléfono se envía.',
  noLink: 'Abra el enlace que le envió la oficina.',
  noStorage: 'Este navegador no puede guardar datos. Desactive la navegación privada o use otro navegador.',
};
