import type { NewTank } from '../src/catalog/tanks.ts';
import type { TankGauge, TankShape } from '../src/gauges/gauge_schema.ts';
import { shapeHeight } from '../src/gauges/shapes/shape.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { heightOf, lyingTank } from './shaped_tanks.ts';

/** A message that a device sends over MQTT, or a network server over HTTP. */
export type SensorMessage =
  | { deviceId: string; payload: string }
  | { format: 'things-stack' | 'chirpstack'; body: object };

/** A sensor of another maker, whose messages are read by a profile. */
export interface Sensor {
  owner: string;
  tank: Omit<NewTank, 'owner_no'>;
  /** Null if the sensor sends levels. */
  gauge: TankGauge | null;
  selector: string;
  profile: string;
  /** When it reports while the demo runs, as a share of the story's duration. */
  at: number;
  /** One sentence for the visitor. */
  text: string;
  message(atMs: number): SensorMessage;
}

export const SENSOR_DAYS = 90;
export const SENSOR_EVERY_MS = 6 * HOUR_MS;
/** The hours without a report before the demo begins. */
export const SENSOR_GAP_HOURS = 7;

const INCH_MM = 25.4;
/** The upright oil tank of 275 gallons. */
const OIL_TANK: TankShape = { form: 'obround', width_mm: 27 * INCH_MM, height_mm: 44 * INCH_MM };
const DIESEL_TANK = lyingTank(1_000, 'gallons');
/** The height of a sensor above the top of its tank. */
const SOCKET_MM = 50;
const above = (shape: TankShape): TankGauge => ({ shape, measures: 'distance', offset_mm: SOCKET_MM });

export const WATCHMAN = { receiver: 'RTL433-1', model: 'Oil-SonicAdv', id: '00009630' } as const;
const DIAL_EUI = '70B3D57ED0061A2B';
const DIESEL_EUI = '24E124713C000001';

/** A profile that the organization has written: a reader that is clipped to the dial of a propane tank. */
export const DIAL_PROFILE = {
  profile: 'lora-dial',
  maker: 'Example',
  device: 'Reader of the dial of a propane tank, LoRaWAN',
  input: 'bytes',
  frames: [
    {
      when: { port: 3, length: 3 },
      fields: {
        percent: { at: 0, type: 'u8', scale: 0.5, none: { 255: 'the dial is not read' } },
        battery_percent: { at: 1, type: 'u8' },
        temperature_c: { at: 2, type: 'i8' },
      },
    },
  ],
} as const;

/** Three sensors: on heating oil, on propane, and one on diesel whose battery runs down while the demo starts. */
export function planSensors(nowMs: number): Sensor[] {
  const daysAgo = (atMs: number): number => (nowMs - atMs) / DAY_MS;
  const falling = (now: number, perDay: number) => (atMs: number) => now + perDay * daysAgo(atMs);
  const distanceMm = (shape: TankShape, percent: number): number =>
    SOCKET_MM + shapeHeight(shape) - heightOf(shape, percent / 100);
  const celsius = (atMs: number): number => Math.round(4 + 6 * Math.sin((2 * Math.PI * daysAgo(atMs)) / 30));
  const tankOf = (deviceId: string, name: string, capacity: number, city: string): Sensor['tank'] => ({
    assigned_device_id: deviceId,
    name,
    custom_id: name.toUpperCase().replaceAll(' ', '-'),
    capacity,
    capacity_unit: 'gallons',
    min_fill_alert_percentage: 20,
    city,
    country: 'US',
    region: 'Vermont',
    created_at: new Date(nowMs - SENSOR_DAYS * DAY_MS).toISOString(),
  });

  const [oil, gas, diesel] = [falling(52, 0.4), falling(58, 0.2), falling(61, 0.3)];
  const dialBattery = falling(43, 0.24);
  // Low for 25 hours. After a day, a report makes it an event: the next one.
  const dieselBattery = (atMs: number): number => 15 + Math.max(0, Math.ceil((daysAgo(atMs) - 25 / 24) / 5));
  return [
    {
      owner: 'Anna Whitcomb',
      tank: {
        ...tankOf(`${WATCHMAN.model}/${WATCHMAN.id}`, 'Farmhouse oil', 275, 'Shelburne'),
        product: 'heating_oil',
      },
      gauge: above(OIL_TANK),
      selector: `device=${WATCHMAN.receiver}`,
      profile: 'rtl433-oil',
      at: 0.15,
      text: 'a receiver hears the Watchman on a tank of heating oil: a distance, which becomes a level',
      message: (atMs) => ({
        deviceId: WATCHMAN.receiver,
        payload: JSON.stringify({
          time: new Date(atMs).toISOString().slice(0, 19).replace('T', ' '),
          model: WATCHMAN.model,
          id: WATCHMAN.id,
          version: '1.5.3.0',
          temperature_C: celsius(atMs),
          depth_cm: Math.round(distanceMm(OIL_TANK, oil(atMs)) / 10),
          status: '80',
        }),
      }),
    },
    {
      owner: 'Maple Ridge Farm',
      tank: tankOf(DIAL_EUI, 'Farm propane', 500, 'Hinesburg'),
      gauge: null,
      selector: `device=${DIAL_EUI}`,
      profile: DIAL_PROFILE.profile,
      at: 0.3,
      text: 'The Things Stack forwards three bytes of a dial reader, which a profile of the organization reads',
      message: (atMs) => ({
        format: 'things-stack',
        body: {
          end_device_ids: { dev_eui: DIAL_EUI, application_ids: { application_id: 'propane' } },
          received_at: new Date(atMs).toISOString(),
          uplink_message: {
            f_port: 3,
            frm_payload: bytes(gas(atMs) * 2, dialBattery(atMs), celsius(atMs)).toString('base64'),
            rx_metadata: [{ gateway_ids: { gateway_id: 'hinesburg' }, rssi: -104, snr: 6.5 }],
            received_at: new Date(atMs).toISOString(),
          },
        },
      }),
    },
    {
      owner: 'Town of Hinesburg',
      tank: { ...tankOf(DIESEL_EUI, 'Town garage diesel', 1_000, 'Hinesburg'), product: 'diesel' },
      gauge: above(DIESEL_TANK),
      selector: 'model=EM400 on tanks',
      profile: 'milesight-em400',
      at: 0.5,
      text: 'ChirpStack forwards a Milesight EM400, whose battery has been low for a day',
      message: (atMs) => ({
        format: 'chirpstack',
        body: {
          time: new Date(atMs).toISOString(),
          deviceInfo: {
            devEui: DIESEL_EUI.toLowerCase(),
            applicationName: 'town',
            deviceProfileName: 'EM400 on tanks',
          },
          fPort: 85,
          data: Buffer.concat([
            bytes(0x01, 0x75, dieselBattery(atMs)),
            bytes(0x03, 0x67, ...u16le(celsius(atMs) * 10)),
            bytes(0x04, 0x82, ...u16le(distanceMm(DIESEL_TANK, diesel(atMs)))),
            bytes(0x05, 0x00, 0),
          ]).toString('base64'),
          rxInfo: [{ rssi: -97, snr: 8.2 }],
        },
      }),
    },
  ];
}

const bytes = (...values: readonly number[]): Buffer => Buffer.from(values.map((value) => Math.round(value) & 0xff));
const u16le = (value: number): [number, number] => [Math.round(value) & 0xff, (Math.round(value) >> 8) & 0xff];
