import { atTime, withArticle } from './spanish_times.ts';

const en = {
  tookOn: (who: string, time: string) => `${who} took it on ${time}`,
  delivered: (time: string) => `delivered ${time}`,
  over: (time: string) => `over ${time}`,
  nobody: 'nobody has taken it on',
  program: 'a program or somebody who has left',
  noteBy: (who: string, time: string) => `${who}, ${time}`,
  mutedBy: (who: string, since: string, until: string) => `${who} muted it ${since}, until ${until}.`,
};

const es: typeof en = {
  tookOn: (who, time) => `${who} empezó a atenderlo ${atTime(time)}`,
  delivered: (time) => `entrega ${atTime(time)}`,
  over: (time) => `terminó ${atTime(time)}`,
  nobody: 'nadie lo atiende',
  program: 'un programa o alguien que ya no está',
  noteBy: (who, time) => `${who}, ${time}`,
  mutedBy: (who, since, until) => `${who} lo silenció hasta ${withArticle(until)}, desde ${withArticle(since)}.`,
};

/** Who did what about a tank, and what followed. */
export const FOLLOWED_TEXTS = { en, es };
