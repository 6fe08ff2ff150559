import { execFileSync } from 'node:child_process';
import { findProgram } from '../engines/programs.ts';
import { findLeftOut } from '../test/support/whole_tests.ts';

/**
 * For `.ci/run`: prints the test files that need not run in full, because nothing that they cover has changed, on one line.
 * On standard error it says what was compared. Whoever cannot compare runs everything: without git, with a clone of one commit,
 * and with CI_ALL=1, which the nightly run and a release set.
 */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync(findProgram('git'), args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

const commitOf = (name: string): string | undefined => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);

/**
 * The commit before the change: the one CI names, where the branch left main, or, on main, the last one on which all tests ran and
 * passed. Whoever runs them all writes its name into this file.
 */
const LAST_FULL_RUN = '.ci/last_full_run';
function findBase(): string | undefined {
  const { CI_BASE: named = '' } = process.env;
  if (named !== '') return commitOf(named);
  const fork = git('merge-base', 'HEAD', 'origin/main');
  if (fork !== undefined && fork !== commitOf('HEAD')) return fork;
  const full = git('show', `HEAD:${LAST_FULL_RUN}`);
  return full !== undefined && git('merge-base', '--is-ancestor', full, 'HEAD') !== undefined
    ? commitOf(full)
    : undefined;
}

const LOCK_FILE = 'package-lock.json';

/** Also what is not committed. Of the lock file only other packages count: a release changes its own version in it. */
function findChanged(base: string): string[] | undefined {
  const changed = git('diff', '--name-only', '--no-renames', base);
  const added = git('ls-files', '--others', '--exclude-standard');
  if (changed === undefined || added === undefined) return undefined;
  const lockDifference = git('diff', base, '--', LOCK_FILE) ?? '';
  const hasOtherPackages = /^[-+] +"(resolved|integrity)":/m.test(lockDifference);
  return `${changed}\n${added}`.split('\n').filter((path) => path !== '' && (path !== LOCK_FILE || hasOtherPackages));
}

const base = process.env['CI_ALL'] === '1' ? undefined : findBase();
const changed = base === undefined ? undefined : findChanged(base);
if (base === undefined || changed === undefined) console.error('all tests run: there is no commit to compare with');
else {
  const leftOut = findLeftOut(changed);
  console.error(`files that differ from ${base.slice(0, 12)}: ${changed.length}`);
  console.error(
    leftOut.length === 0
      ? 'all tests run: the changes concern each file that starts whole installations'
      : `only the quick tests of these files run, because nothing that they cover has changed: ${leftOut.join(', ')}`,
  );
  console.log(leftOut.join(' '));
}
