import yauzl, { type Entry } from 'yauzl';
import type { CsvRecord } from '../csv_reader.ts';
import type { DecimalMark } from '../decimal.ts';
import { UserError } from '../user_error.ts';
import { SAVE_AS_CSV, WORKBOOK_LIMITS } from './limits.ts';
import { type NumberKind, numberKind, numberText } from './number_format.ts';
import { type Package, parsePart, partTexts, type Relation, readRelations, splitPath } from './parts.ts';
import { readSharedStrings } from './shared_strings.ts';
import { SheetReader } from './sheet_reader.ts';

export interface Sheet {
  name: string;
  isHidden: boolean;
  /** The path of its part in the workbook. */
  path: string;
}

/** The values of an .xlsx file, without formulas, formats and pictures. Rows are read as a stream. */
export class Workbook {
  readonly sheets: readonly Sheet[];
  readonly #pack: Package;
  readonly #isFrom1904: boolean;
  readonly #stylesPath: string | undefined;
  readonly #stringsPath: string | undefined;

  private constructor(pack: Package, book: BookPart, paths: BookPaths) {
    this.#pack = pack;
    this.sheets = book.sheets;
    this.#isFrom1904 = book.isFrom1904;
    this.#stylesPath = paths.styles;
    this.#stringsPath = paths.strings;
  }

  static async open(chunks: AsyncIterable<Uint8Array>, maxPartBytes?: number): Promise<Workbook> {
    const bytes = await collect(chunks);
    return explainErrors(async () => {
      const zip = await yauzl.fromBufferPromise(bytes);
      const parts = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) {
        if (parts.size >= WORKBOOK_LIMITS.parts)
          throw new UserError(`the file has more than ${WORKBOOK_LIMITS.parts} parts.`);
        parts.set(entry.fileName, entry);
      }
      const pack = { zip, parts, maxPartBytes };
      const top = await readRelations(pack, '_rels/.rels', '');
      const path = [...top.values()].find(({ type }) => type === 'officeDocument')?.path ?? 'xl/workbook.xml';
      if (!parts.has(path) || !path.endsWith('.xml'))
        throw new UserError(`the file is a ZIP file, but not a workbook of Excel (.xlsx); ${SAVE_AS_CSV}.`);
      const [folder, name] = splitPath(path);
      const relations = await readRelations(pack, `${folder}_rels/${name}.rels`, folder);
      const book = await readBook(pack, path, relations);
      const partOf = (type: string): string | undefined =>
        [...relations.values()].find((relation) => relation.type === type)?.path;
      return new Workbook(pack, book, { styles: partOf('styles'), strings: partOf('sharedStrings') });
    });
  }

  /** Yields the rows of a sheet that have a value, several at a time. The line of a row is its number in the sheet. */
  async *rows(sheet: Sheet, decimal: DecimalMark | undefined): AsyncGenerator<CsvRecord[]> {
    const [kinds, strings] = await explainErrors(async () => [
      await readNumberKinds(this.#pack, this.#stylesPath),
      await readSharedStrings(this.#pack, this.#stringsPath),
    ]);
    const reader = new SheetReader(
      (stored, style) => numberText(stored, { kind: kinds[style] ?? 'number', isFrom1904: this.#isFrom1904, decimal }),
      strings,
    );
    const texts = partTexts(this.#pack, sheet.path, WORKBOOK_LIMITS.sheetBytes);
    for (;;) {
      const next = await explainErrors(() => texts.next());
      if (next.done === true) break;
      yield await explainErrors(async () => reader.read(next.value));
    }
    await explainErrors(async () => reader.end());
  }
}

interface BookPaths {
  styles: string | undefined;
  strings: string | undefined;
}

/** Runs the work. Replaces an error of a damaged file by a UserError. */
async function explainErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError) throw error;
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    throw new UserError(`the workbook cannot be read (${reason?.replace(/\.$/, '')}); ${SAVE_AS_CSV}.`);
  }
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > WORKBOOK_LIMITS.fileBytes)
      throw new UserError(`the workbook has more than ${WORKBOOK_LIMITS.fileBytes / 2 ** 20} MiB; ${SAVE_AS_CSV}.`);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** Longer names are cut. Names of Excel have at most 31 characters. */
const MAX_SHEET_NAME = 100;
const MAX_SHEETS = 255;

interface BookPart {
  sheets: Sheet[];
  isFrom1904: boolean;
}

async function readBook(pack: Package, path: string, relations: ReadonlyMap<string, Relation>): Promise<BookPart> {
  const book: BookPart = { sheets: [], isFrom1904: false };
  await parsePart(pack, path, WORKBOOK_LIMITS.otherBytes, {
    onOpen(name, attributes) {
      if (name === 'workbookPr') book.isFrom1904 = /^(1|true)$/.test(attributes['date1904'] ?? '');
      if (name !== 'sheet') return;
      const relation = relations.get(attributes['id'] ?? '');
      // A sheet with only a diagram has another type and is skipped.
      if (relation?.type !== 'worksheet') return;
      const isHidden = (attributes['state'] ?? 'visible') !== 'visible';
      if (book.sheets.length === MAX_SHEETS) throw new UserError(`the workbook has more than ${MAX_SHEETS} sheets.`);
      book.sheets.push({ name: (attributes['name'] ?? '').slice(0, MAX_SHEET_NAME), isHidden, path: relation.path });
    },
  });
  if (book.sheets.length === 0) throw new UserError('the workbook has no sheet with cells.');
  return book;
}

/** Reads the kind of each cell format, by its index. */
async function readNumberKinds(pack: Package, path = 'xl/styles.xml'): Promise<NumberKind[]> {
  const codes = new Map<number, string>();
  const kinds: NumberKind[] = [];
  let isInCellFormats = false;
  await parsePart(pack, path, WORKBOOK_LIMITS.otherBytes, {
    onOpen(name, { numFmtId = '0', formatCode }) {
      if (name === 'numFmt' && formatCode !== undefined) codes.set(Number(numFmtId), formatCode);
      if (name === 'cellXfs') isInCellFormats = true;
      if (name === 'xf' && isInCellFormats && kinds.length < WORKBOOK_LIMITS.styles)
        kinds.push(numberKind(Number(numFmtId), codes.get(Number(numFmtId))));
    },
    onClose(name) {
      if (name === 'cellXfs') isInCellFormats = false;
    },
  });
  return kinds;
}
