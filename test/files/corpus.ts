import type { RowOptions } from '../../src/catalog/import_row.ts';
import type { CsvOptions } from '../../src/values/csv_reader.ts';
import { excelDays, workbookOf, zipOf } from '../support/workbook.ts';

/** A file as a person may have it, and the expected result of its import. */
export interface CorpusFile {
  name: string;
  kind: 'customers' | 'tanks' | 'readings';
  bytes: Uint8Array;
  csv?: CsvOptions;
  options?: Partial<RowOptions>;
  /** The values that must be stored, as they are in the database. */
  stored?: Record<string, unknown>[];
  /** The errors of the rows that are refused, by line. */
  bad?: Record<number, RegExp>;
  /** The sentence with which the whole file is refused. */
  refused?: RegExp;
  /** The sentence about its encoding, its title or its totals. */
  note?: RegExp;
  notes?: RegExp[];
}

const utf8 = (text: string): Buffer => Buffer.from(text);
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const utf16le = (text: string): Uint8Array => Buffer.from(text, 'utf16le');
const utf16be = (text: string): Uint8Array => Buffer.from(text, 'utf16le').swap16();

/** Text in another encoding, given with the bytes of the characters that are not ASCII. */
const encoded = (text: string, bytes: Readonly<Record<string, number>>): Uint8Array =>
  Uint8Array.from(Array.from(text, (character) => bytes[character] ?? character.charCodeAt(0)));
const CP1252 = { '€': 0x80, '’': 0x92, '–': 0x96, ñ: 0xf1, é: 0xe9, í: 0xed, ó: 0xf3 };
const CP1250 = { ł: 0xb3, ś: 0x9c, ż: 0xbf, ń: 0xf1, ó: 0xf3 };
const CP1251 = { И: 0xc8, в: 0xe2, а: 0xe0, н: 0xed };
const MAC_ROMAN = { í: 0x92, é: 0x8e, ñ: 0x96, á: 0x87 };
const CP850 = { í: 0xa1, é: 0x82, ñ: 0xa4, ü: 0x81, ó: 0xa2 };

const BOM = '\uFEFF';
const WESTERN = /not UTF-8; it was decoded as Windows-1252/;
const customer = (external_key: string, name: string, email: string, phone: string | null = null) => ({
  external_key,
  name,
  email,
  phone,
});
const MARIA = customer('C-1', 'María Núñez', 'maria@example.com', '+52 222 555 0142');
const MARIA_FILE = 'external_key;name;email;phone\r\nC-1;María Núñez;maria@example.com;+52 222 555 0142\r\n';

const TANKS = 'owner;custom_id;name;assigned_device_id;capacity;capacity_unit;min_fill_alert_percentage';
const tank = (custom_id: string, name: string, device: string, capacity: number, unit = 'liters', threshold = 20) => ({
  custom_id,
  name,
  assigned_device_id: device,
  capacity,
  capacity_unit: unit,
  min_fill_alert_percentage: threshold,
});

const READINGS = 'device_id;created_at;fill_percentage';
const reading = (created_at: string, fill_percentage: number) => ({ created_at, fill_percentage });

