import type { Db } from '../../src/db/pool.ts';

/** What a release uses of a schema: each line is one table, column, function or right. */
export interface SchemaShape {
  lines: Set<string>;
  /** Columns that an insert must name, as `table.column`. */
  requiredColumns: Set<string>;
  tables: Set<string>;
}

/** Leaves out partitions, which depend on the date of the migration, and the job queue, which belongs to another package. */
const OWN_TABLES = `from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p', 'v') and not c.relispartition`;

export async function schemaShape(db: Db): Promise<SchemaShape> {
  const read = async (sql: string): Promise<string[]> =>
    (await db.query<{ line: string }>(sql)).rows.map(({ line }) => line);
  const columns = `from pg_attribute a join (select c.oid, c.relname ${OWN_TABLES}) c on c.oid = a.attrelid
    where a.attnum > 0 and not a.attisdropped`;
  const tables = await read(`select c.relname as line ${OWN_TABLES}`);
  return {
    tables: new Set(tables),
    requiredColumns: new Set(
      await read(`select c.relname || '.' || a.attname as line ${columns}
        and a.attnotnull and not a.atthasdef and a.attidentity = ''`),
    ),
    lines: new Set([
      ...tables.map((table) => `table ${table}`),
      ...(await read(
        `select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) as line ${columns}`,
      )),
      ...(await read(`select format('function %s(%s) returns %s', p.proname, pg_get_function_identity_arguments(p.oid),
          pg_get_function_result(p.oid)) as line
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'public' and p.prokind = 'f'`)),
      ...(await read(`select format('right of %s: %s on %s', grantee, privilege_type, table_name) as line
        from information_schema.role_table_grants
        where grantee like 'tankwatch\\_%' and table_schema = 'public'
          and table_name in (select c.relname ${OWN_TABLES})`)),
      ...(await read(`select format('right of %s: execute %s', grantee, routine_name) as line
        from information_schema.role_routine_grants where grantee like 'tankwatch\\_%' and routine_schema = 'public'`)),
    ]),
  };
}

/** Why a release that was written for the old schema fails with the new one. */
export function incompatibilities(old: SchemaShape, next: SchemaShape): string[] {
  const removed = [...old.lines].filter((line) => !next.lines.has(line)).map((line) => `removed: ${line}`);
  const required = [...next.requiredColumns].filter((column) => {
    const [table = ''] = column.split('.');
    return old.tables.has(table) && !old.requiredColumns.has(column);
  });
  return [...removed, ...required.map((column) => `now required in inserts: ${column}`)];
}
