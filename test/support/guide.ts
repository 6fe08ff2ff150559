import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { findProgram } from '../../engines/programs.ts';
import { codeBlocks, installClient, type Ran, runProgram } from './client.ts';

/** A program of the guide for integrators. */
export interface Snippet {
  language: 'sh' | 'ts' | 'python';
  code: string;
  /** The name of its file in the folder. Other snippets may import it. */
  file: string;
  /** The output that the guide shows; empty if it shows none. */
  output: string;
}

export interface Guide extends AsyncDisposable {
  /** Has all snippets as files, beside the installed client. */
  folder: string;
  snippets: Snippet[];
  run(snippet: Snippet, env: Record<string, string>): Promise<Ran>;
}

const PROGRAMS = {
  sh: { extension: 'sh', command: ['bash', '-euo', 'pipefail'] },
  ts: { extension: 'ts', command: [process.execPath, '--disable-warning=ExperimentalWarning'] },
  python: { extension: 'py', command: [findProgram('python3')] },
} as const;

export async function openGuide(): Promise<Guide> {
  const snippets = await readSnippets();
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-guide-'));
  const project = await installClient();
  await symlink(join(project.folder, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const { file, code } of snippets) await writeFile(join(folder, file), code);
  return {
    folder,
    snippets,
    run({ language, file }, env) {
      const [program, ...args] = PROGRAMS[language].command;
      return runProgram(program, [...args, file], { cwd: folder, env: { ...env, NO_COLOR: '1' } });
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** The programs that the page links to, then those that it shows. Blocks for a terminal are not programs. */
async function readSnippets(): Promise<Snippet[]> {
  const page = await readFile(new URL('../../docs/integrators/recipes.md', import.meta.url), 'utf8');
  const blocks = codeBlocks(page);
  const shownSnippets = blocks.flatMap(({ language, code }, index) => {
    if (language === 'text' || language === 'console') return [];
    if (!isProgram(language)) throw new Error(`no program is known that runs a block of ${language}`);
    const next = blocks[index + 1];
    const file = `snippet_${index}.${PROGRAMS[language].extension}`;
    return [{ language, code, file, output: next?.language === 'text' ? next.code : '' }];
  });
  return [...(await readLinkedFiles(page)), ...shownSnippets];
}

/** The files of examples/integrate. The first text block after the link to a file has what the file prints, if it prints something. */
async function readLinkedFiles(page: string): Promise<Snippet[]> {
  const folder = new URL('../../examples/integrate/', import.meta.url);
  return Promise.all(
    (await readdir(folder)).map(async (file) => {
      const code = await readFile(new URL(file, folder), 'utf8');
      const [, rest] = page.split(`(../../examples/integrate/${file})`);
      if (rest === undefined)
        throw new Error(`docs/integrators/recipes.md does not link to examples/integrate/${file}`);
      const isPrinting = /\bprint\(|console\.log/.test(code);
      const [block] = isPrinting ? codeBlocks(rest).filter(({ language }) => language === 'text') : [];
      return { language: file.endsWith('.py') ? 'python' : 'ts', code, file, output: block?.code ?? '' } as const;
    }),
  );
}

const isProgram = (language: string): language is Snippet['language'] => Object.hasOwn(PROGRAMS, language);

/** The readings in the file that the copying program of the guide has made, one line each. */
export function copiedReadings(mirrorFile: string): Set<string> {
  const mirror = new DatabaseSync(mirrorFile, { readOnly: true });
  const rows = mirror.prepare('select tank_id, created_at, fill from readings').all();
  mirror.close();
  return new Set(rows.map((row) => Object.values(row).join(' ')));
}