export const CORPUS: readonly CorpusFile[] = [
  // Excel in five languages
  {
    name: 'Excel in Spanish, "CSV (delimitado por comas)": semicolons, Windows-1252, decimal comma, Spanish words',
    kind: 'tanks',
    bytes: latin1(
      `${TANKS};use_case;latitude\r\nOWNER;T-1;Depósito de Peña;D-es1;1.234,5;Litros;20;Residencial;19,0433\r\n` +
        'OWNER;T-2;Hotel ¿Mirador?;D-es2;300;GALONES;25 %;comercial;-19,043\r\n',
    ),
    note: WESTERN,
    stored: [
      { ...tank('T-1', 'Depósito de Peña', 'D-es1', 1234.5), use_case: 'residential', latitude: 19.0433 },
      { ...tank('T-2', 'Hotel ¿Mirador?', 'D-es2', 300, 'gallons', 25), use_case: 'commercial', latitude: -19.043 },
    ],
  },
  {
    name: 'Excel in German, "CSV (Trennzeichen-getrennt)": own column names and words',
    kind: 'tanks',
    bytes: latin1(
      'Kundennummer;Nr;Bezeichnung;Sensor;Volumen;Einheit;Schwelle\r\nOWNER;T-3;Bäckerei Groß;D-de1;2.700,75;Liter;30\r\n',
    ),
    options: {
      columns: {
        owner: 'kundennummer',
        custom_id: 'Nr',
        name: 'Bezeichnung',
        assigned_device_id: 'Sensor',
        capacity: 'Volumen',
        capacity_unit: 'Einheit',
        min_fill_alert_percentage: 'Schwelle',
      },
      words: new Map([['capacity_unit', new Map([['liter', 'liters']])]]),
    },
    note: WESTERN,
    stored: [tank('T-3', 'Bäckerei Groß', 'D-de1', 2700.75, 'liters', 30)],
  },
  {
    name: 'Excel in French: no-break spaces between groups of digits, typographic apostrophes',
    kind: 'tanks',
    bytes: utf8(
      `${BOM}${TANKS}\r\nOWNER;T-4;L’Hôtel de l’Été;D-fr1;1\u202f234,50;liters;15\r\nOWNER;T-5;Café;D-fr2;12\u00a0000;liters;15\r\n`,
    ),
    stored: [
      tank('T-4', 'L’Hôtel de l’Été', 'D-fr1', 1234.5, 'liters', 15),
      tank('T-5', 'Café', 'D-fr2', 12000, 'liters', 15),
    ],
  },
  {
    name: 'Excel in Portuguese, "CSV UTF-8 (delimitado por vírgulas)"',
    kind: 'customers',
    bytes: utf8(`${BOM}external_key;name;email;phone\r\nC-2;"São João; Conceição";joao@example.com;\r\n`),
    stored: [customer('C-2', 'São João; Conceição', 'joao@example.com')],
  },
  {
    name: 'Excel in English: commas, quotes and line breaks in cells',
    kind: 'customers',
    bytes: utf8('external_key,name,email,phone\r\nC-3,"O\'Hara, ""Bob""\nand sons",bob@example.com,\r\n'),
    stored: [customer('C-3', 'O\'Hara, "Bob" and sons', 'bob@example.com')],
  },
  // Delimiters and line ends
  { name: 'tabs', kind: 'customers', bytes: utf8(MARIA_FILE.replaceAll(';', '\t')), stored: [MARIA] },
  {
    name: 'a first line sep=;',
    kind: 'customers',
    bytes: latin1(`sep=;\r\n${MARIA_FILE}`),
    note: WESTERN,
    stored: [MARIA],
  },
  {
    name: 'semicolons with commas in the header, and blanks around names',
    kind: 'customers',
    bytes: utf8(
      ' External_Key ; name ;"email";phone;"notes, remarks, more, etc."\nC-1; María Núñez ;maria@example.com;+52 222 555 0142;a,b\n',
    ),
    stored: [MARIA],
  },
  {
    name: 'line ends of an old Macintosh',
    kind: 'customers',
    bytes: utf8(MARIA_FILE.replaceAll('\r\n', '\r')),
    stored: [MARIA],
  },
  {
    name: 'empty rows and empty columns to the right, as a spreadsheet leaves them',
    kind: 'customers',
    bytes: utf8(MARIA_FILE.replaceAll('\r\n', ';;\r\n') + ';;;;;\r\n\r\n;;;;;\r\n'),
    stored: [MARIA],
  },
  {
    name: 'a delimiter that is given',
    kind: 'customers',
    bytes: utf8('external_key;name;email;phone\n"a;b;c";x;y@example.com;\n'),
    csv: { delimiter: ';' },
    stored: [customer('a;b;c', 'x', 'y@example.com')],
  },
  // Encodings
  {
    name: 'UTF-16 LE with a mark: "Unicode Text" of Excel',
    kind: 'customers',
    bytes: utf16le(BOM + MARIA_FILE.replaceAll(';', '\t')),
    note: /UTF-16LE/,
    stored: [MARIA],
  },
  {
    name: 'UTF-16 BE with a mark',
    kind: 'customers',
    bytes: utf16be(BOM + MARIA_FILE),
    note: /UTF-16BE/,
    stored: [MARIA],
  },
  {
    name: 'UTF-16 LE without a mark',
    kind: 'customers',
    bytes: utf16le(MARIA_FILE),
    note: /UTF-16LE/,
    stored: [MARIA],
  },
  {
    name: 'UTF-16 BE without a mark',
    kind: 'customers',
    bytes: utf16be(MARIA_FILE),
    note: /UTF-16BE/,
    stored: [MARIA],
  },
  {
    name: 'Windows-1252 with the signs that ISO 8859-1 does not have',
    kind: 'customers',
    bytes: encoded('external_key;name;email\nC-4;L’Étoile – 5 €;e@example.com\n', { ...CP1252, É: 0xc9 }),
    note: WESTERN,
    stored: [{ external_key: 'C-4', name: 'L’Étoile – 5 €', email: 'e@example.com' }],
  },
  {
    name: 'Windows-1250 (Polish), not named',
    kind: 'customers',
    bytes: encoded('external_key;name;email\nC-5;Paweł Wiśniewski;p@example.com\n', CP1250),
    refused:
      /^a file: line 2 is not UTF-8, and as Windows-1252 line 2 reads 'Pawe³ Wiœniewski', which looks wrong; in Excel, save/,
  },
  {
    name: 'Windows-1250 (Polish), named',
    kind: 'customers',
    bytes: encoded('external_key;name;email\nC-5;Paweł Wiśniewski;p@example.com\n', CP1250),
    csv: { encoding: 'windows-1250' },
    stored: [{ external_key: 'C-5', name: 'Paweł Wiśniewski', email: 'p@example.com' }],
  },
  {
    name: 'Windows-1251 (Russian), not named',
    kind: 'customers',
    bytes: encoded('external_key;name;email\nC-6;Иван;i@example.com\n', CP1251),
    refused: /which looks wrong/,
  },
  {
    name: 'Windows-1252 with accents in a row, in capital letters',
    kind: 'customers',
    bytes: latin1('external_key;name;email\nC-12;JOSÉ ÑÁÑEZ;n@example.com\nC-13;Àéèb;a@example.com\n'),
    note: WESTERN,
    stored: [
      { external_key: 'C-12', name: 'JOSÉ ÑÁÑEZ', email: 'n@example.com' },
      { external_key: 'C-13', name: 'Àéèb', email: 'a@example.com' },
    ],
  },
  {
    name: 'Mac OS Roman, not named',
    kind: 'customers',
    bytes: encoded('external_key;name;email\nC-7;María Peña José;m@example.com\n', MAC_ROMAN),
    refused: /which looks wrong/,
  },
  {
    name: '"CSV (MS-DOS)", not named',
    kind: 'customers',
    bytes: encoded('external_key;name;email\nC-8;Peña Müller;m@example.com\n', CP850),
    refused: /which looks wrong/,
  },
  {
    name: 'UTF-8 with one line of Windows-1252, as when files are joined',
    kind: 'customers',
    bytes: Buffer.concat([utf8(MARIA_FILE), latin1('C-9;José;j@example.com;\r\n')]),
    refused: /line 3 is not UTF-8, and as Windows-1252 line 2 reads 'MarÃ­a/,
  },
  {
    name: 'the mark of UTF-8 before text that is not UTF-8',
    kind: 'customers',
    bytes: Buffer.concat([utf8(BOM), latin1(MARIA_FILE)]),
    refused: /begins with the mark of UTF-8, but line 2 is not UTF-8/,
  },
  {
    name: 'letters that an earlier conversion has replaced',
    kind: 'customers',
    bytes: utf8('external_key;name;email\nC-10;Mar\uFFFDa;m@example.com\nC-11;Ana;ana@example.com\n'),
    stored: [{ external_key: 'C-11', name: 'Ana', email: 'ana@example.com' }],
    bad: { 2: /^name: 'Mar\uFFFDa' has a character that an earlier conversion has broken$/ },
  },
  // Values
  {
    // 1,000 is read by the rules of English, the language of the organization.
    name: 'ambiguous numbers, and words that are not known',
    kind: 'tanks',
    bytes: utf8(
      `${TANKS}\nOWNER;T-6;a;D-6;1.000;liters;20\nOWNER;T-7;b;D-7;1,000;liters;20\nOWNER;T-8;c;D-8;500 L;liters;20\n` +
        'OWNER;T-9;d;D-9;12,5;barril;20\nOWNER;T-10;e;8,61E+14;12,5;liters;20\nOWNER;T-11;f;D-11;0,125;liters;20\n',
    ),
    stored: [tank('T-7', 'b', 'D-7', 1000), tank('T-11', 'f', 'D-11', 0.125)],
    bad: {
      2: /^capacity: '1\.000' can mean 1 or 1000$/,
      4: /^capacity: '500 L' must be a number from 0.001 to 1,000,000,000$/,
      5: /^capacity_unit: 'barril' is not known$/,
      6: /^assigned_device_id: '8,61E\+14' is a number that a spreadsheet has shortened$/,
    },
  },
  {
    name: 'the same numbers with the decimal mark named',
    kind: 'tanks',
    bytes: utf8(
      `${TANKS}\nOWNER;T-12;a;D-12;1.000;liters;20\nOWNER;T-13;b;D-13;1,125;liters;20\nOWNER;T-14;c;D-14;12.5;liters;20\n`,
    ),
    options: { format: { decimal: 'comma' } },
    stored: [tank('T-12', 'a', 'D-12', 1000), tank('T-13', 'b', 'D-13', 1.125)],
    bad: { 4: /^capacity: '12\.5' contradicts --decimal comma$/ },
  },
  {
    name: 'readings with decimal commas and times of several notations',
    kind: 'readings',
    bytes: latin1(
      `${READINGS};Ubicación\r\nDEV;2025-01-01T06:00:00Z;45,5;Peña\r\nDEV;2025-01-01 07:00:00+01:00;45.5;x\r\nDEV;2025-01-01T08:00:00Z;45.125 %;x\r\n` +
        'DEV;31/12/2025 14:05;45,5;x\r\nDEV;2025-01-01T09:00:00Z;1.234,5;x\r\n',
    ),
    note: WESTERN,
    stored: [reading('2025-01-01T06:00:00.000Z', 45.5), reading('2025-01-01T08:00:00.000Z', 45.13)],
    bad: {
      5: /^"31\/12\/2025 14:05" must be a time such as 2025-12-31T14:05:00Z; for days such as 31\/12\/2025, use --date-order/,
      6: /from 0 to 100 percent/,
    },
  },
  {
    name: 'readings with the times of Excel in Mexico',
    kind: 'readings',
    bytes: utf8(`${READINGS}\nDEV;31/12/2025 02:05:00 p. m.;12,5\nDEV;01/02/2025 00:30;13\nDEV;13/13/2025 00:30;13\n`),
    options: { format: { dateOrder: 'dmy', timeZone: 'America/Mexico_City' } },
    stored: [reading('2025-02-01T06:30:00.000Z', 13), reading('2025-12-31T20:05:00.000Z', 12.5)],
    bad: { 4: /is not a time with --date-order dmy/ },
  },
  {
    name: 'a title with commas above a table with semicolons, a heading of two rows, and totals',
    kind: 'readings',
    bytes: utf8(
      'Gas del Valle, S.A., Celaya, 2025\nInforme;;\n\ndevice_id;Lectura;\n;created_at;fill_percentage\n' +
        'DEV;2025-01-01T06:00:00Z;45,5\nDEV;2025-01-01T12:00:00Z;44,5\nPromedio;;45\n',
    ),
    stored: [reading('2025-01-01T06:00:00.000Z', 45.5), reading('2025-01-01T12:00:00.000Z', 44.5)],
    notes: [/^the table begins in line 5; the lines above/, /^left out 1 row with totals, first in line 8\.$/],
  },
  // Broken files
  {
    name: 'a quote that is not closed',
    kind: 'customers',
    bytes: utf8('external_key,name,email\nC-12,Ana,a@example.com\nC-13,"Ben,b@example.com\nC-14,Eva,e@example.com\n'),
    refused: /not well-formed CSV: a quote in line 3 is not closed/,
  },
  {
    name: 'text after a closing quote, and a row that is too short',
    kind: 'customers',
    bytes: utf8('external_key,name,email\nC-15,"Tank "A" north",a@example.com\nC-16,Ben\nC-17,5" pipe,e@example.com\n'),
    stored: [{ external_key: 'C-17', name: '5" pipe', email: 'e@example.com' }],
    bad: {
      2: /^the row has text after a closing quote; write a quote inside a quoted cell twice$/,
      3: /^the row has 2 columns where the header has 3$/,
    },
  },
  {
    name: 'whole lines in quotes, as when a CSV file is opened in one column and saved again',
    kind: 'customers',
    bytes: utf8('"external_key,name,email"\r\n"C-20,Ana,a@example.com"\r\n'),
    refused: /the first line is one cell, external_key,name,email; remove the quotes around whole lines/,
  },
  {
    name: 'a file of macOS: accents are characters of their own in the header and in words',
    kind: 'customers',
    bytes: utf8('external_key;Teléfono;name;email;is_verified\nC-21;1;Inés;i@example.com;Sí\n'.normalize('NFD')),
    options: { columns: { phone: 'Teléfono' } },
    stored: [{ external_key: 'C-21', phone: '1', name: 'Inés', is_verified: true }],
  },
  {
    name: 'an Excel workbook that is cut off',
    kind: 'customers',
    bytes: latin1('PK\x03\x04\x14\x00\x06\x00'),
    refused: /^the workbook cannot be read \(.*\); save it as "CSV UTF-8" in Excel\.$/,
  },
  {
    name: 'a ZIP file without a workbook',
    kind: 'customers',
    bytes: zipOf([{ path: 'readme.txt', bytes: utf8('external_key,name,email') }]),
    refused: /is a ZIP file, but not a workbook of Excel \(\.xlsx\); save it as "CSV UTF-8" in Excel/,
  },
  {
    name: 'a workbook with a title, numbers as identifiers, and a hidden sheet before it',
    kind: 'customers',
    bytes: workbookOf([
      { name: 'Old', isHidden: true, rows: [['external_key', 'name', 'email']] },
      {
        name: 'Customers',
        rows: [
          ['Customers of 2025'],
          [],
          ['external_key', 'name', 'email', 'phone', 'is_verified'],
          [1042, 'José & Söhne <GmbH>', 'j@example.com', 861234567890123, true],
          ['C-23', 'Ana', 'a@example.com', null, false],
        ],
      },
    ]),
    stored: [
      { external_key: '1042', name: 'José & Söhne <GmbH>', phone: '861234567890123', is_verified: true },
      { external_key: 'C-23', name: 'Ana', phone: null, is_verified: false },
    ],
    note: /^the table begins in line 3; the lines above it were left out\.$/,
  },
  {
    name: 'a workbook of readings: times and shares are numbers with a format, and the last row is a total',
    kind: 'readings',
    bytes: workbookOf([
      {
        name: 'Levels',
        rows: [
          ['device_id', 'created_at', 'fill_percentage'],
          ['DEV', { days: excelDays('2025-02-01T06:00') }, { share: 0.774 }],
          ['DEV', { days: excelDays('2025-02-01T18:07:30') }, 76.9],
          ['DEV', '02/02/2025 06:00', '75,5'],
          ['Total', null, 229.8],
        ],
      },
    ]),
    options: { format: { dateOrder: 'dmy', timeZone: 'America/Mexico_City' } },
    stored: [
      reading('2025-02-01T12:00:00.000Z', 77.4),
      reading('2025-02-02T00:07:30.000Z', 76.9),
      reading('2025-02-02T12:00:00.000Z', 75.5),
    ],
    note: /^left out 1 row with totals, first in line 5\.$/,
  },
  {
    name: 'a web page with the name .xls',
    kind: 'customers',
    bytes: utf8('<html><table><tr><td>external_key'),
    refused: /HTML or XML and not CSV/,
  },
  {
    name: 'an empty file',
    kind: 'customers',
    bytes: utf8(BOM),
    refused: /the file is empty; the first line must contain the column names/,
  },
  {
    name: 'a column that occurs twice',
    kind: 'customers',
    bytes: utf8('external_key,name,email,Name\nC-18,Ana,a@example.com,Eva\n'),
    refused: /has the column name twice/,
  },
  {
    name: 'a file without a header',
    kind: 'customers',
    bytes: utf8('C-19,Ana,a@example.com\n'),
    refused: /has no column external_key, email, name\. Its columns are C-19, Ana, a@example\.com/,
  },
];
