import { Command } from 'commander';
import { onlyRow } from '../db/only_row.ts';
import type { Tx } from '../db/pool.ts';
import { raiseChangeEpoch } from '../evaluation/record_events.ts';
import { reapplyRemovals } from '../recovery/reapply_removals.ts';
import { readRemovalFile } from '../recovery/removal_file.ts';
import { printResult, runChange, type WriteOptions, withDatabase, writeCommand } from './command.ts';
import { drillCommand } from './restore_drill.ts';

export function restoreCommand(): Command {
  return new Command('restore')
    .description('finish a restore from a backup, or try one (drill)')
    .addCommand(finishCommand())
    .addCommand(drillCommand());
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
        const removals = await readRemovalFile(options.removals);
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

/** Ends all sessions, because people may have signed out after the backup, and that information is lost. */
async function endAllSessions(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ ended: number }>('select end_all_sessions() as ended');
  return onlyRow(rows).ended;
}
