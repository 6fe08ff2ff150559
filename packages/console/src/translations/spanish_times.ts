/** Returns the time with its article: `las 7:02 a.m.`, `la 1:30 p.m.`, `el 7 nov, 12:50 p.m.` */
export function withArticle(time: string): string {
  if (/^0?1:/.test(time)) return `la ${time}`;
  if (/^\d{1,2}:/.test(time)) return `las ${time}`;
  return /^\d/.test(time) ? `el ${time}` : time;
}

/** Returns the time after `de`, which contracts with `el`. */
export const ofTime = (time: string): string => `de ${withArticle(time)}`.replace(/^de el /, 'del ');

/** When something happened: `a las 7:02 a.m.`, `el 7 nov, 12:50 p.m.` */
export const atTime = (time: string): string => withArticle(time).replace(/^(?=las? )/, 'a ');

/** Adds a full stop unless the sentence has one, as after "p.m." */
export const ended = (sentence: string): string => (sentence.endsWith('.') ? sentence : `${sentence}.`);

/** A duration that is an estimate: `unas 6 horas`, `unos 3 días`, `cerca de 1 hora`. */
export function approximateDuration(duration: string): string {
  if (/horas/.test(duration)) return `unas ${duration}`;
  return /(minuto|día|mese)s/.test(duration) ? `unos ${duration}` : `cerca de ${duration}`;
}
