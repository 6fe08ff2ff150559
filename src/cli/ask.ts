import { createInterface } from 'node:readline/promises';
import { UserError } from '../values/user_error.ts';

/** Asks a question on the terminal. `advice` says what to do where nobody can answer. */
export async function ask(question: string, advice: string): Promise<string> {
  if (!process.stdin.isTTY) throw new UserError(advice);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return answer.trim();
}

/** Asks a question that is answered with yes or no, in English, Spanish or German. */
export const askYesOrNo = async (question: string, advice: string): Promise<boolean> =>
  /^(y|yes|s|sí|si|j|ja)$/i.test(await ask(`${question} [y/N] `, advice));
