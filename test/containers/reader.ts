import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../engines/programs.ts';
import { type ConsoleBox, missingLines, parseConsoleBoxes } from '../support/console_boxes.ts';
import { check, type Machine } from './machine.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Somebody who types the commands of a document on a machine. */
export interface Reader {
  machine: Machine;
  user: string;
  home: string;
  smtpUrl: string;
}

/** Commands that a reader runs before or after a box, besides typing it. */
export interface ExtraStep {
  at: RegExp;
  before?: string;
  after?: string;
  /** The box is not typed, because its commands cannot work on this machine. */
  isSkipped?: boolean;
}

export const counts = { commands: 0, failed: 0, others: 0 };

/** The boxes of a page, also those of numbered steps. */
export const boxesOf = (page: string): ConsoleBox[] => parseBoxes(readFileSync(join(ROOT, page), 'utf8'));

/** The boxes of a page of an earlier commit. */
export const boxesAt = (commit: string, page: string): ConsoleBox[] =>
  parseBoxes(execFileSync(findProgram('git'), ['show', `${commit}:${page}`], { cwd: ROOT, encoding: 'utf8' }));

const parseBoxes = (text: string): ConsoleBox[] => parseConsoleBoxes(text.replaceAll(/^ {3}(?=\S| {4})/gm, ''));

/** Types all boxes. Each box has its own shell, to which the variables and the folder of the previous one are carried over. */
export async function follow(
  reader: Reader,
  boxes: readonly ConsoleBox[],
  extraSteps: readonly ExtraStep[],
  adapt: (text: string) => string,
) {
  const { machine, user, home } = reader;
  const state = `/tmp/state-${user}`;
  await machine.run(`echo "cd ${home}" > ${state}`, { user });
  for (const box of boxes) {
    const typed = box.commands.join('\n');
    const stepsOfBox = extraSteps.filter(({ at }) => at.test(typed));
    if (stepsOfBox.some(({ isSkipped }) => isSkipped)) continue;
    for (const { before } of stepsOfBox) if (before !== undefined) await must(reader, before);
    counts.commands += box.commands.length;
    const title = typed.split('\n')[0] ?? '';
    const [, ready] = /ready when it prints: (.*)/.exec(box.note) ?? [];
    if (ready !== undefined) {
      const until = new RegExp(RegExp.escape(ready));
      const output = await machine.leave(`. ${state}\n${adapt(typed)}`, { user }, until).catch(String);
      report(box, title, until.test(output) ? 0 : 1, output, adapt);
    } else {
      // doctor ends with 1 for a warning.
      const commands = adapt(typed).replaceAll(/^(bin\/)?tankwatch doctor$/gm, '$& || [ $? = 1 ]');
      // The folder may be deleted by the commands of the next box.
      const keep = `{ export -p; echo "cd '$PWD' 2> /dev/null"; } > ${state}`;
      const { status, output } = await machine.run(`. ${state}\nset -aeuo pipefail\n${commands}\n${keep}`, { user });
      report(box, title, status, output, adapt);
    }
    for (const { after } of stepsOfBox) if (after !== undefined) await must(reader, after);
  }
}

function report(
  box: ConsoleBox,
  title: string,
  status: number | null,
  output: string,
  adapt: (text: string) => string,
) {
  const missing = missingLines(output, { ...box, output: box.output.map(adapt) });
  if (status !== 0) counts.failed++;
  counts.others += missing.length;
  check(
    title,
    status === 0 && missing.length === 0,
    `exit code ${status}\nnot printed: ${missing.join('\n')}\n${output}`,
  );
  if (
    /^tankwatch (doctor|status|upgrade|backup|restore)/.test(title) ||
    box.commands.some((one) => /\btankwatch (doctor|upgrade)$/.test(one))
  )
    console.log(output.replaceAll(/^/gm, '        '));
}

/** Runs commands that are in no document, such as the preparation of the machine of the walk. */
export async function must({ machine, user }: Reader, script: string): Promise<string> {
  const { status, output } = await machine.run(
    `[ ! -e /tmp/state-${user} ] || . /tmp/state-${user}\nset -euo pipefail\n${script}`,
    { user },
  );
  check(`(${script.split('\n')[0]?.slice(0, 120)})`, status === 0, output);
  return output;
}
