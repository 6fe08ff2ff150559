import { open } from 'node:fs/promises';
import { Command } from 'commander';
import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';
import { raiseChangeEpoch } from '../evaluation/record_events.ts';
import { reapplyRemovals } from '../removals/reapply_removals.ts';
import { parseRemoval, type Removal } from '../removals/removal.ts';
import { errorCode } from '../values/error_code.ts';
import { readFileLines } from '../values/text_lines.ts';
import { UserError } from '../values/user_error.ts';
import { printResult, runChange, type WriteOptions, withDatabase, writeCommand } from './command.ts';

export function restoreCommand(): Command {
  return new Command('restore').description('after a restore from a backup').addCommand(finishCommand());
}

function finishCommand(): Command {
  return writeCommand(
    'finish',
    'delete and revoke again what was deleted and revoked after the backup was made; run it before any role starts',
    'restore finish --removals removals.ndjson',
  )
    .requiredOption(
      '--removals <file>',
      'the file that REMOVALS_FILE names, or one written by: tankwatch removals export',
    )
    .action((options: WriteOptions & { removals: string }) =>
      withDatabase(async ({ pool }) => {
        const removals = await readRemovals(options.removals);
        const { applied, unchanged, ownersOfTanks, sessions } = await runChange(pool, options, async (tx) => {
          await raiseChangeEpoch(tx);
          return { ...(await reapplyRemovals(tx, removals)), sessions: await endAllSessions(tx) };
        });
        printResult(
          options,
          { applied, unchanged, owners_of_tanks: ownersOfTanks, sessions_ended: sessions },
          [
            `${applied} removals applied again, ${unchanged} unchanged`,
            ...(sessions > 0 ? [`${sessions} sessions of the console ended: everybody has to sign in again`] : []),
            ...ownersOfTanks.map(
              (id) =>
                `NOT deleted: the customer ${id} owns tanks in this backup; transfer or delete them, then run this command again`,
            ),
          ].join('\n'),
        );
        if (ownersOfTanks.length > 0) process.exitCode = 1;
      }),
    );
}

/** People may have signed out since the backup, which only the lost part of the database knew. */
async function endAllSessions(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ ended: number }>('select end_all_sessions() as ended');
  return onlyRow(rows).ended;
}

/** A last line without an end was cut off by a crash. Any other line that cannot be read is an error. */
async function readRemovals(file: string): Promise<Removal[]> {
  await using handle = await open(file).catch((error: unknown) => {
    throw new UserError(`cannot read ${file} (${errorCode(error)}); check its name and your rights.`);
  });
  const removals: Removal[] = [];
  const unreadable: number[] = [];
  let lineNo = 0;
  for await (const line of readFileLines(handle)) {
    lineNo++;
    const removal = parseRemoval(line);
    if (removal !== undefined) removals.push(removal);
    else if (line.startsWith('{"id"') && !line.endsWith('}')) continue;
    else if (line.trim() !== '') unreadable.push(lineNo);
  }
  if (unreadable.length > 0)
    throw new UserError(`line ${unreadable[0]} of ${file} is not a removal; give the file as the worker wrote it.`);
  return removals;
}
