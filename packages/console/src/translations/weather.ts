const en = {
  forecast: (degrees: string, until: string) => `With ${degrees} forecast until ${until}`,
  usual: 'With the usual weather',
  instead: (days: string, without: string) => `${days} instead of ${without}.`,
  share: (percent: string) => `About ${percent} of this tank’s use follows the weather.`,
  notExplained: 'The weather does not explain this tank’s use, so the forecast does not use it.',
  notCurrent: (last: string) => `No current weather for this place (last: ${last}): forecast without it.`,
};

const es: typeof en = {
  forecast: (degrees, until) => `Con ${degrees} previstos hasta el ${until}`,
  usual: 'Con el clima habitual',
  instead: (days, without) => `${days} en lugar de ${without}.`,
  share: (percent) => `Cerca del ${percent} del consumo de este tanque depende del clima.`,
  notExplained: 'El clima no explica el consumo de este tanque; el pronóstico no lo usa.',
  notCurrent: (last) => `Sin datos recientes del clima de este lugar (último: ${last}): pronóstico sin clima.`,
};

export const WEATHER_TEXTS = { en, es };
