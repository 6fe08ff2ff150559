import type { EventData } from '../src/evaluation/pure/alerts/event_types.ts';
import { INITIAL_STATE } from '../src/evaluation/pure/alerts/tank_state.ts';
import { NOT_URGENT } from '../src/evaluation/pure/alerts/urgency.ts';
import type { Forecast } from '../src/evaluation/pure/estimator/forecast.ts';
import { invitationMail } from '../src/mail/account_mails.ts';
import { groupMail, type ListedEvent } from '../src/mail/device_mails.ts';
import type { Digest, DigestSection, DigestTank } from '../src/mail/digest_content.ts';
import { digestMail } from '../src/mail/digest_mail.ts';
import { contactMail, customerMail, type MailedEvent } from '../src/mail/event_mail_content.ts';
import type { MailContent } from '../src/mail/layout.ts';
import type { MailOrganization } from '../src/mail/mail_organization.ts';
import { personInvitationMail } from '../src/mail/person_invitations.ts';
import { reminderMail } from '../src/mail/reminders.ts';
import { retractionMail } from '../src/mail/retraction_mails.ts';
import { sampleMail } from '../src/mail/sample_mail.ts';
import { signInMail } from '../src/mail/sign_in_mails.ts';
import { lossOf } from '../src/status/loss.ts';
import type { ProductTank, TankOwner, TankStatus } from '../src/status/tank_status.ts';
import { DAY_MS } from '../src/values/time.ts';
import { zonedDate } from '../src/values/zoned_time.ts';

const NOW_MS = Date.parse('2026-11-16T13:00:00Z');
const hoursAgo = (hours: number): string => new Date(NOW_MS - hours * 3_600_000).toISOString();

export const ORGANIZATION: MailOrganization = {
  no: 1,
  code: 'a0gas',
  name: 'Gas del Valle',
  language: 'es-MX',
  time_zone: 'America/Mexico_City',
  phone: '+52 461 555 0100',
  reply_to: 'pedidos@gasdelvalle.example',
  emergency_phone: null,
  safety_steps: null,
  default_product: 'propane',
};

const OWNERS: readonly TankOwner[] = [
  { id: '1', external_key: 'C-1042', name: 'María López', phone: '+52 461 555 0142' },
  { id: '2', external_key: 'C-0311', name: 'Panadería La Espiga de Oro, S. A. de C. V.', phone: '+52 461 555 0187' },
  { id: '3', external_key: null, name: 'Hotel Los Álamos', phone: null },
];

const ownerOf = (n: number): TankOwner => OWNERS[n] ?? { id: '0', external_key: null, name: 'Ana', phone: null };

const TANK: ProductTank = {
  id: '1',
  name: 'Casa',
  assigned_device_id: 'ABCD1234',
  custom_id: 'T-17',
  use_case: 'residential',
  capacity: 300,
  capacity_unit: 'liters',
  min_fill_alert_percentage: 20,
  product: 'propane',
  fill_limit_percentage: 80,
  has_own_limit: false,
  street: 'Hidalgo',
  street_number: '4',
  district: 'Centro',
  city: 'Celaya',
  region: 'Guanajuato',
  postal_code: '38000',
  country: 'México',
  latitude: 20.5236,
  longitude: -100.8157,
};

function forecastOf(fillPercentage: number, usePointsPerDay: number, threshold: number): Forecast {
  const daysTo = (target: number) => {
    const likely = Math.max(0, (fillPercentage - target) / usePointsPerDay);
    return { likely, earliest: likely * 0.75, latest: likely * 1.45 };
  };
  return {
    asOfMs: NOW_MS - 3_600_000,
    fillPercentage,
    usePointsPerDay,
    isGaugeReliable: true,
    daysToThreshold: daysTo(threshold),
    daysToEmpty: daysTo(0),
    weather: null,
  };
}

export function statusOf(tank: Partial<ProductTank>, owner: number, fill: number, use: number): TankStatus {
  const complete = { ...TANK, ...tank };
  return {
    tank: complete,
    owner: ownerOf(owner),
    reading: { created_at: hoursAgo(1), fill_percentage: fill },
    loss: null,
    lastReliable: null,
    section: null,
    state: null,
    forecast: forecastOf(fill, use, complete.min_fill_alert_percentage),
    urgency: NOT_URGENT,
    isLow: fill <= complete.min_fill_alert_percentage,
    reason: null,
    volumeLeft: (fill / 100) * complete.capacity,
    waiting: [],
    weather: null,
  };
}

/** A tank that lost 45 points in 9 hours. */
const losing = (status: TankStatus): TankStatus => ({
  ...status,
  loss: lossOf(
    {
      losing_seen_at: hoursAgo(1),
      loss_readings: [
        { created_at: hoursAgo(10), fill_percentage: 62 },
        { created_at: hoursAgo(6), fill_percentage: 42 },
      ],
    },
    status.reading,
    status.tank.capacity,
  ),
});

