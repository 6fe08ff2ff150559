import { DatabaseError } from 'pg';

/** A driver has written a note with this number since the change looked for one. The next attempt finds it. */
const NOTE_OF_DRIVER = 'one_note_per_number';

/** Returns true if others changed the same data at this moment, as in a deadlock: the change can be made again. */
export const isConflictOfWriters = (error: unknown): boolean =>
  error instanceof DatabaseError && (/^40(001|P01)$/.test(error.code ?? '') || error.constraint === NOTE_OF_DRIVER);
