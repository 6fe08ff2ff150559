import type { TObject } from 'typebox';
import type { ManageBulk, ManageWrite } from '../manage/manage_operation.ts';

const TANK_ID = '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66';
const TRUCK_ID = '01989f41-7d20-7a33-9c44-5b1e8f2a6d03';
const STOP = { tank_id: TANK_ID, kind: 'must', volume: 198 };
const TANK = { name: 'House', capacity: 1000, capacity_unit: 'liters', min_fill_alert_percentage: 20 };
const NOTE = { at: '2025-10-30T17:20:00Z', volume: 195, unit: 'liters', tank: 'T-4711', truck: 'Truck 2' };

/** Examples for bodies whose fields differ from those of the response. The example of a bulk is a list of lines. */
const EXAMPLES: Readonly<Record<string, object>> = {
  putCustomers: [
    { external_key: 'C-1042', name: 'María López', email: 'maria.lopez@example.com', phone: '+52 461 555 0142' },
    { external_key: 'C-1043', name: 'Juan Pérez', email: 'juan.perez@example.com' },
  ],
  putTanks: [
    { owner_external_key: 'C-1042', custom_id: 'T-4711', ...TANK, location: { city: 'Celaya' } },
    { owner_external_key: 'C-1043', custom_id: 'T-4712', ...TANK, assigned_device_id: 'ABCD1234' },
    { external_key: 'SITE-0815', owner_external_key: 'C-1043', ...TANK },
  ],
  putDeliveryNotes: [
    { series: 'A', number: '20379', ...NOTE },
    { series: 'A', number: '20380', at: '2025-10-31', volume: 150, customer: 'C-1043' },
  ],
  putDevice: { device_id: 'ABCD1234', exchange: 'release' },
  issueDevicePassword: { rotate: true },
  setTankGauges: {
    gauges: [
      {
        from_at: null,
        shape: { form: 'horizontal_cylinder', diameter_mm: 952, length_mm: 3023, heads: 'elliptical' },
        measures: 'distance',
        offset_mm: 50,
      },
    ],
  },
  setTextChannel: {
    provider: 'twilio',
    from: '+18025550100',
    account: 'AC0123456789abcdef0123456789abcdef',
    secret: 'the auth token',
  },
  verifyPhone: { code: '123456' },
  createRound: { date: '2025-11-03', truck_id: TRUCK_ID, stops: [STOP] },
  putStops: { stops: [STOP] },
  putVroomOrder: {
    solution: { code: 0, routes: [{ vehicle: 1, steps: [{ type: 'job', id: 1 }] }], unassigned: [] },
  },
  putStopOutcome: { outcome: 'delivered', volume: 198 },
  recordStop: { kind: 'delivered', volume: 198, note: 'A 20379', filled_to: 80, at: '2025-11-03T17:20:00Z' },
  moveStop: { truck_id: TRUCK_ID },
  proposeRound: { date: '2025-11-03', truck_id: TRUCK_ID, called_tank_ids: [TANK_ID] },
  putDeliveryNote: NOTE,
  pinDeliveryNote: { kind: 'together', tank_id: TANK_ID, refill_at: '2025-10-30T17:45:00.000Z' },
  acknowledgeTank: { conditions: ['low'], until: '2025-11-03T14:00:00Z', comment: 'Pedro is there at 14:00.' },
  rotateWebhookSecret: { overlap_hours: 48 },
  replayWebhook: { since: '2025-11-01T00:00:00Z' },
};

/** An example of the body of a request: from EXAMPLES, or the fields of the example response that the body has too. */
export function requestExample({ operationId, body, example }: ManageWrite | ManageBulk): unknown {
  const own = EXAMPLES[operationId];
  if (Array.isArray(own)) return own.map((line) => `${JSON.stringify(line)}\n`).join('');
  return own ?? sharedFields(body, example);
}

const sharedFields = (body: TObject | null, example: object | null): object =>
  Object.fromEntries(
    Object.keys(body?.properties ?? {}).flatMap((name) => {
      const value: unknown = Reflect.get(example ?? {}, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