/** A tank whose gauge shows 0 % since yesterday. */
const doubtful = (status: TankStatus): TankStatus => ({
  ...status,
  reason: 'gauge unreliable',
  lastReliable: { created_at: hoursAgo(26), fill_percentage: 52 },
  state: {
    ...INITIAL_STATE,
    gauge: { ...INITIAL_STATE.gauge, fault: 'stuck_at_limit', sinceMs: NOW_MS - 25 * 3_600_000 },
  },
});

const BAKERY = {
  name: 'Horno grande',
  custom_id: 'T-08',
  capacity: 2_800,
  street: 'Av. Insurgentes Sur',
  street_number: '1120-B',
};
const HOTEL = { name: 'Calderas', capacity: 5_000, street: null, street_number: null, district: null, custom_id: null };

const KITCHEN = { ...BAKERY, name: 'Horno chico', custom_id: 'T-09' };
const GRILL = { name: 'Asador', custom_id: 'T-12' };
const WORKSHOP = { name: 'Taller', custom_id: 'T-18' };
const GARAGE = { name: 'Cochera', custom_id: 'T-21' };
const STORE = { name: 'Bodega', custom_id: 'T-24' };

/** A tank whose last reading arrived 37 hours ago and which is still used. */
const silentSince = (status: TankStatus): TankStatus => ({
  ...status,
  reason: 'silent',
  reading: status.reading && { ...status.reading, created_at: hoursAgo(37) },
  forecast: status.forecast && {
    ...status.forecast,
    fillPercentage: status.forecast.fillPercentage - (status.forecast.usePointsPerDay * 37) / 24,
  },
});

export function digestExample(): Digest {
  const isNew = (status: TankStatus, mark = false): DigestTank => ({ ...status, isNew: mark });
  const low = [
    isNew(statusOf(BAKERY, 1, 9.2, 3.1), true),
    isNew(statusOf({}, 0, 17.9, 1.4), true),
    isNew(statusOf(WORKSHOP, 0, 19, 0.6)),
  ];
  const due = [isNew(statusOf(HOTEL, 2, 24.6, 4)), isNew(statusOf({ name: 'Alberca', custom_id: 'T-31' }, 2, 27, 2.6))];
  const silent = [isNew(silentSince(statusOf(GARAGE, 0, 41, 0.9)), true)];
  const refill: EventData['tank.refilled'] = {
    before_percentage: 14,
    after_percentage: 79.5,
    delivered_volume: 1_834,
    volume_unit: 'liters',
  };
  return {
    losing: { total: 1, listed: [isNew(losing(statusOf(STORE, 0, 17, 1.4)), true)] },
    low: { total: 42, listed: low },
    gauge: { total: 1, listed: [isNew(doubtful(statusOf(GRILL, 1, 0, 0.8)), true)] },
    due: { total: 2, listed: due },
    silent: { total: 1, listed: silent },
    refilled: {
      total: 1,
      listed: [{ occurred_at: hoursAgo(20), data: refill, tank: { ...TANK, ...KITCHEN }, owner: ownerOf(1) }],
    },
    rounds: { stops: 25, delivered: 23, notPossible: 2 },
    handled: 2,
  };
}

const NONE = { total: 0, listed: [] };
const EMPTY_DIGEST: Digest = {
  losing: NONE,
  low: NONE,
  gauge: NONE,
  due: NONE,
  silent: NONE,
  refilled: NONE,
  rounds: null,
  handled: 0,
};

/** The values that differ from a tank of propane. */
type Contents = Partial<Pick<ProductTank, 'product' | 'fill_limit_percentage'>>;

const filledWith = <Item extends { tank: ProductTank }>(item: Item, contents: Contents): Item => ({
  ...item,
  tank: { ...item.tank, ...contents },
});

const filledDigest = ({ losing: lost, low, gauge, due, silent, ...rest }: Digest, contents: Contents): Digest => {
  const filled = <Item extends { tank: ProductTank }>({ total, listed }: DigestSection<Item>) => ({
    total,
    listed: listed.map((item) => filledWith(item, contents)),
  });
  return {
    ...rest,
    losing: filled(lost),
    low: filled(low),
    gauge: filled(gauge),
    due: filled(due),
    silent: filled(silent),
  };
};

const refillExample = (contents: Contents) => ({
  type: 'tank.refilled' as const,
  occurred_at: hoursAgo(1),
  data: { before_percentage: 14, after_percentage: 79.5, delivered_volume: 196, volume_unit: 'liters' as const },
  status: statusOf(contents, 0, 79.5, 1.4),
});

