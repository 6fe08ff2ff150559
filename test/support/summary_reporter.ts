import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** As many lines of a message, and of the difference, as say what was expected and what came. */
const MESSAGE_LINES = 8;
const DIFFERENCE_LINES = 20;
const SECOND_TRY_CHARACTERS = 400;

const placeOf = ({ stacks }: SerializedError): string[] => {
  const place = stacks?.[0];
  return place === undefined ? [] : [`at ${relative(process.cwd(), place.file)}:${place.line}`];
};

function describeFailure(where: string, errors: readonly SerializedError[]): string {
  const lines = errors.flatMap((error) => {
    const { diff } = error;
    const difference = typeof diff === 'string' ? stripVTControlCharacters(diff).split('\n') : [];
    const message = error.message.split('\n').slice(0, MESSAGE_LINES);
    return [...message, ...difference.slice(0, DIFFERENCE_LINES), ...placeOf(error)];
  });
  return [`FAILED ${where}`, ...lines.map((line) => `    ${line}`), ''].join('\n');
}

/** Failed tests, and files and groups of tests that broke outside of a test, for example in a hook. */
function findFailures(module: TestModule): string[] {
  const outside = [module, ...module.children.allSuites()].map((part) => ({
    name: part.type === 'module' ? '(the file)' : `${part.fullName} (outside of a test)`,
    errors: part.errors(),
  }));
  const tests = [...module.children.allTests('failed')].map((test) => ({
    name: test.fullName,
    errors: test.result().errors ?? [],
  }));
  return [...outside.filter(({ errors }) => errors.length > 0), ...tests].map(({ name, errors }) =>
    describeFailure(`${module.relativeModuleId} > ${name}`, errors),
  );
}

/**
 * Tests that failed once and then passed, with a line each. Each has a fault of its own, or shows one of the product that comes
 * and goes. What went wrong stands further up in the log.
 */
function findSecondTries(module: TestModule): string[] {
  const tests = [...module.children.allTests('passed')].filter((test) => test.diagnostic()?.flaky === true);
  return tests.map((test) => {
    const places = (test.result().errors ?? []).flatMap((error) => [error.message.split('\n')[0], ...placeOf(error)]);
    const name = `${module.relativeModuleId} > ${test.fullName}`;
    return `passed at the second try: ${name}: ${places.join(' ')}`.slice(0, SECOND_TRY_CHARACTERS);
  });
}

/**
 * Writes what failed, and `N passed, M failed` as the last line, to the file TEST_SUMMARY. `.ci/run` prints it at its very end,
 * where a log that was cut off in front still has it.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const failures = [
      ...modules.flatMap(findFailures),
      ...unhandledErrors.map((error) => describeFailure('(outside of all tests)', [error])),
    ];
    const passed = modules.reduce((sum, module) => sum + [...module.children.allTests('passed')].length, 0);
    const file = process.env['TEST_SUMMARY'];
    if (file === undefined) throw new Error('TEST_SUMMARY must name the file for the summary');
    const secondTries = modules.flatMap(findSecondTries);
    writeFileSync(file, [...secondTries, ...failures, `${passed} passed, ${failures.length} failed`, ''].join('\n'));
  }
}
