import type { enDips } from './en_dips.ts';

export const esDips: typeof enDips = {
  range: (low, high) => `Estimado: ${low} a ${high} (probabilidad del 80%).`,
  cannotBeTold: {
    no_level: 'Sin estimación: todavía no hay lectura manual.',
    no_comparison: 'Sin estimación: hay menos de 10 tanques con sensor para comparar.',
    irregular: 'Sin estimación: alguien la desactivó, porque el consumo de este tanque es irregular.',
    too_old: 'Sin estimación: la última lectura manual tiene más de medio año.',
  },
  wanted: 'Se necesita una lectura manual. Lea la carátula y envíe el nivel.',
  forOwner: {
    unknown: 'No sabemos el nivel ahora.',
    send: 'Mire, por favor, la carátula, y envíenos el nivel o llámenos.',
    call: 'Mire, por favor, la carátula y llámenos.',
  },
  level: 'Nivel en la carátula, en por ciento',
  send: 'Enviar el nivel',
  sent: (level) => `Enviado: ${level}. Gracias.`,
  invalid: 'Escriba un número de 0 a 100.',
  refused: 'No se envió. Un tanque acepta 5 niveles al día como máximo. Inténtelo mañana o llámenos.',
  failed: 'No se envió. Inténtelo de nuevo.',
};