/** One mail of each kind, by name, for a language with its region. */
export function mailExamples(
  language: string,
  timeZone: string,
  contents: Contents = {},
  ofOrganization: Partial<MailOrganization> = {},
): Record<string, MailContent> {
  const organization = {
    ...ORGANIZATION,
    language,
    time_zone: timeZone,
    ...(contents.product && { default_product: contents.product }),
    ...ofOrganization,
  };
  const low: MailedEvent = {
    type: 'tank.low_fill',
    occurred_at: hoursAgo(1),
    data: { fill_percentage: 17.9, threshold_percentage: 20 },
    organization,
    status: { ...statusOf(contents, 0, 17.9, 1.4), plannedOn: zonedDate(Date.now() + DAY_MS, timeZone) },
  };
  const loss: MailedEvent = {
    type: 'tank.rapid_loss',
    occurred_at: hoursAgo(1),
    data: { from_percentage: 62, to_percentage: 17, hours: 9, lost_volume: 1_260, volume_unit: 'liters' },
    organization,
    status: losing(statusOf({ ...BAKERY, ...contents }, 1, 17, 3.1)),
  };
  const gauge: MailedEvent = {
    type: 'tank.gauge_unreliable',
    occurred_at: hoursAgo(1),
    data: { reason: 'stuck_at_limit', since: hoursAgo(25), fill_percentage: 0 },
    organization,
    status: doubtful(statusOf({ ...GRILL, ...contents }, 1, 0, 0.8)),
  };
  const silent: MailedEvent = {
    type: 'tank.device_silent',
    occurred_at: hoursAgo(1),
    data: { last_reading_at: hoursAgo(37), silent_for_hours: 36 },
    organization,
    status: silentSince(statusOf({ ...GARAGE, ...contents }, 0, 41, 0.9)),
  };
  const refilled: MailedEvent = { ...refillExample(contents), organization, isRecovery: true };
  const unusual: MailedEvent = {
    type: 'tank.unusual_use',
    occurred_at: hoursAgo(1),
    data: {
      from_percentage: 62,
      to_percentage: 55,
      hours: 40,
      used_volume: 21,
      usual_volume_per_day: 3,
      volume_unit: 'liters',
    },
    organization,
    status: statusOf(contents, 0, 55, 4.2),
  };
  const unplanned: MailedEvent = { ...low, status: statusOf(contents, 0, 17.9, 1.4) };
  const devices = [GARAGE, WORKSHOP, STORE].map((part, n): ListedEvent => {
    const { type, data, occurred_at } = silent;
    const tank = { ...TANK, ...part };
    return {
      id: String(n),
      tank_no: n,
      type,
      data,
      occurred_at,
      email: '',
      has_console: true,
      organization,
      silent_since: hoursAgo(37 + n),
      tank,
      owner: ownerOf(0),
    };
  });
  const [first] = devices;
  if (first === undefined) throw new Error('no device');
  const outage = { type: silent.type, devices: 812, silentSince: { first: hoursAgo(39), last: hoursAgo(37) } };
  const link = `https://tanks.example.com/links/verify.01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90.1764169200.ZkFtOXJkb2dzYXJlbmljZWR1Y2tz`;
  const consoleUrl = 'https://tanks.example.com/console';
  const tankUrl = (): string => `${consoleUrl}/tanks/01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90`;
  const signInUrl = 'https://tanks.example.com/session/links/3q2-7wXh0kGmR5vY8nJzQb1sTfLcAeUoPiDgHxKyWtM';
  return {
    low: contactMail(low, tankUrl),
    low_unplanned: contactMail(unplanned, tankUrl),
    customer: customerMail(low, tankUrl),
    customer_unplanned: customerMail(unplanned, tankUrl),
    loss: contactMail(loss, tankUrl, NOW_MS),
    customer_loss: customerMail(loss, tankUrl, NOW_MS),
    refilled: contactMail(refilled, tankUrl),
    unusual: contactMail(unusual, tankUrl),
    gauge: contactMail(gauge, tankUrl),
    silent: contactMail(silent, tankUrl),
    devices: groupMail(outage, first, devices, tankUrl, consoleUrl),
    retraction: retractionMail([{ ...low, retracted_because: 'gauge_fault' }], organization, statusOf({}, 0, 62, 1.4), {
      recipient: 'contact',
      tankUrl,
    }),
    customer_retraction: retractionMail([{ ...loss, retracted_because: 'gauge_fault' }], organization, loss.status, {
      recipient: 'customer',
      tankUrl,
    }),
    loss_retraction: retractionMail([{ ...loss, retracted_because: null }], organization, loss.status, {
      recipient: 'contact',
      tankUrl,
    }),
    reminder: reminderMail(organization, low.status, link, tankUrl),
    reminder_unplanned: reminderMail(organization, unplanned.status, link, tankUrl),
    digest: digestMail(organization, filledDigest(digestExample(), contents), NOW_MS, tankUrl, consoleUrl),
    empty_digest: digestMail(organization, EMPTY_DIGEST, NOW_MS, tankUrl, consoleUrl),
    sign_in: signInMail([organization], signInUrl, '48291376'),
    invite: invitationMail(organization, 'María López', link),
    invite_person: personInvitationMail(
      { name: 'Pedro Ruiz', email: 'pedro@gas.example', organization },
      'https://tanks.example.com/console',
      { link: signInUrl },
    ),
    test: sampleMail(organization, 'despacho@gasdelvalle.example', NOW_MS),
  };
}
