import { open } from 'node:fs/promises';
import { errorCode } from '../values/error_code.ts';
import { parseJson } from '../values/json.ts';
import { readFileLines } from '../values/text_lines.ts';
import { UserError } from '../values/user_error.ts';
import { parseRemoval, type Removal } from './removal.ts';

/** Whether a line is empty, or the beginning of a removal. After a power failure, zero bytes can be in place of the rest. */
const isCutOff = (line: string): boolean =>
  '{"id"'.startsWith(line.replace(/\0+$/, '').slice(0, 5)) && parseJson(Buffer.from(line)) === undefined;

/** Skips lines that a crash has cut off: the worker appends their removals again. Other unreadable lines are errors. */
export async function readRemovalFile(file: string): Promise<Removal[]> {
  await using handle = await open(file).catch((error: unknown) => {
    throw new UserError(`cannot read ${file} (${errorCode(error)}); check its name and your rights.`);
  });
  const removals: Removal[] = [];
  const unreadable: number[] = [];
  let lineNo = 0;
  for await (const line of readFileLines(handle)) {
    lineNo++;
    const removal = parseRemoval(line);
    if (removal !== undefined) removals.push(removal);
    else if (!isCutOff(line.trim())) unreadable.push(lineNo);
  }
  if (unreadable.length > 0)
    throw new UserError(`line ${unreadable[0]} of ${file} is not a removal; give the file as the worker wrote it.`);
  return removals;
}
