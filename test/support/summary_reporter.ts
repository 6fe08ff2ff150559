import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

// Longer messages and differences are cut. These lines show the expected and the received value.
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
 * One line for each test that failed once and then passed. Either the test is faulty, or the product has a fault that occurs
 * only sometimes. The full error is further up in the log.
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
 * Writes the failed tests to the file TEST_SUMMARY, with `N passed, M failed` as the last line. `.ci/run` prints the file last,
 * so that a log whose beginning is cut off still has it.
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
