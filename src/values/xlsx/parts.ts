import sax, { type SAXParser } from 'sax';
import type { Entry, ZipFile } from 'yauzl';
import { UserError } from '../user_error.ts';
import { SAVE_AS_CSV, WORKBOOK_LIMITS } from './limits.ts';

/** The parts of a workbook by their paths. */
export interface Package {
  zip: ZipFile;
  parts: ReadonlyMap<string, Entry>;
  /** The largest size of a part that is unpacked, if it is below the limits of WORKBOOK_LIMITS. */
  maxPartBytes?: number | undefined;
}

/** Yields the text of a part in pieces; nothing for a part that does not exist. */
export async function* partTexts(
  { zip, parts, maxPartBytes = Number.POSITIVE_INFINITY }: Package,
  path: string,
  limitBytes: number,
): AsyncGenerator<string> {
  const entry = parts.get(path);
  if (entry === undefined) return;
  const maxBytes = Math.min(limitBytes, maxPartBytes);
  if (entry.uncompressedSize > maxBytes) {
    const size = Math.ceil(entry.uncompressedSize / 2 ** 20);
    throw new UserError(
      `${path} of the workbook unpacks to ${size} MiB, and at most ${maxBytes / 2 ** 20} MiB are read; ${SAVE_AS_CSV}.`,
    );
  }
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry);
  for await (const chunk of stream) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

interface Handlers {
  onOpen?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  onText?: (text: string) => void;
  onClose?: (name: string) => void;
}

/** Limits of XML, so that a small file cannot fill the memory. A worksheet has 5 levels, and its tags have some 20 attributes. */
const MAX_DEPTH = 64;
const MAX_ATTRIBUTES = 200;
const NOT_VALID = `the workbook is not valid; ${SAVE_AS_CSV}.`;

/** Returns an XML parser that does not expand entities of the document, so a short text cannot become a long one. */
export function xmlParser({ onOpen, onText, onClose }: Handlers): { write(text: string): void; close(): void } {
  const parser = sax.parser(true, { position: false });
  const local = (name: string): string => name.slice(name.indexOf(':') + 1);
  let depth = 0;
  let attributeCount = 0;
  const handlers: Partial<SAXParser> = {
    onerror(error) {
      throw error;
    },
    onattribute() {
      attributeCount++;
      if (attributeCount > MAX_ATTRIBUTES) throw new UserError(NOT_VALID);
    },
    onopentag({ name, attributes }) {
      depth++;
      if (depth > MAX_DEPTH) throw new UserError(NOT_VALID);
      attributeCount = 0;
      const texts: Record<string, string> = {};
      for (const [key, value] of Object.entries(attributes)) texts[local(key)] = String(value);
      onOpen?.(local(name), texts);
    },
    onclosetag(name) {
      depth--;
      onClose?.(local(name));
    },
    ontext: (text) => onText?.(text),
    oncdata: (text) => onText?.(text),
  };
  Object.assign(parser, handlers);
  return { write: (text) => void parser.write(text), close: () => void parser.close() };
}

export async function parsePart(pack: Package, path: string, maxBytes: number, handlers: Handlers): Promise<void> {
  const parser = xmlParser(handlers);
  let isEmpty = true;
  for await (const text of partTexts(pack, path, maxBytes)) {
    parser.write(text);
    isEmpty = false;
  }
  if (!isEmpty) parser.close();
}

export interface Relation {
  /** The last word of its type, such as worksheet. */
  type: string;
  path: string;
}

export const splitPath = (path: string): [folder: string, name: string] => {
  const nameStart = path.lastIndexOf('/') + 1;
  return [path.slice(0, nameStart), path.slice(nameStart)];
};

export async function readRelations(pack: Package, path: string, folder: string): Promise<Map<string, Relation>> {
  const relations = new Map<string, Relation>();
  await parsePart(pack, path, WORKBOOK_LIMITS.otherBytes, {
    onOpen(name, { Id = '', Type = '', Target = '' }) {
      if (name !== 'Relationship') return;
      const target = Target.startsWith('/') ? Target.slice(1) : folder + Target;
      relations.set(Id, { type: splitPath(Type)[1], path: target.replaceAll(/(^|\/)\.\//g, '$1') });
    },
  });
  return relations;
}
