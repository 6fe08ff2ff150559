/** With its article: `las 7:02 a.m.`, `la 1:30 p.m.`, `el 7 nov, 12:50 p.m.` */
export function withArticle(time: string): string {
  if (/^0?1:/.test(time)) return `la ${time}`;
  if (/^\d{1,2}:/.test(time)) return `las ${time}`;
  return /^\d/.test(time) ? `el ${time}` : time;
}

/** After `de`, which joins with `el`. */
export const ofTime = (time: string): string => `de ${withArticle(time)}`.replace(/^de el /, 'del ');

/** When something happened: `a las 7:02 a.m.`, `el 7 nov, 12:50 p.m.` */
export const atTime = (time: string): string => withArticle(time).replace(/^(?=las? )/, 'a ');

/** With a full stop, which "p.m." has already. */
export const ended = (sentence: string): string => (sentence.endsWith('.') ? sentence : `${sentence}.`);
