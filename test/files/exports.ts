import { type Cell, workbookOf } from '../support/workbook.ts';

/** A file that another program or an office exports, and the expected result of its import. */
export interface ExportedFile {
  name: string;
  language: string;
  files: Record<string, Uint8Array>;
  /** The kind, the number of rows and the number of bad rows of each table, in the order of the import. */
  tables: [kind: 'customers' | 'tanks' | 'readings', rows: number, bad: number][];
  /** The sentences about bad rows. */
  errors?: RegExp[];
  /** Whether a person has to edit the file so that all rows can be imported. */
  needsEdit?: boolean;
  /** Some values as they are stored. */
  customers?: Record<string, unknown>[];
  tanks?: Record<string, unknown>[];
  readings?: Record<string, unknown>[];
}

const utf8 = (text: string): Uint8Array => Buffer.from(text);
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const utf16 = (text: string): Uint8Array => Buffer.from(`\uFEFF${text}`, 'utf16le');
const NO_EMAIL = 'no-email@customer.invalid';
const sheet = (name: string, rows: Cell[][], merged: string[] = []) => ({ name, rows, merged });

export const EXPORTS: readonly ExportedFile[] = [
  {
    name: 'Spain, Excel: merged titles, decimal commas as texts, a total',
    language: 'es-ES',
    files: {
      'depositos.xlsx': workbookOf([
        sheet(
          'Hoja1',
          [
            ['Listado de depósitos — Gasóleos del Norte, S.L.'],
            [],
            [
              'Nº cliente',
              'Razón social',
              'Depósito',
              'Capacidad (l)',
              'Nº serie sonda',
              'Mín. %',
              'Población',
              'Teléfono',
            ],
            ['4301', 'Panadería Peña', 'D-1', '2.450,5', 'ES-9001', '20 %', 'Burgos', '947 555 010'],
            ['4301', 'Panadería Peña', 'D-2', '4.000', 'ES-9002', '25', 'Burgos', '947 555 010'],
            ['4310', 'Hotel Mirador', 'D-1', '10.000', 'ES-9003', '30', 'León', null],
            ['TOTAL', null, null, '16.450,5', null, null, null, null],
          ],
          ['A1:H1'],
        ),
      ]),
    },
    tables: [['tanks', 3, 0]],
    customers: [
      { external_key: '4301', name: 'Panadería Peña', email: NO_EMAIL, phone: '947 555 010' },
      { external_key: '4310' },
    ],
    tanks: [
      { custom_id: 'D-1', capacity: 2450.5, capacity_unit: 'liters', min_fill_alert_percentage: 20, city: 'Burgos' },
      { custom_id: 'D-2', capacity: 4000, assigned_device_id: 'ES-9002' },
      { custom_id: 'D-1', capacity: 10000 },
    ],
  },
  {
    name: 'Germany, a dispatch program: semicolons, Windows-1252, no devices',
    language: 'en',
    files: {
      'kunden.csv': latin1(
        'Kd.-Nr.;Name;Straße;PLZ;Ort;Behälter;Größe (Liter);Telefon\r\n' +
          '70012;Bäckerei Groß;Am Wehr 3;97070;Würzburg;1;2.700;0931 55501\r\n' +
          '70012;Bäckerei Groß;Am Wehr 3;97070;Würzburg;2;4.850,5;0931 55501\r\n' +
          '70044;Müller, Jörg;Hauptstr. 9;97072;Würzburg;1;2.700;\r\n',
      ),
    },
    tables: [['tanks', 3, 0]],
    customers: [
      { external_key: '70012', name: 'Bäckerei Groß' },
      { external_key: '70044', phone: null },
    ],
    tanks: [
      { custom_id: '1', capacity: 2700, street: 'Am Wehr 3', postal_code: '97070', min_fill_alert_percentage: 20 },
      { custom_id: '2', capacity: 4850.5 },
      { custom_id: '1', capacity_unit: 'liters' },
    ],
  },
  {
    name: 'United States, a portal of gauges: tanks and their last levels in one list',
    language: 'en-US',
    files: {
      'assets.csv': utf8(
        'Customer Name,Account #,Serial Number,Size (gal),Level (%),Last Reading,Signal,Battery\n' +
          '"Thibault, Grace",10413,20501113,500,62,10/31/2025 6:05 AM,-71,3.6\n' +
          'Inn of Cole,10414,20501114,"1,000",18.5,10/31/2025 6:07 AM,-80,3.5\n' +
          '"Perkins, Noah",10530,20501115,500,n/a,10/30/2025 6:01 PM,-95,2.9\n',
      ),
    },
    tables: [
      ['tanks', 3, 0],
      ['readings', 3, 1],
    ],
    errors: [/"n\/a" must be a number such as 45\.51/],
    customers: [
      { external_key: '10413', name: 'Thibault, Grace' },
      { external_key: '10414' },
      { external_key: '10530' },
    ],
    tanks: [
      { custom_id: '20501113', assigned_device_id: '20501113', capacity: 500, capacity_unit: 'gallons' },
      { capacity: 1000 },
      { capacity: 500 },
    ],
    readings: [
      { created_at: '2025-10-31T06:05:00.000Z', fill_percentage: 62 },
      { created_at: '2025-10-31T06:07:00.000Z', fill_percentage: 18.5 },
    ],
  },
  {
    name: 'France, a folder: tanks, and levels with a day and a time in two columns',
    language: 'en',
    files: {
      'cuves.csv': latin1(
        'N° client;Nom;Courriel;Cuve;Sonde;Capacité;Unité;Seuil\r\n' +
          'C-88;Hôtel du Lac;lac@example.com;A;FR-71;3 200,5;litres;25\r\n' +
          'C-89;École Curie;;A;FR-72;1 750;litres;20\r\n',
      ),
      'releves.csv': latin1(
        'Sonde;Date;Heure;Niveau (%)\r\nFR-71;30/10/2025;14h05;45,5\r\nFR-71;31/10/2025;14h05;44\r\nFR-72;31/10/2025;7h30;91\r\n',
      ),
    },
    tables: [
      ['tanks', 2, 0],
      ['readings', 3, 0],
    ],
    customers: [
      { external_key: 'C-88', email: 'lac@example.com' },
      { external_key: 'C-89', email: NO_EMAIL },
    ],
    tanks: [
      { custom_id: 'A', assigned_device_id: 'FR-71', capacity: 3200.5, min_fill_alert_percentage: 25 },
      { capacity: 1750 },
    ],
    readings: [
      { created_at: '2025-10-30T14:05:00.000Z', fill_percentage: 45.5 },
      { created_at: '2025-10-31T07:30:00.000Z', fill_percentage: 91 },
      { created_at: '2025-10-31T14:05:00.000Z', fill_percentage: 44 },
    ],
  },
  {
    name: 'QuickBooks, a list of customers: no numbers, some without an address',
    language: 'en-US',
    files: {
      'customers.csv': utf8(
        '\uFEFF"Customer","Company","First Name","Last Name","Main Phone","Main Email","Bill to 1","Balance Total"\r\n' +
          '"Abercrombie, Kristy","","Kristy","Abercrombie","415-555-6579","kristy@example.com","Kristy Abercrombie","0.00"\r\n' +
          '"Cole Inn","Cole Inn LLC","","","802-555-7578","","Cole Inn LLC","1,204.50"\r\n' +
          '"Vermont Ski Club","","Ann","Moss","802-555-0160","ann@example,com","","0.00"\r\n',
      ),
    },
    tables: [['customers', 3, 0]],
    customers: [
      { external_key: 'Abercrombie, Kristy', name: 'Abercrombie, Kristy', phone: '415-555-6579' },
      { external_key: 'Cole Inn', email: NO_EMAIL },
      { external_key: 'Vermont Ski Club', email: 'ann@example,com' },
    ],
  },
  {
    name: 'Excel, "Unicode text": UTF-16 with tabs',
    language: 'es-MX',
    files: {
      'clientes.txt': utf16(
        'Cliente\tNombre\tCorreo\tTeléfono\r\nC-100\tMaría Núñez\tmaria@example.com\t222 555 0142\r\nC-101\tJosé Ñáñez\t\t\r\nC-102\tEva\teva en example.com\t\r\n',
      ),
    },
    tables: [['customers', 3, 1]],
    errors: [/email: 'eva en example\.com' must be an e-mail address, line 4/],
    needsEdit: true,
    customers: [
      { external_key: 'C-100', name: 'María Núñez', phone: '222 555 0142' },
      { external_key: 'C-101', email: NO_EMAIL },
    ],
  },
  {
    name: 'Mexico, Excel: customers and tanks in one sheet, first and last names apart',
    language: 'es-MX',
    files: {
      'rutas.xlsx': workbookOf([
        sheet('Ruta 4', [
          [
            'Clave',
            'Nombre',
            'Apellidos',
            'Celular',
            'Calle',
            'Colonia',
            'C.P.',
            'Municipio',
            'Tanque',
            'Capacidad',
            'Unidad',
            '% mínimo',
          ],
          [
            'C-1',
            'Ana',
            'Torres Ruiz',
            '222 555 0142',
            'Reforma 8',
            'Centro',
            '72000',
            'Puebla',
            'T-1',
            300,
            'LTS',
            20,
          ],
          [
            'C-1',
            'Ana',
            'Torres Ruiz',
            '222 555 0142',
            'Reforma 8',
            'Centro',
            '72000',
            'Puebla',
            'T-2',
            500,
            'lts',
            20,
          ],
          ['C-2', 'Luis', 'Peña', null, 'Juárez 3', null, '72010', 'Puebla', 'T-1', 1000, 'Gal', { share: 0.25 }],
        ]),
      ]),
    },
    tables: [['tanks', 3, 0]],
    customers: [{ external_key: 'C-1', name: 'Ana Torres Ruiz' }, { name: 'Luis Peña' }],
    tanks: [
      {
        custom_id: 'T-1',
        capacity: 300,
        capacity_unit: 'liters',
        district: 'Centro',
        postal_code: '72000',
        city: 'Puebla',
      },
      { custom_id: 'T-2' },
      { capacity: 1000, capacity_unit: 'gallons', min_fill_alert_percentage: 25 },
    ],
  },
  {
    name: 'Austria, a workbook with two sheets: capacities with their units, levels such as 45 %',
    language: 'en',
    files: {
      'fuellstaende.xlsx': workbookOf([
        sheet('Füllstände', [
          ['Gerät', 'Zeitpunkt', 'Füllstand'],
          ['AT-1', '30.10.2025 14:05', '45 %'],
          ['AT-1', '31.10.2025 14:05', '44,5 %'],
        ]),
        sheet('Behälter', [
          ['Kundennummer', 'Kunde', 'Behälter', 'Gerät', 'Inhalt', 'Alarm'],
          ['K7', 'Gasthof Post', 'Hof', 'AT-1', '4850 l', '20 %'],
          ['K8', 'Autohaus Wien', 'Halle', 'AT-2', '1000 gal', '20 %'],
        ]),
      ]),
    },
    tables: [
      ['tanks', 2, 0],
      ['readings', 2, 0],
    ],
    customers: [{ external_key: 'K7', name: 'Gasthof Post' }, { external_key: 'K8' }],
    tanks: [
      { custom_id: 'Hof', capacity: 4850, capacity_unit: 'liters' },
      { custom_id: 'Halle', capacity: 1000, capacity_unit: 'gallons' },
    ],
    readings: [{ fill_percentage: 45 }, { fill_percentage: 44.5 }],
  },
  {
    name: 'Brazil, semicolons: a key, a name under "Cliente", decimal commas',
    language: 'es-ES',
    files: {
      'tanques.csv': utf8(
        'Código;Cliente;Endereço;Cidade;CEP;Telefone;Tanque;Capacidade (L);Nível mínimo (%)\n' +
          '1001;João da Silva;Rua das Flores 12;Curitiba;80010-000;41 5555 0101;T1;190,5;20\n' +
          '1002;Padaria São José;Av. Brasil 400;Curitiba;80020-000;;T1;1.000;25\n',
      ),
    },
    tables: [['tanks', 2, 0]],
    customers: [{ external_key: '1001', name: 'João da Silva' }, { name: 'Padaria São José' }],
    tanks: [
      { capacity: 190.5, street: 'Rua das Flores 12', postal_code: '80010-000' },
      { capacity: 1000, min_fill_alert_percentage: 25 },
    ],
  },
  {
    name: 'An office list: equal headings, a row that repeats another, totals at the end',
    language: 'en-US',
    files: {
      'list.csv': utf8(
        'Account,Name,Phone,Tank,Name,Size,Unit\nA1,Ann Church,802 555 0177,1,House,500,gal\nA1,Ann Church,802 555 0177,2,Barn,250,gal\n' +
          'A2,Old Mill,802 555 0160,1,Mill,1000,gal\nA2,Old Mill,802 555 0160,1,Mill,1000,gal\nSubtotal,,,,,1750,\nGrand total,,,,,1750,\n',
      ),
    },
    tables: [['tanks', 4, 1]],
    errors: [/the row repeats the owner and custom_id of an earlier line, line 5/],
    customers: [{ external_key: 'A1', name: 'Ann Church' }, { name: 'Old Mill' }],
    tanks: [{ name: 'House' }, { name: 'Barn', capacity: 250 }, { name: 'Mill', capacity_unit: 'gallons' }],
  },
];
