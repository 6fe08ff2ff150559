import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import { transaction } from '../db/pool.ts';
import { Outage, type StatusLogger } from '../health/outage.ts';
import type { Stream } from '../stream/stream.ts';

export interface StreamPositionOptions {
  pool: Pool;
  stream: Stream;
  logger: StatusLogger;
}

/**
 * Stores in the database the position in the stream up to which the database has all readings. nats-server has this position
 * too, but cannot detect that the database lost its latest commits in a failover to a standby that was behind, or in a restore.
 * The database then loses its stored position with the readings. If the database server was changed or restarted, this class
 * therefore replays all messages after the stored position. Readings that are already stored are duplicates.
 */
export class StreamPosition {
  readonly #options: StreamPositionOptions;
  /** The start time of the server that the last position was written to. It identifies one run of one server. */
  #serverStartedAt: string | undefined;
  readonly #outage: Outage;
  #isRunning = false;

  constructor(options: StreamPositionOptions) {
    this.#options = options;
    this.#outage = new Outage(options.logger, 'storing the position in the stream');
  }

  /** Stores the position of nats-server: all messages up to `committedSequence` are committed. Never rejects. */
  async confirm(committedSequence: number): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      await this.#store(committedSequence);
      this.#outage.worked();
    } catch (error) {
      this.#outage.failed(error);
    } finally {
      this.#isRunning = false;
    }
  }

  async #store(committedSequence: number): Promise<void> {
    const { pool, stream } = this.#options;
    // These messages were committed before this statement. If the server is still the same, it has their readings;
    // otherwise the statement changes nothing.
    const { rowCount } = await pool.query(
      `update stream_positions set committed_sequence = $2
       where stream = $1 and server_started_at = $3::timestamptz and server_started_at = pg_postmaster_start_time()`,
      [stream.name, committedSequence, this.#serverStartedAt ?? null],
    );
    if (rowCount === 0) await this.#replayIfServerChanged();
  }

  /** Writers that detect the change at the same time wait for the first one, and then find the same server. */
  async #replayIfServerChanged(): Promise<void> {
    const { pool, stream, logger } = this.#options;
    this.#serverStartedAt = await transaction(pool, async (tx) => {
      await tx.query(
        `insert into stream_positions (stream, committed_sequence, server_started_at) values ($1, 0, '-infinity')
         on conflict do nothing`,
        [stream.name],
      );
      const { rows } = await tx.query<{ committed_sequence: number; is_same_server: boolean; started_at: string }>(
        `select committed_sequence, server_started_at = pg_postmaster_start_time() as is_same_server,
                pg_postmaster_start_time()::text as started_at
         from stream_positions where stream = $1 for update`,
        [stream.name],
      );
      const { committed_sequence, is_same_server, started_at } = onlyRow(rows);
      if (!is_same_server) {
        const messages = await stream.replayAfter(committed_sequence);
        if (messages > 0)
          logger.warn(
            { messages, after: committed_sequence },
            'the database server was changed or restarted; processing the messages since its last confirmed position again',
          );
        await tx.query('update stream_positions set server_started_at = pg_postmaster_start_time() where stream = $1', [
          stream.name,
        ]);
      }
      return started_at;
    });
  }
}
