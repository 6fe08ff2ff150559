import { IS_LOSING_SQL } from './sections.ts';

/** The next delivery to a tank. */
export interface PlannedDelivery {
  date: string;
  round_id: string;
  is_under_way: boolean;
}

/**
 * SQL expression: the next delivery to a tank on or after `today`, as JSON, or null. The index
 * one_open_stop_per_tank_and_day has the open stops of a tank by day, at most a few. Most tanks have none, so the
 * existence of one is checked first: beginning the joins for each of 100 tanks took a tenth of the time of their page.
 * The view leaves out stops that the gauge has closed. Nothing is delivered to a tank that loses gas.
 */
export const plannedDeliverySql = (tankNo: string, today: string): string => {
  const isOpen = `n.tank_no = ${tankNo} and n.is_open and n.round_date >= ${today}`;
  return `case when (select true from round_stops n where ${isOpen} limit 1) then (
    select json_build_object('date', n.round_date, 'round_id', q.id, 'is_under_way', q.state = 'under_way')
    from round_stops n join rounds q on q.no = n.round_no join round_stop_outcomes u on u.stop_no = n.no
    where ${isOpen} and u.outcome = 'open'
      and not exists (select from fleet_tanks f where f.tank_no = n.tank_no and ${IS_LOSING_SQL})
    order by n.round_date limit 1
  ) end`;
};
