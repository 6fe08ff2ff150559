import type { enDips } from './en_dips.ts';

export const esDips: typeof enDips = {
  range: (low, high) => `Entre ${low} y ${high}, cuatro de cada cinco veces.`,
  cannotBeTold: {
    no_level: 'Nadie ha visto todavía el nivel de este tanque.',
    no_comparison: 'No se puede saber: hay muy pocos tanques con sensor para comparar.',
    irregular: 'No se puede saber: el consumo de este tanque no sigue ninguna regla.',
    too_old: 'No se puede saber: nadie ha visto el nivel desde hace medio año.',
  },
  wanted: 'Se pide una lectura manual: alguien debe mirar la carátula.',
  forOwner: {
    unknown: 'No sabemos el nivel ahora.',
    send: 'Mire, por favor, la carátula, y envíenos el nivel o llámenos.',
    call: 'Mire, por favor, la carátula y llámenos.',
  },
  level: 'Nivel en la carátula, en por ciento',
  send: 'Enviar el nivel',
  sent: (level) => `Enviado: ${level}. Gracias.`,
  invalid: 'Escriba un número de 0 a 100.',
  refused: 'No se aceptó. Quizá el nivel ya se envió varias veces hoy.',
  failed: 'No se envió. Inténtelo de nuevo.',
};
