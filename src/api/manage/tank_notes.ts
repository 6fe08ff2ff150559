import { type Static, Type } from 'typebox';
import {
  createTankNote,
  deleteTankNote,
  findTankNote,
  listTankNotes,
  MAX_NOTE_LENGTH,
  MAX_NOTES_PER_TANK,
  type TankNote,
  updateTankNote,
} from '../../catalog/tank_notes.ts';
import type { Db } from '../../db/pool.ts';
import { notFound } from '../../http/problem.ts';
import { etagOf } from '../../values/etag.ts';
import { Named, optional, Time } from '../schemas/values.ts';
import { compare } from './conditions.ts';
import {
  deletion,
  type ManageOperation,
  type ManageResponse,
  read,
  respondWith,
  withEtag,
  write,
} from './manage_operation.ts';
import { liveTankNo } from './tanks.ts';

const text = Type.String({
  description: `What a driver or technician must know, in at most ${MAX_NOTE_LENGTH} characters.`,
});
const prints = Type.Boolean({ description: 'Whether it is printed with the round.' });

const Note = Named('Note', {
  id: Type.String({ description: 'ID of the note.' }),
  object: Type.Literal('note'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  text,
  prints,
  written_by: Type.String({ description: 'The key or the contact that created it. Read-only.' }),
  created_at: Time('When it was created. Read-only.'),
  updated_at: Time('When it was last changed. Read-only.'),
  etag: Type.String({ description: 'Send it as `If-Match`.' }),
});
const EXAMPLE: Static<typeof Note> = {
  id: '01989f35-1d02-7b11-8c3e-77a1c5d0e9b4',
  object: 'note',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  text: 'Gate code 4711. The dog is friendly.',
  prints: true,
  written_by: 'contact 01989f31-7a11-7c55-9d20-6c1f4be0a3d2',
  created_at: '2025-11-02T08:14:09.514Z',
  updated_at: '2025-11-02T08:14:09.514Z',
  etag: '"Qd3sT5uW8yA1BZq1n0Yx2g"',
};

const noteEtag = ({ id, text: content, prints: isPrinted }: TankNote): string => etagOf([id, content, isPrinted]);

async function respondWithNote(db: Db, organizationNo: number, id: string, status: 200 | 201): Promise<ManageResponse> {
  const found = await findTankNote(db, organizationNo, id);
  if (found === undefined || found.object === null) throw notFound('note');
  return respondWith({ no: found.no, object: found.object }, noteEtag, status);
}

const idOfTank = { id: 'ID of the tank.' };
const idOfNote = { id: 'ID of the note.' };
const common = {
  tag: 'manage tanks',
  allowedCallers: ['key', 'administrator', 'dispatcher', 'technician'],
  item: Note,
  example: EXAMPLE,
} as const;
const writing = { ...common, queue: 'other' } as const;

export const NOTE_OPERATIONS: readonly ManageOperation[] = [
  write({
    ...writing,
    method: 'POST',
    path: '/manage/v1/tanks/:id/notes',
    pathParameters: idOfTank,
    operationId: 'createNote',
    summary: 'Write a note on a tank',
    description: `Adds a note, such as a gate code. A tank has at most ${MAX_NOTES_PER_TANK} notes; more are a conflict.`,
    statuses: [201],
    body: Named('NewNote', { text, prints: Type.Optional(prints) }),
    async handle({ path: { id: tankId = '' }, values, ...change }) {
      const id = await createTankNote(change, tankId, { prints: false, ...values });
      return respondWithNote(change.tx, change.organizationNo, id, 201);
    },
  }),
  read({
    ...common,
    path: '/manage/v1/tanks/:id/notes',
    pathParameters: idOfTank,
    operationId: 'listNotes',
    summary: 'List the notes on a tank',
    description: 'Returns all notes on the tank, newest first.',
    item: Named('Notes', { object: Type.Literal('list'), data: Type.Array(Note) }),
    example: { object: 'list', data: [EXAMPLE] },
    async read({ db, organizationNo, path }) {
      const notes = await listTankNotes(db, await liveTankNo(db, { organizationNo, path }));
      return { status: 200, body: { object: 'list', data: notes.map((note) => withEtag(note, noteEtag)) } };
    },
  }),
  write({
    ...writing,
    method: 'PATCH',
    path: '/manage/v1/notes/:id',
    pathParameters: idOfNote,
    operationId: 'updateNote',
    summary: 'Change a note',
    description: 'Changes the given fields (JSON Merge Patch, RFC 7396).',
    body: Named('NotePatch', optional({ text, prints })),
    condition: 'required',
    async handle({ path: { id = '' }, values, condition, ...change }) {
      await updateTankNote(change, id, values, compare(condition, noteEtag));
      return respondWithNote(change.tx, change.organizationNo, id, 200);
    },
  }),
  write({
    ...writing,
    ...deletion,
    path: '/manage/v1/notes/:id',
    pathParameters: idOfNote,
    operationId: 'deleteNote',
    summary: 'Delete a note',
    description: 'Deletes the note and erases its text. Deleting again changes nothing.',
    condition: 'required',
    async handle({ path: { id = '' }, condition, ...change }) {
      await deleteTankNote(change, id, compare(condition, noteEtag));
      return { status: 204, body: null };
    },
  }),
];
