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
    'Filled number: must be filled. Levels were read at the time below them. Before each stop, look whether the page on the phone blocks it, or call the office. Amounts written here go to the office the same day.',
  isOld: (time: string) => `The paper of ${time} is old.`,
  oldHelp: 'A stop is blocked, new or taken off, or has another volume. Call the driver, and print again.',
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
    'Número lleno: se debe llenar. Los niveles se leyeron a la hora de abajo. Antes de cada parada, vea si la página del teléfono la bloquea, o llame a la oficina. Lo anotado aquí llega a la oficina el mismo día.',
  isOld: (time) => `La hoja ${ofTime(time)} ya no vale.`,
  oldHelp: 'Una parada está bloqueada, es nueva o se quitó, o tiene otro volumen. Llame al chofer e imprima otra vez.',
};

/** Texts of the paper of a round. */
export const ROUND_PRINT_TEXTS = { en, es };
