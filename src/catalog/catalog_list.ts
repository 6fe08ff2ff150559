import { countedList } from '../db/counted_list.ts';
import type { Statement } from '../db/readers.ts';

/**
 * The statement of a list of customers or tanks. `columns` are the columns of an item `i`, with the names of /v1.
 * Objects created at the same time are ordered by `no`.
 */
export function catalogList(source: {
  name: string;
  list: 'organization_customers' | 'organization_tanks' | 'owner_tanks';
  items: 'customers' | 'tanks';
  scope: 'organization_no' | 'owner_no';
  columns: string;
}): Statement {
  return countedList({
    name: source.name,
    months: `select month, n from catalog_month_counters where list = '${source.list}' and scope_no = $1`,
    count: `count_catalog_range('${source.list}', $1, from_at, to_at)`,
    start: `select before_at, before_no from catalog_page_start('${source.list}', $1, from_at, to_at, skip)`,
    page: `select ${source.columns} from ${source.items} i where i.${source.scope} = $1 and i.deleted_at is null
      and (i.created_at, i.no) < (before_at, before_no) and i.created_at >= oldest_at
      order by i.created_at desc, i.no desc limit $5::int`,
  });
}
