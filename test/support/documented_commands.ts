import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from './client.ts';
import { type ConsoleBox, missingLines, parseConsoleBoxes } from './console_boxes.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOT_COPIED = new Set(['.git', 'node_modules', '.dev', 'coverage', 'dist']);
/** A box that takes longer hangs, also on a busy machine, and is stopped. */
const BOX_SECONDS = 600;

/** A copy of this repository, in which commands may create files. */
export async function copyRepository(): Promise<{ folder: string; copy: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-reader-'));
  await chmod(folder, 0o755); // PostgreSQL does not run as root, and its user must enter the folder
  const copy = join(folder, 'tankwatch');
  const isCopied = (path: string): boolean =>
    !relative(ROOT, path)
      .split('/')
      .some((part) => NOT_COPIED.has(part));
  await cp(ROOT, copy, { recursive: true, filter: isCopied });
  // The copy has its own node_modules, in which tools can create files, also if the packages belong to another user.
  await mkdir(join(copy, 'node_modules'));
  for (const name of (await readdir(join(ROOT, 'node_modules'))).filter((entry) => !entry.startsWith('.vite')))
    await symlink(join(ROOT, 'node_modules', name), join(copy, 'node_modules', name));
  return { folder, copy, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Somebody who types the commands of documents, one box after the other, in one terminal. */
export interface Reader {
  /** Where the commands run. */
  cwd: string;
  /** A file that carries the variables of one box to the next. */
  variablesFile: string;
  environment: Readonly<Record<string, string>>;
  /** The command with the own addresses, ids and keys of the reader. */
  asTyped: (command: string) => string;
}

const DOCTOR = 'tankwatch doctor';

export const isRun = ({ note }: ConsoleBox): boolean => !note.startsWith('not run by the test: ');

/** Runs the boxes of a page. Returns what differs from the page: exit codes, and lines that were not printed. */
export async function runPage(reader: Reader, page: string): Promise<string[]> {
  const boxes = parseConsoleBoxes(await readFile(join(ROOT, page), 'utf8'));
  const failures: string[] = [];
  let isDiagnosed = false;
  for (const box of boxes.filter(isRun)) {
    // A page may show doctor several times. It takes seconds, and once is enough.
    const commands: string[] = isDiagnosed ? box.commands.filter((command) => command !== DOCTOR) : box.commands;
    isDiagnosed ||= commands.includes(DOCTOR);
    if (commands.length > 0) failures.push(...(await runBox(reader, { ...box, commands })));
  }
  return failures;
}

async function runBox({ cwd, variablesFile, environment, asTyped }: Reader, box: ConsoleBox): Promise<string[]> {
  const commands = box.commands.map(asTyped);
  const codesFile = `${variablesFile}.codes`;
  const script = [
    'set -o pipefail -o allexport',
    `. ${variablesFile}`,
    ...commands.flatMap((command) => [command, `echo $? >> ${codesFile}`]),
    `export -p > ${variablesFile}`,
  ];
  await writeFile(codesFile, '');
  // Output to a file and not to a pipe: Node makes a pipe non-blocking, and then curl fails if the reader is slow.
  const outputFile = `${variablesFile}.output`;
  const shell = `exec > ${outputFile} 2>&1 < /dev/null\n${script.join('\n')}`;
  await runProgram('timeout', [String(BOX_SECONDS), 'bash', '-c', shell], { cwd, env: { ...environment } });
  const printed = await readFile(outputFile, 'utf8');
  const codes = (await readFile(codesFile, 'utf8')).trim().split('\n').map(Number);
  const failures = commands.flatMap((command, index) =>
    isExpected(box, command, codes[index], index === commands.length - 1)
      ? []
      : [`exit code ${codes[index]}: ${command}\n${printed}`],
  );
  const missing = box.note.includes('the output is an example') ? [] : missingLines(printed, box);
  return [...failures, ...missing.map((line) => `not printed by ${commands.join('; ')}: ${line}\n${printed}`)];
}

function isExpected({ note }: ConsoleBox, command: string, code: number | undefined, isLast: boolean): boolean {
  const [, expected] = /ends with exit code (\d+)/.exec(note) ?? [];
  if (expected !== undefined && isLast) return code === Number(expected);
  // grep exits with 1 if it finds nothing, which is allowed.
  if (/\| grep /.test(command)) return code === 0 || code === 1;
  // doctor exits with 1 if it warns, for example of a size that this installation does not have.
  if (command.startsWith(DOCTOR)) return code === 0 || code === 1;
  return code === 0;
}
