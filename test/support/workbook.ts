import { crc32, deflateRawSync } from 'node:zlib';

/** `days` is a date with the format dd/mm/yyyy hh:mm, `share` has the format 0.0%, and null is an empty cell. */
export type Cell = string | number | { days: number } | { share: number } | boolean | null;

export interface WorkbookSheet {
  name: string;
  rows: readonly (readonly Cell[])[];
  /** Merged areas, such as A1:F1. Only the first cell of an area has a value. */
  merged?: readonly string[];
  isHidden?: boolean;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter;
}

/** A workbook as Excel writes it: texts are shared, and dates are numbers with a format. */
export function workbookOf(sheets: readonly WorkbookSheet[], { isFrom1904 = false } = {}): Buffer {
  const strings: string[] = [];
  const shared = (text: string): number => {
    const index = strings.indexOf(text);
    return index < 0 ? strings.push(text) - 1 : index;
  };
  const cellXml = (cell: Cell, reference: string): string => {
    if (cell === null) return '';
    if (typeof cell === 'string') return `<c r="${reference}" t="s"><v>${shared(cell)}</v></c>`;
    if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
    if (typeof cell === 'boolean') return `<c r="${reference}" t="b"><v>${cell ? 1 : 0}</v></c>`;
    if ('days' in cell) return `<c r="${reference}" s="1"><v>${cell.days}</v></c>`;
    return `<c r="${reference}" s="2"><v>${cell.share}</v></c>`;
  };
  const sheetXml = ({ rows, merged = [] }: WorkbookSheet): string => {
    const rowXml = rows.map((cells, line) => {
      const texts = cells.map((cell, index) => cellXml(cell, `${columnLetters(index)}${line + 1}`)).join('');
      return texts === '' ? '' : `<row r="${line + 1}">${texts}</row>`;
    });
    const merges = merged.map((area) => `<mergeCell ref="${area}"/>`).join('');
    return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rowXml.join('')}</sheetData>${
      merges === '' ? '' : `<mergeCells count="${merged.length}">${merges}</mergeCells>`
    }</worksheet>`;
  };
  return workbookFile(sheets, sheets.map(sheetXml), strings, isFrom1904);
}

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"';

function workbookFile(
  sheets: readonly WorkbookSheet[],
  sheetXml: readonly string[],
  strings: readonly string[],
  isFrom1904: boolean,
): Buffer {
  const relation = (id: number, type: string, target: string): string =>
    `<Relationship Id="rId${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const sheetList = sheets.map(
    ({ name, isHidden }, index) =>
      `<sheet name="${escaped(name)}" sheetId="${index + 1}"${isHidden ? ' state="hidden"' : ''} r:id="rId${index + 1}"/>`,
  );
  const content = [
    '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>',
    '<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>',
    '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>',
    ...sheets.map(
      (_, index) =>
        `<Override PartName="/xl/worksheets/sheet${index + 1}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`,
    ),
  ];
  const n = sheets.length;
  const parts: Record<string, string> = {
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${content.join('')}</Types>`,
    '_rels/.rels': `<Relationships ${RELATIONS}>${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${OFFICE}"><workbookPr${isFrom1904 ? ' date1904="1"' : ''}/><sheets>${sheetList.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships ${RELATIONS}>${sheets
      .map((_, index) => relation(index + 1, 'worksheet', `worksheets/sheet${index + 1}.xml`))
      .join(
        '',
      )}${relation(n + 1, 'styles', 'styles.xml')}${relation(n + 2, 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    'xl/styles.xml': `<styleSheet ${MAIN}><numFmts count="2"><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm"/><numFmt numFmtId="165" formatCode="0.0%"/></numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst ${MAIN} uniqueCount="${strings.length}">${strings
      .map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`)
      .join('')}</sst>`,
  };
  for (const [index, xml] of sheetXml.entries()) parts[`xl/worksheets/sheet${index + 1}.xml`] = xml;
  const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
  return zipOf(Object.entries(parts).map(([path, text]) => ({ path, bytes: Buffer.from(declaration + text) })));
}

export interface ZipPart {
  path: string;
  bytes: Buffer;
  /** The unpacked size in the header, if it must be false. */
  claimedBytes?: number;
}

/** A ZIP file. All times are the same, so that equal parts give equal bytes. */
export function zipOf(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, bytes, claimedBytes = bytes.length } of parts) {
    const packed = deflateRawSync(bytes, { level: 9 });
    const name = Buffer.from(path);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // version needed
    common.writeUInt16LE(0x0800, 2); // names are UTF-8
    common.writeUInt16LE(8, 4); // deflate
    common.writeUInt32LE(0x00210000, 6); // 1980-01-01 00:00
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedBytes, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name, packed]);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, entry, name]));
    files.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, central, end]);
}

/** The day number of Excel for a local time, such as 2025-02-01T06:00. */
export const excelDays = (local: string): number => (Date.parse(`${local}Z`) - Date.UTC(1899, 11, 30)) / 86_400_000;
