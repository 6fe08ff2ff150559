import { ended, withArticle } from './spanish_times.ts';

const en = {
  title: 'How accurate were alerts and forecasts?',
  none: 'There are no results yet. They are computed every night.',
  about: (tanks: string, since: string, at: string) => `${tanks}, since ${since}. Computed on ${at}.`,
  sample: (scored: string, tanks: string) => `${scored} of ${tanks} tanks, chosen evenly`,
  allTanks: (tanks: string) => `${tanks} tanks`,
  forecasts: 'Forecasts',
  forecastsHelp:
    'Each forecast was made some days before the tank reached a level, without a delivery in between. Error: how far the likely day was from the true day (half of the forecasts were closer). In the range: how often the true day was between the earliest and the latest day. The target is 80%.',
  noForecasts:
    'No forecast could be checked yet. The first is made after 14 days of readings, and checked 7 days later if the level fell by 3 points without a delivery.',
  ahead: (days: string) => `${days} days ahead`,
  error: 'Error',
  inside: 'In the range',
  events: 'Alerts',
  eventsHelp:
    'Right: the readings of the next two days confirm it. Unknown: too few readings followed, or a delivery came first. Delay: from the first reading that showed it to the alert.',
  noEvents: 'None of these tanks had an alert in this time.',
  group: 'Tanks',
  count: 'Number',
  raised: 'Raised',
  right: 'Right',
  wrong: 'Wrong',
  retracted: 'Retracted',
  unknown: 'Unknown',
  delay: 'Delay',
  by: { all: 'All tanks', use: 'By use', place: 'By place', cadence: 'By readings a day' },
  notSet: 'not set',
};

const es: typeof en = {
  title: '¿Cuánto aciertan las alertas y los pronósticos?',
  none: 'Todavía no hay resultados. Se calculan cada noche.',
  about: (tanks, since, at) => `${tanks}, ${ended(`desde ${withArticle(since)}`)} ${ended(`Calculado el ${at}`)}`,
  sample: (scored, tanks) => `${scored} de ${tanks} tanques, elegidos de manera uniforme`,
  allTanks: (tanks) => `${tanks} tanques`,
  forecasts: 'Pronósticos',
  forecastsHelp:
    'Cada pronóstico se hizo unos días antes de que el tanque llegara a un nivel, sin entrega en ese lapso. Desvío: cuánto se apartó el día probable del día verdadero (la mitad de los pronósticos se desvió menos). En el rango: con qué frecuencia el día verdadero quedó entre el primero y el último. La meta es el 80%.',
  noForecasts:
    'Aún no se pudo comprobar ningún pronóstico. El primero se hace después de 14 días de lecturas y se comprueba 7 días más tarde, si el nivel bajó 3 puntos sin entrega.',
  ahead: (days) => `${days} días antes`,
  error: 'Desvío',
  inside: 'En el rango',
  events: 'Alertas',
  eventsHelp:
    'Cierta: las lecturas de los dos días siguientes la confirman. Sin datos: hubo pocas lecturas después, o antes llegó una entrega. Demora: desde la primera lectura que la mostró hasta la alerta.',
  noEvents: 'Ninguno de estos tanques tuvo una alerta en este periodo.',
  group: 'Tanques',
  count: 'Número',
  raised: 'Emitidas',
  right: 'Ciertas',
  wrong: 'Falsas',
  retracted: 'Anuladas',
  unknown: 'Sin datos',
  delay: 'Demora',
  by: { all: 'Todos los tanques', use: 'Por uso', place: 'Por lugar', cadence: 'Por lecturas al día' },
  notSet: 'sin definir',
};

export const SCORE_TEXTS = { en, es };
