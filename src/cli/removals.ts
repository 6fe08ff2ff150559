import { open } from 'node:fs/promises';
import { Command } from 'commander';
import { readRemovalPages } from '../recovery/read_removals.ts';
import { encodeRemoval } from '../recovery/removal.ts';
import { type CommonOptions, printResult, readCommand, withDatabase } from './command.ts';
import { fileError } from './input_file.ts';

export function removalsCommand(): Command {
  return new Command('removals')
    .description('the record of what was deleted and revoked, for a restore from an older backup')
    .addCommand(exportCommand());
}

function exportCommand(): Command {
  return readCommand(
    'export',
    'write all removals to a new file; a worker with REMOVALS_FILE keeps such a file up to date',
    'removals export removals.ndjson',
  )
    .argument('<file>', 'a file that does not exist yet; keep it where your backups are')
    .action((file: string, options: CommonOptions) =>
      withDatabase(async ({ pool }) => {
        // Never overwrites: after a restore, the file may have removals that the database does not have.
        const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
          throw fileError(error, file, 'write');
        });
        let count = 0;
        try {
          for await (const page of readRemovalPages(pool, Number.NEGATIVE_INFINITY)) {
            await handle.appendFile(page.map(encodeRemoval).join(''));
            count += page.length;
          }
          await handle.sync();
        } finally {
          await handle.close();
        }
        printResult(options, { removals: count }, `wrote ${count} removals to ${file}`);
      }),
    );
}
