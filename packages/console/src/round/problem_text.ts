import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS } from '../words/act_words.ts';
import { RoundProblem } from './calls.ts';

/** What a change that failed means, in the language of the page: the details of the service are in English. */
export function useProblemText(): (error: unknown, conflict: string) => string {
  const { language, words } = usePreferences();
  const texts = ACT_WORDS[language];
  return (error, conflict) => {
    if (!(error instanceof RoundProblem)) return `${texts.unknown} ${words.problem.connection}`;
    const { status } = error;
    if (status === 403) return `${texts.notSaved} ${texts.askAdministrator}`;
    if (status === 404) return texts.gone;
    if (status === 409) return `${texts.notSaved} ${conflict}`;
    if (status === 422) return `${texts.notSaved} ${texts.invalid}`;
    if (status === 429) return texts.tooMany;
    return `${texts.notSaved} ${words.problem.server}`;
  };
}
