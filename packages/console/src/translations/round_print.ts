import { ofTime } from './spanish_times.ts';

const en = {
  replaces: (time: string) => `replaces the sheet of ${time}`,
  firstSheet: 'first sheet',
  printedBy: (name: string) => `printed by ${name}`,
  meterStart: 'Meter at the start',
  meterEnd: 'Meter at the end',
  signature: 'Signature',
  note: 'Note no.',
  stop: 'STOP',
  toDeliver: 'To deliver',
  advice:
    'A white number on black: this tank must be filled. Each level was read at the time below it. Before each stop, look on the phone whether the stop is blocked, or call the office. Give the amounts on this sheet to the office the same day.',
  isOld: (time: string) => `The sheet of ${time} is out of date.`,
  oldHelp:
    'A stop was blocked, unblocked, added or taken off, or has another volume. Call the driver, and print again.',
};

const es: typeof en = {
  replaces: (time) => `reemplaza la hoja ${ofTime(time)}`,
  firstSheet: 'primera hoja',
  printedBy: (name) => `impresa por ${name}`,
  meterStart: 'Medidor al inicio',
  meterEnd: 'Medidor al final',
  signature: 'Firma',
  note: 'Nota núm.',
  stop: 'ALTO',
  toDeliver: 'Por entregar',
  advice:
    'Un número blanco sobre negro: este tanque se debe llenar. Cada nivel se leyó a la hora que está debajo. Antes de cada parada, vea en el teléfono si está bloqueada, o llame a la oficina. Entregue a la oficina el mismo día lo anotado en esta hoja.',
  isOld: (time) => `La hoja ${ofTime(time)} ya no vale.`,
  oldHelp:
    'Una parada se bloqueó, se desbloqueó, se agregó o se quitó, o tiene otro volumen. Llame al chofer e imprima otra vez.',
};

export const ROUND_PRINT_TEXTS = { en, es };
