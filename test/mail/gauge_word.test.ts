import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * A level gauge is an *indicador*. A *medidor* is the meter of a truck: "Los indicadores de nivel no son medidores". The phrases
 * below speak of the meter.
 */
const OF_THE_METER = [
  'Un indicador de nivel no es un medidor',
  'revisar su medidor',
  'medidor del camión',
  'medidor de la pipa',
  'el medidor de una pipa',
  'según el medidor',
  'Medidor al inicio',
  'Medidor al final',
  'dos medidores correctos',
  'Compare los medidores',
];

/** Everything that people read in Spanish: mails, files, the console, the driver's page, docs. */
const SPANISH_TEXTS = [
  'src/mail/*.ts',
  'src/deliveries/**/*.ts',
  'src/api/**/*.ts',
  'src/status/**/*.ts',
  'packages/*/src/**/translations/*.ts',
  'docs/**/*.md',
  'demo/**/*.ts',
];

test('no Spanish text calls the gauge a meter', () => {
  const files = SPANISH_TEXTS.flatMap((pattern) => globSync(pattern)).filter((file) => !file.includes('node_modules'));
  expect(
    files.some((file) => file.endsWith('spanish.ts')) && files.some((file) => file.endsWith('translations/es.ts')),
  ).toBe(true);
  const wrong = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const rest = OF_THE_METER.reduce((text, phrase) => text.replaceAll(phrase, ''), line);
        return /medidor/i.test(rest) && !/^\s*(\*|\/\/|\/\*\*)/.test(line)
          ? [`${file}:${index + 1}: ${line.trim()}`]
          : [];
      }),
  );
  expect(wrong).toEqual([]);
});
