import { inflateSync } from 'node:zlib';

/** The text of each page of a PDF that Chromium printed, in the order in which it is drawn. */
export function pdfPages(pdf: Buffer): string[] {
  const objects = readObjects(pdf);
  const pages = [...objects.values()].filter(({ head }) => /\/Type\s*\/Page\b/.test(head));
  return pages.map(({ head }) => {
    const contents = referencesIn(/\/Contents\s*(\[[^\]]*\]|\d+ 0 R)/.exec(head)?.[1] ?? '');
    const fonts = fontsOf(head, objects);
    return contents.map((no) => textOf(objects.get(no)?.stream.toString('latin1') ?? '', fonts)).join('');
  });
}

interface PdfObject {
  head: string;
  stream: Buffer;
}

const referencesIn = (text: string): number[] => [...text.matchAll(/(\d+) 0 R/g)].map(([, no]) => Number(no));

function readObjects(pdf: Buffer): Map<number, PdfObject> {
  const text = pdf.toString('latin1');
  const objects = new Map<number, PdfObject>();
  for (const { index, 0: start, 1: no } of text.matchAll(/(?:^|\n)(\d+) 0 obj\s/g)) {
    const end = text.indexOf('endobj', index);
    const from = index + start.length;
    const streamAt = text.indexOf('stream', from);
    if (streamAt === -1 || streamAt > end) {
      objects.set(Number(no), { head: text.slice(from, end), stream: Buffer.alloc(0) });
      continue;
    }
    const head = text.slice(from, streamAt);
    const length = Number(/\/Length (\d+)/.exec(head)?.[1] ?? 0);
    const begin = streamAt + (text.startsWith('stream\r\n', streamAt) ? 8 : 7);
    const raw = pdf.subarray(begin, begin + length);
    objects.set(Number(no), { head, stream: head.includes('/FlateDecode') ? inflateSync(raw) : raw });
  }
  return objects;
}

/** The characters of the glyphs of each font of a page, by the name of the font. */
function fontsOf(page: string, objects: Map<number, PdfObject>): Map<string, Map<string, string>> {
  const resources = /\/Resources\s*(\d+) 0 R/.exec(page)?.[1];
  const text = resources === undefined ? page : (objects.get(Number(resources))?.head ?? '');
  const list = /\/Font\s*<<([^>]*)>>/.exec(text)?.[1] ?? '';
  return new Map(
    [...list.matchAll(/\/(\w+)\s+(\d+) 0 R/g)].map(([, name = '', no]) => {
      const font = objects.get(Number(no))?.head ?? '';
      const map = objects.get(Number(/\/ToUnicode\s*(\d+) 0 R/.exec(font)?.[1]))?.stream.toString('latin1') ?? '';
      return [name, charactersOf(map)];
    }),
  );
}

function charactersOf(map: string): Map<string, string> {
  const characters = new Map<string, string>();
  for (const [, block = ''] of map.matchAll(/beginbfchar([^]*?)endbfchar/g)) {
    for (const [, glyph = '', code = ''] of block.matchAll(/<(\w+)>\s*<(\w+)>/g))
      characters.set(glyph, decodeHex(code));
  }
  for (const [, block = ''] of map.matchAll(/beginbfrange([^]*?)endbfrange/g)) {
    for (const [, first = '', last = '', code = ''] of block.matchAll(/<(\w+)>\s*<(\w+)>\s*<(\w+)>/g)) {
      for (let glyph = Number.parseInt(first, 16); glyph <= Number.parseInt(last, 16); glyph++) {
        const next = Number.parseInt(code, 16) + glyph - Number.parseInt(first, 16);
        characters.set(glyph.toString(16).toUpperCase().padStart(4, '0'), String.fromCodePoint(next));
      }
    }
  }
  return characters;
}

const decodeHex = (hex: string): string =>
  (hex.match(/.{4}/g) ?? []).map((code) => String.fromCharCode(Number.parseInt(code, 16))).join('');

/** Chromium draws a word in pieces, between which it moves letters closer together. */
function textOf(content: string, fonts: Map<string, Map<string, string>>): string {
  let characters = new Map<string, string>();
  let text = '';
  for (const [, font, shown, array] of content.matchAll(/\/(\w+) [\d.]+ Tf|<(\w+)>\s*Tj|\[([^\]]*)\]\s*TJ/g)) {
    if (font !== undefined) {
      characters = fonts.get(font) ?? new Map();
      continue;
    }
    const hex = shown ?? [...(array ?? '').matchAll(/<(\w+)>/g)].map(([, part]) => part).join('');
    text += (hex.toUpperCase().match(/.{4}/g) ?? []).map((glyph) => characters.get(glyph) ?? '').join('');
  }
  return text;
}
