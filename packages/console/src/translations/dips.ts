const en = {
  range: (low: string, high: string) => `Estimated: ${low} to ${high} (80% likely).`,
  cannotBeTold: {
    no_level: 'No estimate: there is no manual reading yet.',
    no_comparison: 'No estimate: fewer than 10 tanks with sensors to compare with.',
    irregular: 'No estimate: somebody turned it off, because this tank is used irregularly.',
    too_old: 'No estimate: the last manual reading is more than half a year old.',
  },
  wanted: 'A manual reading is needed. Read the dial and send the level.',
  forOwner: {
    unknown: 'We do not know the level now.',
    send: 'Please look at the dial, and send us the level or call us.',
    call: 'Please look at the dial and call us.',
  },
  level: 'Level on the dial, in percent',
  send: 'Send the level',
  sent: (level: string) => `Sent: ${level}. Thank you.`,
  invalid: 'Enter a number from 0 to 100.',
  refused: 'Not sent. A tank takes at most 5 levels a day. Try again tomorrow, or call us.',
  label: (tank: string) => `Level of ${tank}`,
};

const es: typeof en = {
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
  label: (tank) => `Nivel de ${tank}`,
};

/** Texts about a tank without a sensor. */
export const DIP_TEXTS = { en, es };
