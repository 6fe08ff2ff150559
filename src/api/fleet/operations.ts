import type { Operation } from '../operation.ts';
import { listChangesOperation } from './changes.ts';
import { retrieveCustomerRefillsOperation } from './customer_refills.ts';
import { retrieveCustomerUsageOperation } from './customer_usage.ts';
import { listFleetCustomersOperation } from './customers.ts';
import { listDeliveryNotesOperation } from './delivery_notes.ts';
import { listDevicesOperation } from './devices.ts';
import { exportDevicesOperation } from './devices_csv.ts';
import { listEventsOperation } from './events.ts';
import { exportEventsOperation } from './events_csv.ts';
import { listHistoryOperation } from './history.ts';
import { listLedgerOperation } from './ledger.ts';
import { exportLedgerOperation } from './ledger_csv.ts';
import { retrieveLedgerTotalsOperation } from './ledger_totals.ts';
import { watchTanksOperation } from './live.ts';
import { retrieveMapOperation } from './map.ts';
import { listReadingsOperation } from './readings.ts';
import { retrieveRoundOperation } from './round.ts';
import { listRoundsOperation } from './rounds.ts';
import { retrieveScoreOperation } from './score.ts';
import { searchOperation } from './search.ts';
import { retrieveSeriesOperation } from './series.ts';
import { retrieveSettingsOperation } from './settings.ts';
import { findSimilarCustomersOperation } from './similar_customers.ts';
import { retrieveFleetSummaryOperation } from './summary.ts';
import { retrieveTankStatusOperation } from './tank.ts';
import { listTankEventsOperation } from './tank_events.ts';
import { listTankStatusesOperation } from './tanks.ts';
import { exportTankStatusesOperation } from './tanks_csv.ts';
import { tryThresholdOperation } from './threshold_trial.ts';
import { retrieveTimelineOperation } from './timeline.ts';
import { retrieveUsageOperation } from './usage.ts';

/** All operations of /fleet/v1, which read many tanks at once. */
export const FLEET_OPERATIONS: readonly Operation[] = [
  retrieveFleetSummaryOperation,
  listTankStatusesOperation,
  exportTankStatusesOperation,
  retrieveTankStatusOperation,
  retrieveSeriesOperation,
  tryThresholdOperation,
  retrieveUsageOperation,
  listTankEventsOperation,
  retrieveTimelineOperation,
  listDevicesOperation,
  exportDevicesOperation,
  listEventsOperation,
  exportEventsOperation,
  listChangesOperation,
  listReadingsOperation,
  listHistoryOperation,
  searchOperation,
  listFleetCustomersOperation,
  findSimilarCustomersOperation,
  retrieveCustomerUsageOperation,
  retrieveCustomerRefillsOperation,
  listDeliveryNotesOperation,
  listLedgerOperation,
  exportLedgerOperation,
  retrieveLedgerTotalsOperation,
  retrieveMapOperation,
  listRoundsOperation,
  retrieveRoundOperation,
  retrieveSettingsOperation,
  retrieveScoreOperation,
  watchTanksOperation,
];
