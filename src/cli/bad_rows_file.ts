import { type FileHandle, open, realpath } from 'node:fs/promises';
import { BYTE_ORDER_MARK, csvLine } from '../values/csv.ts';
import { UserError } from '../values/user_error.ts';
import { fileError } from './input_file.ts';

const REASON = 'reason';

/**
 * The bad rows of a CSV file as they were, with a first column that gives the reason. After the rows were corrected, the
 * file can be imported as it is: imports skip the column `reason`. It is first, so that it stays in place in rows that have
 * too few or too many cells.
 */
export class BadRowsFile {
  readonly #handle: FileHandle;
  /** The delimiter of the file that is imported. */
  delimiter = ',';
  /** The index of the column with the reasons of an earlier import, which are replaced. -1 if there is none. */
  #skippedIndex = -1;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Creates the file. Only the operator may read it, because it has personal data. */
  static async create(path: string, inputPath: string): Promise<BadRowsFile> {
    const [output, input] = await Promise.all([path, inputPath].map((name) => realpath(name).catch(() => name)));
    if (output === input)
      throw new UserError(`--bad must not be the file that is imported, ${path}; choose another name.`);
    const handle = await open(path, 'w', 0o600).catch((error: unknown) => {
      throw fileError(error, path, 'write');
    });
    await handle.chmod(0o600); // for a file that existed before
    return new BadRowsFile(handle);
  }

  /** Begins with a byte order mark, so that Excel shows the same characters. */
  async writeHeader(cells: readonly string[]): Promise<void> {
    this.#skippedIndex = cells.findIndex((cell) => cell.trim().toLowerCase() === REASON);
    await this.#handle.appendFile(BYTE_ORDER_MARK);
    await this.writeRow(REASON, cells);
  }

  async writeRow(reason: string, cells: readonly string[]): Promise<void> {
    const kept = cells.filter((_, index) => index !== this.#skippedIndex);
    await this.#handle.appendFile(csvLine([reason, ...kept], { delimiter: this.delimiter }));
  }

  /** Writes a line of another format than CSV. */
  async writeLine(line: string): Promise<void> {
    await this.#handle.appendFile(`${line}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}
